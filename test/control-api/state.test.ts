// @module-tag slow
import { beforeEach, describe, expect, test } from 'vitest';
import type { ExportedState } from '../../src/control-api/state-schema.js';
import { createControl } from '../../src/entries/control.js';
import { createSimulator, type Scenario } from '../../src/entries/index.js';
import { generatePets } from '../../src/entries/seed.js';
import { noon } from '../support/frozen.js';
import { everythingOf, openStage, outcome, type Stage, send, stageOfEachTest } from './both-controls.js';

const greatest = 9223372036854775807n;
/** Something of everything that a state can hold. */
const rich: Scenario = {
  name: 'rich',
  seed: 7,
  ids: { start: 9007199254740993n },
  windows: { minute: '30s', day: '1d' },
  plans: { tiny: { minute: 2, day: 5 } },
  assumptions: { unknownFields: 'echo', acceptAnyKey: true, listOrder: 'newest-first', algorithm: 'sliding-log' },
  keys: {
    small: { plan: 'tiny' },
    late: { plan: 'pro', expiresAt: '2026-01-01T12:05:00Z' },
    waiting: { plan: 'free', usage: { minute: 59 }, bannedFor: '10s', expiresIn: '1h' },
  },
  faults: [
    { name: 'thrice', when: { operation: 'createPet', key: 'late' }, then: { respond: { status: 503 }, failTimes: 3 } },
    {
      when: { petId: String(greatest), probability: 0.5 },
      then: { respond: { status: 500, headers: { 'X-A': null } } },
    },
  ],
};

const stage = stageOfEachTest(rich);
const body = `{"name":"Big","categoryId":${greatest},"x-note":["a",{"n":-9223372036854775808}]}`;
beforeEach(async () => {
  const { sim } = stage;
  await send(sim, { body });
  await send(sim, { key: 'late', body });
  await send(sim, { key: 'unlisted-key' });
  for (let n = 0; n < 7; n++) {
    sim.clock.advance('1100ms');
    await send(sim, { key: 'small' });
  }
  sim.faults.add({ name: 'own', when: { nth: 2 }, then: { delay: '1ms' } });
  sim.keys.ban('free-key', '90s');
});

/** The answers to a trace that looks at every part of the state. */
async function replay(sim: Stage['sim']) {
  const answers = [];
  for (const wait of ['0ms', '3s', '20s', '2m']) {
    sim.clock.advance(wait);
    for (const key of ['small', 'late', 'waiting', 'free-key', 'unlisted-key', 'pro-key']) {
      answers.push(await send(sim, { key, query: 'limit=100' }), await send(sim, { key, body }));
    }
    answers.push(await send(sim, { key: 'business-key', path: `/pets/${greatest}` }));
  }
  return answers;
}

describe('an exported state', () => {
  test('continues in another process exactly like here: int64, bans, presets, faults, probabilities', async () => {
    const { there, sim } = stage;
    sim.faults.remove('own');
    const state = await there.exportState();
    expect(state.pets.at(-1)).toMatchObject({ id: 9007199254740993n, categoryId: greatest });
    const other = await openStage({});
    expect(await other.there.importState(state)).toEqual({
      scenario: 'rich',
      clock: { now: '2026-01-01T12:00:07.700Z', mode: 'frozen' },
      pets: 41,
    });
    expect(await other.there.exportState()).toEqual(state);
    expect(other.sim.settings).toEqual(sim.settings);
    expect(await replay(other.sim)).toEqual(await replay(sim));
  });

  test('is JSON with all digits, also over HTTP', async () => {
    const text = await (await fetch(`${stage.server.controlUrl}/state`)).text();
    expect(text).toContain('"id":9007199254740993,"name":"Big","categoryId":9223372036854775807');
    expect(text).toContain('{"n":-9223372036854775808}');
    expect(text).toContain('"petId":"9223372036854775807"');
    const answer = await fetch(`${stage.server.controlUrl}/state`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: text,
    });
    expect(answer.status).toBe(200);
    expect(await (await fetch(`${stage.server.controlUrl}/state`)).text()).toBe(text);
  });

  test("includes its scenario, so that a reset restores that scenario's start", async () => {
    const state = stage.here.exportState();
    const sim = createSimulator();
    const control = createControl(sim);
    control.importState(state);
    control.reset();
    expect(sim.name).toBe('rich');
    expect(new Date(sim.clock.now()).toISOString()).toBe(new Date(noon).toISOString());
    expect(sim.keys.get('small').minute).toMatchObject({ limit: 2, remaining: 2 });
    expect(sim.pets.size).toBe(40);
  });

  test('includes the scenario whose pets a reset restores, if another was loaded without reseed', () => {
    const pets = (name: string) => ({ name, pets: [{ name, categoryId: 1 }] });
    const sim = createSimulator({ scenario: pets('first') });
    sim.load(pets('second'));
    sim.pets.add({ name: 'added', categoryId: 1 });
    const again = createSimulator();
    createControl(again).importState(createControl(sim).exportState());
    const namesOf = (each: typeof sim) => each.pets.list().map(({ name }) => name);
    expect([again.name, namesOf(again)]).toEqual(['second', ['first', 'added']]);
    again.reset();
    sim.reset();
    expect([again.name, namesOf(again)]).toEqual(['second', ['first']]);
    expect(namesOf(sim)).toEqual(['first']);
  });

  test('of the last second of the clock is importable, although its promised times are later', async () => {
    const sim = createSimulator({
      scenario: {
        clock: { start: '9999-12-31T23:59:59.500Z', mode: 'frozen' },
        keys: { 'free-key': { usage: { minute: 60 } } },
      },
    });
    await send(sim, {});
    expect(sim.journal.query()[0]?.promisedAtMs).toBeGreaterThan(Date.parse('9999-12-31T23:59:59.999Z'));
    const control = createControl(sim);
    const state = control.exportState();
    control.importState(state);
    expect(control.exportState()).toEqual(state);
  });

  test('with more generated pets than can be loaded is imported in the same server and in another', async () => {
    const scenario = { pets: { generate: { available: 100_001 } } };
    const options = { generatePets, scenario };
    const sim = createSimulator(options);
    sim.pets.add({ name: 'Own', categoryId: 1 });
    const state = createControl(sim).exportState();
    for (const other of [sim, createSimulator(options), createSimulator({ generatePets })]) {
      expect(createControl(other).importState(state)).toMatchObject({ pets: 100_002 });
      other.reset();
      expect(other.pets.size).toBe(100_001);
    }
    const few = { ...state, pets: state.pets.slice(0, 5), scenario: { pets: { generate: { available: 100_002 } } } };
    expect(() => createControl(sim).importState(few)).toThrow('scenario: expected at most 100,000 generated pets');
  });

  test('of a running clock keeps running', () => {
    stage.here.changeClock({ resume: true });
    const sim = createSimulator({ scenario: { clock: { mode: 'frozen' } } });
    createControl(sim).importState(stage.here.exportState());
    expect(sim.clock.frozen).toBe(false);
    expect(sim.clock.now()).toBeLessThan(Date.parse(noon) + 60_000);
  });

  test('of a large simulator is restored completely', async () => {
    const { sim, there } = stage;
    for (let n = 0; n < 20_000; n++) sim.pets.add({ name: `Pet ${n}`, categoryId: 1, status: 'sold' });
    await there.importState(await there.exportState());
    expect(sim.pets.size).toBe(20_041);
  });
});

// biome-ignore lint/suspicious/noExplicitAny: each corrupts what it likes
type Corrupt = (state: any) => unknown;
const corrupted: [what: string, corrupt: Corrupt, message: string][] = [
  ['an older version', (s) => ({ ...s, version: 0 }), 'expected version 1'],
  ['no scenario', ({ scenario: _, ...s }) => s, 'scenario: expected'],
  ['a bad scenario', (s) => ({ ...s, scenario: { limits: 'none' } }), 'limits'],
  ['an unknown field', (s) => ({ ...s, cookies: [] }), 'cookies: expected a known field'],
  ['a clock past the year 9999', (s) => ({ ...s, clock: { ...s.clock, nowMs: 1e18 } }), 'clock.nowMs: expected'],
  ['a clock that is text', (s) => ({ ...s, clock: 'noon' }), 'clock: expected'],
  ['a pet twice', (s) => ({ ...s, pets: [...s.pets, s.pets[0]] }), 'pets: expected each id once'],
  ['a rounded id', (s) => ({ ...s, pets: [{ ...s.pets[0], id: 2 ** 53 }] }), 'expected a whole number within int64'],
  ['an unknown status', (s) => ({ ...s, pets: [{ ...s.pets[0], status: 'lost' }] }), 'pets[0].status: expected'],
  ['a documented field as an extra', (s) => ({ ...s, pets: [{ ...s.pets[0], extra: { id: 1 } }] }), 'extra: expected'],
  ['a lone surrogate', (s) => ({ ...s, pets: [{ ...s.pets[0], name: '\ud800' }] }), ''],
  ['a next id past int64', (s) => ({ ...s, nextId: greatest + 1n }), 'nextId: expected'],
  ['a key of no plan', (s) => withKey(s, { plan: '__proto__' }), 'expected a plan of the scenario'],
  ['a key twice', (s) => ({ ...s, unlistedKeys: s.keys }), 'keys: expected each key once'],
  ['a key with a space', (s) => withKey(s, { key: 'a b' }), 'keys[0].key: expected an API key'],
  ['a ban without end', (s) => withKey(s, { bannedUntilMs: 1e300 }), 'bannedUntilMs: expected'],
  ['a window without a log', (s) => withKey(s, { day: { startSeconds: 0, used: 1 } }), 'day.log'],
  ['a usage that is not whole', (s) => withMinute(s, { used: 60.5 }), 'keys[0].minute.used: expected a whole number'],
  ['a start that is not whole', (s) => withMinute(s, { startSeconds: 0.5 }), 'keys[0].minute.startSeconds: expected'],
  [
    'a usage that its log does not add up to',
    (s) => withMinute(s, { used: 1_000, log: [] }),
    'keys[0].minute.used: expected the sum of the requests in log (0), got 1000',
  ],
  [
    'a log out of order',
    (s) => withMinute(s, { used: 2, log: [20, 10].map((second) => [second, 1]) }),
    'keys[0].minute.log: expected each second once, oldest first',
  ],
  [
    'a preset above the limit',
    (s) => withKey(s, { preset: { usage: { minute: 61, day: 0 }, bannedForMs: 0, clockMovedMs: 0 } }),
    'preset.usage.minute: expected at most the limit of the plan',
  ],
  ['a ban of ten thousand years', (s) => withKey(s, { bannedUntilMs: 4e14 }), 'bannedUntilMs: expected'],
  ['a clock between two milliseconds', (s) => ({ ...s, clock: { ...s.clock, nowMs: 0.5 } }), 'clock.nowMs: expected'],
  [
    'a bucket that never fills',
    (s) => ({
      ...withMinute(s, { used: 9e15, log: [] }),
      scenario: { ...s.scenario, assumptions: { ...s.scenario.assumptions, algorithm: 'token-bucket' } },
      keys: [
        { ...s.keys[0], minute: { startSeconds: 0, used: 9e15, log: [] }, day: { startSeconds: 0, used: 0, log: [] } },
      ],
      unlistedKeys: [],
    }),
    'keys[0].minute.used: expected usage that the bucket regains before',
  ],
  ['data of services that is no map', (s) => ({ ...s, services: [] }), 'services: expected'],
  ['data of a service as a number', (s) => ({ ...s, services: { petstore: 5 } }), 'services.petstore: expected a list'],
  ['pets as data of a service', (s) => ({ ...s, services: { petstore: [41, 5] } }), 'services of this simulator'],
  ['data of an unknown service', (s) => ({ ...s, services: { toString: [1] } }), 'services of this simulator'],
  ['a negative count', (s) => withKey(s, { strikes: -1 }), 'strikes: expected'],
  ['a rule without an effect', (s) => withRule(s, { rule: { then: {} } }), 'expected an effect'],
  [
    'a rule for an unknown operation',
    (s) => withRule(s, { rule: { when: { operation: 'listPet' }, then: { delay: 5 } } }),
    'faults.rules[0].rule.when.operation: expected "listPets", "createPet", "getPet", or the method and path of your own route, such as "GET /v1/orders", got "listPet"; did you mean listPets?',
  ],
  ['a rule twice', (s) => ({ ...s, faults: { ...s.faults, rules: Array(2).fill(s.faults.rules[0]) } }), 'each name'],
];
const withKey = (state: ExportedState, key: object) => ({ ...state, keys: [{ ...state.keys[0], ...key }] });
const withMinute = (state: ExportedState, minute: object) =>
  withKey(state, { minute: { ...state.keys[0]?.minute, ...minute } });
const withRule = (state: ExportedState, rule: object) => ({
  ...state,
  faults: { ...state.faults, rules: [{ ...state.faults.rules[0], ...rule }] },
});

test.each(corrupted)(
  'a state with %s is rejected through both adapters and changes nothing',
  async (what, corrupt, message) => {
    const { here, there, sim } = stage;
    const state = corrupt(here.exportState());
    const before = everythingOf(sim);
    const failure = (await outcome(() => here.importState(state as never))) as { status: number; message: string };
    expect(failure).toMatchObject({ status: 400, message: expect.stringContaining(message) });
    // JSON has exact digits, so there nothing is rounded.
    if (what !== 'a rounded id')
      expect(await outcome(() => there.importState(state as never))).toMatchObject({ status: 400 });
    expect(everythingOf(sim)).toEqual(before);
  },
);

test('an import aborts a request that a fault delays, and the request writes nothing', async () => {
  const { sim, here } = stage;
  const state = here.exportState();
  here.addFault({ name: 'slow', when: { operation: 'createPet' }, then: { delay: '1h' } });
  const waiting = send(sim, { key: 'pro-key', body });
  here.importState(state);
  await expect(waiting).rejects.toThrow('reset');
  sim.clock.advance('2h');
  expect(sim.pets.size).toBe(41);
});

describe('a named snapshot', () => {
  test('is restored with its scenario, repeatedly, and remains after a reset', async () => {
    const { here, sim } = stage;
    here.saveSnapshot({ name: 'full' });
    const state = here.exportState();
    for (let n = 0; n < 2; n++) {
      here.loadScenario({ scenario: 'tiny', reseed: true });
      await send(sim, { body });
      here.reset();
      here.restoreSnapshot({ name: 'full' });
      expect(here.exportState()).toEqual(state);
    }
  });

  test('replaces one of the same name, and there are at most fifty', async () => {
    const { there } = stage;
    for (let n = 1; n <= 50; n++) await there.saveSnapshot({ name: `s${n}` });
    expect(await outcome(() => there.saveSnapshot({ name: 's51' }))).toMatchObject({ status: 400 });
    await there.saveSnapshot({ name: 's50' });
    await there.removeSnapshot({ name: 's1' });
    await there.saveSnapshot({ name: 's51' });
    expect(await there.listSnapshots()).toHaveLength(50);
  });
});

import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Scenario } from '../../src/entries/index.js';
import { defaultScenario } from '../../src/petstore/default-scenario.js';
import { documentedPlans } from '../../src/petstore/document.js';
import { operationTable } from '../../src/petstore/operations.js';
import { controlOperations } from '../../src/petstore/served-petstore.js';
import { targetOf } from '../../src/requests/operation-table.js';
import type { OperationRow } from '../../src/requests/service.js';
import { keyId } from '../../src/values/mask-key.js';
import { documentedNames } from '../../src/values/window-fields.js';
import { noon } from '../support/frozen.js';
import { openStage, outcome, type Stage, send, tinyScenario } from './both-controls.js';

const { minute: perMinute } = documentedPlans.free;

type Name = keyof typeof controlOperations;

/** One call, and what its result must hold (a number: how many it lists); in order, so that each builds on those before. */
const steps: [name: Name, input: object | undefined, result: unknown][] = [
  ['getHealth', undefined, { status: 'ok', scenario: 'default' }],
  ['getServiceDescription', {}, { info: { title: 'Petstore' } }],
  ['getControlDescription', {}, { info: { title: 'petstore-sim control' } }],
  ['getScenario', {}, { name: 'default', scenario: { keys: { 'pro-key': { plan: 'pro' } } } }],
  [
    'listScenarios',
    {},
    [
      { name: 'default', changed: ['keys', 'clock'] },
      { name: 'tiny', description: 'Two pets.' },
    ],
  ],

  ['listAssumptions', {}, { 0: { id: 'defaultStatus', value: 'available', default: 'available' } }],

  ['getClock', {}, { now: '2026-01-01T12:00:00.000Z', mode: 'frozen' }],
  ['changeClock', { advance: '61s' }, { now: '2026-01-01T12:01:01.000Z' }],
  ['changeClock', { resume: true }, { mode: 'real' }],
  ['changeClock', { freeze: true }, { mode: 'frozen' }],
  ['changeClock', { set: noon }, { now: '2026-01-01T12:00:00.000Z' }],
  ['changeClock', { advance: 1500 }, { now: '2026-01-01T12:00:01.500Z' }],
  ['changeClock', { set: '2026-01-01T12:00:10Z' }, { now: '2026-01-01T12:00:10.000Z', mode: 'frozen' }],

  ['listKeys', {}, { total: Object.keys(defaultScenario.keys).length }],
  [
    'listKeys',
    { limit: 2, after: 'free-key' },
    { keys: [{ key: 'pro-key' }, { key: 'business-key' }], next: 'business-key' },
  ],
  ['getKey', { key: 'pro-key' }, { id: keyId('pro-key'), key: 'pro-key', plan: 'pro', minute: { remaining: 299 } }],
  ['getKey', { key: keyId('pro-key') }, { plan: 'pro' }],
  [
    'addKey',
    { key: 'alice-secret', plan: 'pro', usage: { minute: 7 } },
    { key: '…cret~gwra', minute: { remaining: 293 } },
  ],
  ['addKey', { key: 'bob/%zz ü'.replace(' ', '_'), expiresAt: '2026-01-01T12:00:05Z' }, { state: 'expired' }],
  ['getKey', { key: 'bob/%zz_ü' }, { state: 'expired' }],
  ['banKey', { key: 'alice-secret', for: '90s' }, { state: 'banned', bannedUntil: '2026-01-01T12:01:40.000Z' }],
  ['unbanKey', { key: keyId('alice-secret') }, { state: 'active', strikes: 0 }],
  [
    'setKeyUsage',
    { key: 'alice-secret', minute: 299, day: 400 },
    { minute: { remaining: 1 }, day: { remaining: 9600 } },
  ],
  ['exhaustKey', { key: 'alice-secret' }, { minute: { remaining: 0 }, day: { remaining: 9600 } }],
  ['exhaustKey', { key: 'alice-secret', window: 'day' }, { day: { remaining: 0 } }],
  ['revokeKey', { key: 'alice-secret' }, { state: 'revoked' }],
  ['restoreKey', { key: 'alice-secret' }, { state: 'active' }],
  ['revokeKey', { key: 'alice-secret' }, { state: 'revoked' }],

  [
    'listOperations',
    {},
    Object.entries<OperationRow>(operationTable.rows).map(([name, { conditions, ...row }]) => ({
      name,
      target: targetOf(row),
      ...(conditions && { conditions }),
    })),
  ],
  [
    'addFault',
    { when: { operation: 'getPet', key: 'pro-key' }, then: { respond: { status: 503 } } },
    { name: 'fault-1' },
  ],
  ['addFault', { name: 'a b/c', when: { petId: '9223372036854775807' }, then: { delay: '5s' } }, { name: 'a b/c' }],
  [
    'listFaults',
    {},
    [{ name: 'fault-1', seen: 0, applied: 0, next: 'every request' }, { when: { petId: '9223372036854775807' } }],
  ],
  ['replaceFault', { name: 'fault-1', fault: { when: { nth: 1 }, then: { hang: true } } }, { name: 'fault-1' }],
  ['replaceFault', { name: 'a b/c', fault: { name: 'd', then: { delay: '5s' } } }, { name: 'd' }],
  ['listFaults', {}, [{ name: 'fault-1', then: { hang: true }, next: 'the next request' }, { name: 'd' }]],
  ['replaceFault', { name: 'd', fault: { name: 'a b/c', then: { delay: '5s' } } }, { name: 'a b/c' }],
  ['checkFault', { fault: { when: { operation: 'GET /orders' }, then: { reset: true } } }, { issues: [] }],
  [
    'checkFault',
    { fault: { when: { nth: 0, operation: 'getPets' }, then: { respond: { status: 99, headers: { 'a b': 1 } } } } },
    {
      issues: [
        { path: 'when.nth', steps: ['when', 'nth'], message: 'expected a whole number from 1, got 0' },
        { path: 'then.respond.status', message: 'expected a status from 200 to 599, got 99' },
        { path: 'then.respond.headers.a b', steps: ['then', 'respond', 'headers', 'a b'] },
      ],
    },
  ],
  [
    'checkFault',
    { fault: { when: { operation: ['listPets', 'getPets'] }, then: { reset: true } } },
    { issues: [{ steps: ['when', 'operation', 1] }] },
  ],
  ['removeFault', { name: 'a b/c' }, { removed: 'a b/c' }],
  ['listFaults', {}, 1],

  ['listStoredPets', { limit: 1 }, { total: 41, count: 41, pets: [{ id: '41', name: 'Bello' }] }],
  ['listStoredPets', { text: 'BELLO' }, { total: 41, count: 1, pets: [{ id: '41' }] }],
  ['updateStoredPet', { id: '41', status: 'sold', categoryId: '9' }, { id: '41', name: 'Bello', categoryId: '9' }],
  ['updateStoredPet', { id: 41, name: 'Bella' }, { name: 'Bella', status: 'sold' }],
  ['listStoredPets', { text: 'BELLA","categoryId":9' }, { pets: [{ id: '41', categoryId: '9', status: 'sold' }] }],
  ['updateStoredPet', { id: '41', name: 'Bello' }, { json: '{"id":41,"name":"Bello","categoryId":9,"status":"sold"}' }],
  ['removeStoredPet', { id: '1' }, { removed: '1' }],
  ['listStoredPets', {}, { total: 40 }],
  ['listStoredPets', { skip: 1, limit: 2 }, { pets: [{ id: '40' }, { id: '39' }] }],

  ['countRequests', {}, { count: 3, dropped: 0 }],
  ['countRequests', { status: 201 }, { count: 1 }],
  ['countRequests', { status: '201', operation: 'createPet', method: 'POST', key: 'free-key' }, { count: 1 }],
  ['countRequests', { key: '-key' }, { count: 3 }],
  ['countRequests', { key: keyId('pro-key') }, { count: 1 }],
  ['countRequests', { text: 'Bello' }, { count: 1 }],
  ['countRequests', { since: 2 }, { count: 1 }],
  ['queryJournal', { since: 1, limit: 1 }, { entries: [{ id: 3, key: 'pro-key', keyId: keyId('pro-key') }], count: 2 }],
  ['queryJournal', { limit: 0 }, { entries: [], count: 3 }],
  ['getRequest', { id: 3 }, { id: 3, key: 'pro-key', why: { 0: { step: 'key', result: 'passed' } } }],
  ['waitForRequests', { count: 3 }, { met: true, count: 3 }],
  ['waitForRequests', { count: 4, timeout: '20ms' }, { met: false, count: 3 }],
  ['waitForRequests', { count: 4, timeout: '20' }, { met: false, count: 3 }],
  ['exportHar', { status: 201 }, { log: { version: '1.2', entries: [{ response: { status: 201 } }] } }],
  ['exportJournal', { status: 201 }, expect.stringMatching(/^\{"id":2,.*\}\n$/)],
  ['getVerdict', {}, { outcome: 'inconclusive', counts: { requests: 3 } }],
  ['getVerdict', { key: 'pro-key' }, { outcome: 'inconclusive', counts: { requests: 1 } }],
  ['getVerdict', { key: keyId('pro-key') }, { counts: { requests: 1 } }],
  ['getVerdict', { key: '…-key' }, { counts: { requests: 3 } }],
  ['getVerdict', { key: 'no such' }, { reason: 'No requests received.', counts: { requests: 0 } }],

  ['saveSnapshot', { name: 'before' }, { saved: 'before' }],
  ['listSnapshots', {}, [{ name: 'before', scenario: 'default', now: '2026-01-01T12:00:10.000Z', pets: 40 }]],
  ['exportState', {}, { version: 1, nextId: 42, clock: { frozen: true } }],
  ['loadScenario', { scenario: 'tiny' }, { scenario: 'tiny', clock: { now: '2026-01-01T12:00:10.000Z' } }],
  ['loadScenario', { scenario: tinyScenario, reseed: true }, { clock: { now: '2026-01-01T12:00:00.000Z' } }],
  ['restoreSnapshot', { name: 'before' }, { scenario: 'default', clock: { now: '2026-01-01T12:00:10.000Z' } }],
  ['getKey', { key: 'alice-secret' }, { state: 'revoked' }],
  ['removeSnapshot', { name: 'before' }, { removed: 'before' }],
  ['listSnapshots', {}, 0],
  ['reportOutcome', { call: 'a', result: 'failed' }, { call: 'a', result: 'failed' }],
  ['clearJournal', {}, { removed: 3 }],
  ['countRequests', {}, { count: 0 }],
  ['reset', {}, { scenario: 'default', clock: { now: '2026-01-01T12:00:00.000Z', mode: 'frozen' } }],
  ['listFaults', {}, 0],
];

const tooManyPets = { pets: { generate: { sold: 60_000, available: 40_001 } } };
const listed = (what: string) => `expected a name that GET /__sim/${what} lists`;

/** Invalid calls, with their status and a part of the message. */
const mistakes: [name: Name, input: unknown, status: number, message: string | RegExp][] = [
  ['getHealth', { verbose: true }, 400, 'expected a known field'],
  ['changeClock', { advance: '61' }, 400, 'advance: expected a duration such as'],
  ['changeClock', { advance: -1 }, 400, 'advance: expected a duration such as'],
  ['changeClock', { advance: '9999999d' }, 400, 'at most 3650d'],
  ['changeClock', { set: 'noon' }, 400, 'expected an instant such as'],
  ['changeClock', {}, 400, 'expected one of {"advance":"61s"}'],
  ['changeClock', { advance: '1s', freeze: true }, 400, 'expected one of'],
  ['changeClock', { advance: null }, 400, 'expected'],
  ['changeClock', { freeze: false }, 400, 'expected'],
  ['getVerdict', { lagMs: '1s' }, 400, 'lagMs: expected a whole number from 0'],
  ['getRequest', { id: 4 }, 404, 'Unknown request; expected an id'],
  ['getRequest', { id: 0 }, 400, 'id: expected a whole number from 1'],
  ['getKey', { key: 'made-up-token' }, 404, /^Unknown API key; expected/],
  ['getKey', { key: '__proto__' }, 404, 'Unknown API key'],
  ['revokeKey', { key: 'constructor' }, 404, 'Unknown API key'],
  ['addKey', { key: 'two words' }, 400, 'expected an API key that a header can carry'],
  ['addKey', { key: 'ключ' }, 400, 'expected an API key that a header can carry'],
  ['addKey', { key: 'x', plan: 'gold' }, 400, /^plan: expected a plan \(free, pro, business, enterprise\)/],
  ['addKey', { key: 'x', usage: { minute: 999 } }, 400, /^usage\.minute: expected/],
  ['addKey', { key: 'x', plan: '__proto__' }, 400, 'expected a plan'],
  [
    'addKey',
    { key: 'x', usage: { turn: 1 } },
    400,
    `usage.turn: expected a window of the plan (${documentedNames.join(', ')})`,
  ],
  ['addKey', { key: 'x', bannedFor: '99999999d' }, 400, 'at most 3650d'],
  ['banKey', { key: 'free-key' }, 400, 'for: expected'],
  ['banKey', { key: 'free-key', for: '99999999d' }, 400, 'at most 3650d'],
  ['setKeyUsage', { key: 'free-key', minute: perMinute + 1 }, 400, `from 0 to ${perMinute}`],
  ['setKeyUsage', { key: 'free-key', minute: 1.5 }, 400, 'expected a whole number from 0'],
  [
    'exhaustKey',
    { key: 'free-key', window: 'turn' },
    400,
    `expected a window of the plan (${documentedNames.join(', ')}), got "turn"`,
  ],
  ['addFault', { then: {} }, 400, 'expected an effect'],
  ['addFault', { name: 'lost', then: { reset: true } }, 409, 'is taken'],
  ['addFault', { then: { respond: { status: 99 } } }, 400, 'expected a status from 200 to 599'],
  ['addFault', { when: { nth: 0 }, then: { reset: true } }, 400, 'when.nth: expected a whole number from 1'],
  ['addFault', { then: { respond: { status: 200, headers: { a: 'b\r\nc: d' } } } }, 400, 'without line breaks'],
  ['replaceFault', { name: 'none', fault: { then: { hang: true } } }, 404, listed('faults')],
  [
    'replaceFault',
    { name: 'lost', fault: { then: { respond: { status: 99 } } } },
    400,
    'then.respond.status: expected',
  ],
  ['replaceFault', { name: 'lost', fault: { name: 'late', then: { hang: true } } }, 409, 'is taken'],
  ['replaceFault', { name: 'lost', fault: [] }, 400, 'fault: expected a fault rule, which is a map'],
  ['checkFault', {}, 400, 'fault: expected a fault rule, which is a map, got none'],
  ['removeFault', { name: 'none' }, 404, listed('faults')],
  ['loadScenario', {}, 400, 'scenario: expected'],
  ['loadScenario', { scenario: '../../etc/passwd' }, 404, 'got "../../etc/passwd"; GET /__sim/scenarios lists them'],
  ['loadScenario', { scenario: 'defualt' }, 404, 'expected a scenario, got "defualt"; did you mean default?'],
  ['loadScenario', { scenario: 'x'.repeat(10_000) }, 404, /^scenario: expected a scenario, got "x{80}…"; GET/],
  ['loadScenario', { scenario: '__proto__' }, 404, 'got "__proto__"; GET'],
  ['loadScenario', { scenario: { keys: { a: { plan: 'gold' } } } }, 400, /^scenario\.keys\.a\.plan: expected a plan/],
  ['loadScenario', { scenario: { pets: { file: '/etc/passwd' } } }, 400, 'expected'],
  ['loadScenario', { scenario: { pets: { generate: { sold: 1 } } } }, 400, 'expected a generator'],
  [
    'loadScenario',
    { scenario: tooManyPets },
    400,
    'scenario: expected at most 100,000 generated pets; start the server',
  ],
  ['queryJournal', { status: 'ok' }, 400, 'status: expected a whole number from 0 to 599'],
  ['queryJournal', { limit: 10_001 }, 400, 'limit: expected a whole number from 0 to 10000'],
  ['waitForRequests', { timeout: '31s' }, 400, 'timeout: expected at most 30s'],
  ['waitForRequests', { count: 0 }, 400, 'count: expected a whole number from 1 to 10000'],
  ['saveSnapshot', { name: 'a/b' }, 400, 'name: expected a name of 1 to 64'],
  ['saveSnapshot', { name: 'x'.repeat(65) }, 400, 'name: expected a name of 1 to 64'],
  ['restoreSnapshot', { name: 'none' }, 404, listed('snapshots')],
  ['removeSnapshot', { name: 'none' }, 404, listed('snapshots')],
  ['importState', {}, 400, 'version: expected'],
  ['importState', { version: 2 }, 400, 'expected version 1 of the format'],
];

let stages: [Stage, Stage];
const busy: Scenario = { keys: { 'free-key': { usage: { minute: 3 } } } };
beforeEach(async () => {
  // A clock that runs shows the same through both adapters only while the machine's stands still.
  vi.useFakeTimers({ toFake: ['Date'] });
  stages = [await openStage(busy), await openStage(busy)];
  for (const { sim } of stages) {
    await send(sim);
    await send(sim, { body: '{"name":"Bello","categoryId":9223372036854775807}' });
    await send(sim, { key: 'pro-key', path: '/pets/9' });
  }
});
afterEach(() => {
  vi.useRealTimers();
});

const calls = () => {
  const [{ here }, { there }] = stages;
  const call = (control: object, name: Name, input: unknown) =>
    outcome(() => (control as Record<Name, (input?: unknown) => unknown>)[name](input));
  return { inProcess: call.bind(undefined, here), overHttp: call.bind(undefined, there) };
};

/** The descriptions name the address of the server that gives them. */
const withoutAddress = (value: unknown) =>
  typeof value === 'object' &&
  JSON.stringify(value, (_, part) => (typeof part === 'bigint' ? `${part}n` : part)).replace(
    /127\.0\.0\.1:\d+/g,
    'HOST',
  );

test('every operation has the same result in this process and over HTTP', async () => {
  const { inProcess, overHttp } = calls();
  for (const [name, input, expected] of steps) {
    const step = `${name} ${JSON.stringify(input)}`;
    const result = (await inProcess(name, input)) as { result: unknown };
    if (typeof expected === 'number') expect(result.result, step).toHaveLength(expected);
    else if (typeof expected === 'object' && expected !== null && !('asymmetricMatch' in expected))
      expect(result.result, step).toMatchObject(expected);
    else expect(result.result, step).toEqual(expected);
    expect(withoutAddress(await overHttp(name, input)), step).toEqual(withoutAddress(result));
  }
});

test('an invalid call has the same message through both adapters, and changes nothing', async () => {
  const { inProcess, overHttp } = calls();
  for (const { sim } of stages)
    for (const name of ['lost', 'late']) sim.faults.add({ name, when: { petId: 1 }, then: { reset: true } });
  const before = stages.map(({ here }) => here.exportState());
  for (const [name, input, status, message] of mistakes) {
    const step = `${name} ${JSON.stringify(input)}`;
    const failure = (await inProcess(name, input)) as { status: number; message: string };
    expect(failure, step).toMatchObject({
      status,
      message: typeof message === 'string' ? expect.stringContaining(message) : expect.stringMatching(message),
    });
    expect(failure.message.length, step).toBeGreaterThan(20);
    expect(await overHttp(name, input), step).toEqual(failure);
  }
  expect(stages.map(({ here }) => here.exportState())).toEqual(before);
});

test('the verdict on a client that has ended includes missing requests', async () => {
  const [{ here, there, sim }] = stages;
  here.loadScenario({ scenario: { keys: { 'free-key': { usage: { minute: 'all' } } } } });
  here.clearJournal();
  await sim.fetch('/v1/pets', { headers: { authorization: 'Bearer free-key' } });
  expect(here.getVerdict({}).findings).toEqual([]);
  expect(here.getVerdict({ ended: true }).findings).toMatchObject([{ code: 'gave-up' }]);
  expect(await there.getVerdict({ ended: true })).toEqual(here.getVerdict({ ended: true }));
});

test('the verdict has a lag that could have changed it, unless the clock was moved meanwhile', async () => {
  vi.useFakeTimers({ toFake: ['Date', 'performance'] });
  try {
    const [{ here, there, sim }] = stages;
    const usedUp = { minute: 'all' } as const;
    const keys = { 'free-key': { usage: usedUp }, 'pro-key': { plan: 'pro', usage: { minute: 300 } } };
    const send = async (key: string) =>
      void (await sim.fetch('/v1/pets', { headers: { authorization: `Bearer ${key}` } }));
    const start = async () => {
      here.loadScenario({ scenario: { clock: { start: noon }, windows: { minute: '2s' }, keys }, reseed: true });
      here.clearJournal();
      await send('free-key');
      await send('pro-key');
    };
    await start();
    vi.advanceTimersByTime(1_800);
    await send('free-key');
    vi.advanceTimersByTime(500);
    await send('free-key');
    await send('pro-key');
    const { lagMs: none, ...verdict } = here.getVerdict({});
    expect([verdict.outcome, none]).toEqual(['fail', undefined]);
    expect(here.getVerdict({ lagMs: 340 })).toEqual({ ...verdict, lagMs: 340 });
    expect(await there.getVerdict({ lagMs: 340 })).toEqual({ ...verdict, lagMs: 340 });
    expect(here.getVerdict({ lagMs: '120' })).toEqual(verdict);
    // A lag of 340 ms cannot be the reason for the other client's wait of 2.3 s for 2 s: it waited 300 ms in addition.
    expect(here.getVerdict({ key: 'free-key', lagMs: 340 })).toMatchObject({ outcome: 'fail', lagMs: 340 });
    expect(here.getVerdict({ key: 'pro-key', lagMs: 200 }).lagMs).toBeUndefined();

    await start();
    vi.advanceTimersByTime(800);
    here.changeClock({ advance: '1s' });
    await send('free-key');
    expect(here.getVerdict({ lagMs: 340 }).outcome).toBe('fail');
    expect(here.getVerdict({ lagMs: 340 }).lagMs).toBeUndefined();
  } finally {
    vi.useRealTimers();
  }
});

test('the tables above contain every operation', () => {
  const elsewhere: Name[] = ['importState', 'watchRequests', 'watchUpdates', 'exportRun'];
  const done = new Set([...steps.map(([name]) => name), ...elsewhere]);
  expect(Object.keys(controlOperations).filter((name) => !done.has(name as Name))).toEqual([]);
});

test('a changed result does not affect the simulator', () => {
  const [{ here, sim }] = stages;
  const { scenario } = here.getScenario();
  (scenario.keys as Record<string, unknown>).mallory = {};
  here.exportState().pets.length = 0;
  expect(Object.keys(sim.scenario.keys ?? {})).not.toContain('mallory');
  expect(sim.pets.size).toBe(41);
});

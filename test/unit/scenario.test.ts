import { describe, expect, test, vi } from 'vitest';
import { createSimulator, type Scenario, ScenarioError, type Simulator } from '../../src/entries/index.js';
import { defaultScenario } from '../../src/petstore/default-scenario.js';
import { documentedPlans } from '../../src/petstore/document.js';
import { coreOf } from '../../src/simulator/simulator.js';
import { merge } from '../../src/values/plain-data.js';
import { frozen, noonSeconds } from '../support/frozen.js';
import { rate, send, sendTimes } from '../support/plain-call.js';

const { minute: perMinute } = documentedPlans.free;

/** Issues of a rejected scenario, which can have any shape, as from a file. */
function issues(scenario: unknown): Record<string, string> {
  try {
    createSimulator({ scenario: scenario as Scenario });
  } catch (error) {
    expect(error).toBeInstanceOf(ScenarioError);
    return Object.fromEntries((error as ScenarioError).issues.map(({ path, message }) => [path, message]));
  }
  return {};
}

const duration = 'expected a duration such as "500ms", "2s", "5m" or "1d"';
const rex = { name: 'Rex', categoryId: 1 };

// test/scenarios/bad-files.ts has the mistakes that a file can have; these need a value of the language.
describe('an issue is reported with its path', () => {
  test.each<[path: string, message: string, scenario: unknown]>([
    ['', 'expected a map, got null', null],
    ['clock.start', 'expected an instant of the years 1970 to 9999, got -1', { clock: { start: -1 } }],
    ['clock.speed', 'expected a number above 0, got Infinity', { clock: { speed: Number.POSITIVE_INFINITY } }],
    ['ids.start', 'expected a whole number within int64', { ids: { start: 2 ** 53 } }],
    ['pets[0].name', 'expected well-formed Unicode, got "\ud800"', { pets: [{ name: '\ud800', categoryId: 1 }] }],
    [
      'pets.generate',
      'expected a generator: pass { generatePets } from "petstore-sim/seed" to createSimulator',
      { pets: { generate: { sold: 1 } } },
    ],
    ['keys.a.bannedFor', `${duration}, got -1`, { keys: { a: { bannedFor: -1 } } }],
  ])('at %s: %s', (path, message, scenario) => {
    const found = issues(scenario);
    expect(Object.keys(found)).toEqual([path]);
    expect(found[path]).toContain(message);
  });

  test.each(['', 'two words', 'a,b', 'tab\tkey', 'line\nkey'])('at a key that is invalid in a header: %j', (key) => {
    const [path] = Object.keys(issues({ keys: { [key]: {} } }));
    expect(path).toBe(`keys.${key}`);
  });

  test('a limit that contradicts an assumption is rejected', () => {
    const found = (scenario: Scenario) => issues(scenario);
    expect(found({ limits: { windowStart: 'clock' }, assumptions: { windowStart: 'first-request' } })).toEqual({
      'assumptions.windowStart': 'expected the same value as in plans, limits or ban ("clock"), got "first-request"',
    });
    expect(Object.keys(found({ limits: 'off', assumptions: { limitsApply: 'all' } }))).toEqual([
      'assumptions.limitsApply',
    ]);
    expect(Object.keys(found({ ban: { after: 1 }, assumptions: { banAfter: 2 } }))).toEqual(['assumptions.banAfter']);
    const enterprise = { minute: 10, day: 50 };
    expect(
      Object.keys(found({ plans: { enterprise }, assumptions: { enterpriseLimits: { minute: 10, day: 51 } } })),
    ).toEqual(['assumptions.enterpriseLimits']);
    expect(found({ plans: { enterprise }, assumptions: { enterpriseLimits: { day: 50, minute: 10 } } })).toEqual({});
    expect(found({ ban: { after: 1 }, assumptions: { banAfter: 1 } })).toEqual({});
  });

  test('an issue elsewhere is not reported a second time at client.key', () => {
    expect(Object.keys(issues({ plans: { gold: {} }, keys: { k: { plan: 'gold' } }, client: { key: 'k' } }))).toEqual([
      'plans.gold',
    ]);
    expect(Object.keys(issues({ keys: { k: { state: 'lost' } }, client: { key: 'k' } }))).toEqual(['keys.k.state']);
  });

  test('of thousands of unknown keys, a thousand are reported, within seconds', () => {
    const numbers = Array.from({ length: 12_000 }, (_, n) => n);
    const keys = Object.fromEntries(numbers.map((n) => [`some-key-${n}`, {}]));
    const background = Object.fromEntries(numbers.map((n) => [`other-key-${n}`, 1]));
    expect(Object.keys(issues({ keys, background }))).toHaveLength(1_000);
  });

  test('all issues are reported at once, each on a line of the message', () => {
    const scenario = {
      seed: -1,
      petz: 1,
      clock: { mode: 'still' },
      keys: { a: { state: 'lost' } },
      assumptions: { paging: 'scroll' },
    };
    expect(Object.keys(issues(scenario)).sort()).toEqual([
      'assumptions.paging',
      'clock.mode',
      'keys.a.state',
      'petz',
      'seed',
    ]);
    expect(() => createSimulator({ scenario: scenario as unknown as Scenario })).toThrow(
      /^scenario at seed: .*\nscenario at clock\.mode: (?:.|\n)*\nscenario at /,
    );
    const second = {
      keys: { a: { plan: 'gold' }, b: { usage: { minute: perMinute + 1, day: 1001 } } },
      pets: { generate: {} },
    };
    expect(Object.keys(issues(second)).sort()).toEqual([
      'keys.a.plan',
      'keys.b.usage.day',
      'keys.b.usage.minute',
      'pets.generate',
    ]);
  });

  test('a rejected scenario changes nothing', () => {
    expect(issues({ keys: { 'free-key': { plan: 'gold' } } })).not.toEqual({});
    expect(frozen().keys.get('free-key').plan).toBe('free');
  });
});

describe('omitted parts of a scenario', () => {
  test('come from the default scenario: forty pets, five keys', () => {
    const sim = createSimulator();
    expect(sim.name).toBe('default');
    expect(sim.pets.size).toBe(40);
    expect(sim.keys.list().map(({ key }) => key)).toEqual(Object.keys(defaultScenario.keys));
  });

  test('are merged into maps, while lists and single values replace', () => {
    const sim = frozen({
      keys: { alice: { plan: 'pro' }, 'free-key': { usage: { day: 999 } } },
      pets: [rex],
      plans: { free: { minute: 5, day: 1000 } },
    });
    expect(sim.keys.list().map(({ key }) => key)).toContain('alice');
    expect(sim.keys.list()).toHaveLength(Object.keys(defaultScenario.keys).length + 1);
    expect(sim.keys.get('free-key')).toMatchObject({ plan: 'free', minute: { limit: 5 }, day: { remaining: 1 } });
    expect(sim.keys.get('pro-key').minute.limit).toBe(300);
    expect(sim.pets.list().map(({ json }) => json)).toEqual([
      '{"id":1,"name":"Rex","categoryId":1,"status":"available"}',
    ]);
  });

  test('are merged field by field, and undefined keeps the value of the base', () => {
    const base = { a: 1, b: { c: [1, 2], d: 'x' }, e: new Date(0) };
    expect(merge(base, { b: { c: [3] }, e: new Date(1), f: 2 })).toEqual({
      a: 1,
      b: { c: [3], d: 'x' },
      e: new Date(1),
      f: 2,
    });
    expect(merge(base, { a: undefined })).toEqual(base);
    expect(merge(base, undefined)).toBe(base);
    expect(merge(base, { b: 'off' })).toMatchObject({ b: 'off' });
    expect(merge({ b: 'off' }, { b: { d: 1 } })).toEqual({ b: { d: 1 } });
  });

  test('are not changed by the scenarios that use them', () => {
    const before = structuredClone(defaultScenario);
    const sim = frozen({ keys: { 'free-key': { plan: 'pro' } }, categories: [9], assumptions: { paging: 'page' } });
    sendTimes(sim, 3, { body: rex });
    sim.pets.update(1, { name: 'Max' });
    sim.keys.add('alice');
    sim.reset();
    expect(defaultScenario).toEqual(before);
    expect(frozen().keys.get('free-key').plan).toBe('free');
    expect(frozen().settings.paging).toBe('none');
  });

  test('are not added to the given object', () => {
    const scenario: Scenario = {
      keys: { a: { usage: { minute: 1 } } },
      pets: [{ ...rex, id: 5 }],
      limits: { algorithm: 'sliding-log' },
    };
    const before = structuredClone(scenario);
    const sim = frozen(scenario);
    sendTimes(sim, 3, { key: 'a', body: rex });
    sim.pets.remove(5);
    expect(scenario).toEqual(before);
  });
});

describe('a scenario', () => {
  test('assigns the next free id to pets without one', () => {
    const sim = frozen({ pets: [rex, { ...rex, id: 2 }, rex, { ...rex, id: 1 }], ids: { start: 1 } });
    expect(sim.pets.list().map(({ id }) => id)).toEqual([1, 2, 3, 4]);
    expect(send(sim, { body: rex }).body).toContain('"id":5');
  });

  test('assigns the default status to pets without one', () => {
    expect(frozen({ pets: [rex], assumptions: { defaultStatus: 'sold' } }).pets.get(1)?.status).toBe('sold');
    expect(frozen({ pets: [rex], assumptions: { defaultStatus: 'absent' } }).pets.get(1)?.json).toBe(
      '{"id":1,"name":"Rex","categoryId":1}',
    );
  });

  test('passes counts, seed, first id and categories to its generator', () => {
    const generatePets = vi.fn(() => [{ id: 7, name: 'Gen', categoryId: 3 }]);
    const sim = createSimulator({
      scenario: { seed: 5, ids: { start: 7 }, categories: [3, 4n], pets: { generate: { sold: 1 } } },
      generatePets,
    });
    expect(generatePets).toHaveBeenCalledExactlyOnceWith({ sold: 1 }, { seed: 5, firstId: 7, categories: [3, 4] });
    expect(sim.pets.get(7)?.name).toBe('Gen');
    sim.reset();
    expect(generatePets).toHaveBeenCalledOnce();
  });

  test('can define plans and windows', () => {
    const sim = frozen({
      plans: { gold: { minute: 7, day: 70 } },
      windows: { minute: '10s', day: 20_000 },
      keys: { g: { plan: 'gold' } },
    });
    expect(sim.keys.get('g')).toMatchObject({
      minute: { limit: 7, resetAtSeconds: noonSeconds + 10 },
      day: { limit: 70, resetAtSeconds: noonSeconds + 20 },
    });
  });

  test('changes one limit of a documented plan, and keeps the other', () => {
    const sim = frozen({ plans: { free: { minute: 7 }, enterprise: { day: 9_000 } } });
    expect(sim.keys.get('free-key')).toMatchObject({ minute: { limit: 7 }, day: { limit: 1_000 } });
    expect(sim.keys.get('enterprise-key')).toMatchObject({ minute: { limit: 5_000 }, day: { limit: 9_000 } });
    const own = frozen({ assumptions: { enterpriseLimits: { minute: 10, day: 50 } } });
    expect(own.keys.get('enterprise-key')).toMatchObject({ minute: { limit: 10 }, day: { limit: 50 } });
  });

  test('sets the enterprise limits in either place', () => {
    const enterprise = { minute: 10, day: 50 };
    for (const sim of [frozen({ plans: { enterprise } }), frozen({ assumptions: { enterpriseLimits: enterprise } })]) {
      expect(rate(send(sim, { key: 'enterprise-key' })).limit).toBe(10);
      expect(sim.settings.enterpriseLimits).toEqual(enterprise);
    }
  });

  test('sets the free limits that a 401 reports', () => {
    const sim = frozen({ plans: { free: { minute: 5, day: 10 } }, windows: { minute: '7s' } });
    expect(rate(send(sim, { key: null }))).toMatchObject({ limit: 5, remaining: 5, reset: noonSeconds + 7 });
  });
});

/** Complete state of a simulator that requests and tests can observe. */
function visible(sim: Simulator): unknown {
  return structuredClone({ pets: sim.pets.list(), keys: sim.keys.list(), clock: coreOf(sim).state.clock.state() });
}

/** Changes every changeable part of the state. */
function disturb(sim: Simulator): void {
  send(sim, { body: rex });
  sendTimes(sim, 100);
  sim.clock.advance('2s');
  sendTimes(sim, 100);
  send(sim, { key: 'made-up' });
  sim.pets.update(1, { name: 'Max', status: 'sold' });
  sim.pets.remove(2);
  sim.keys.revoke('pro-key');
  sim.keys.ban('business-key', '1h');
  sim.keys.setUsage('enterprise-key', { minute: 4000 });
  sim.keys.add('alice', { plan: 'pro', usage: { minute: 5, day: 6 }, bannedFor: '0s' });
  sim.clock.resume();
}

const everything: Scenario = {
  keys: { banned: { bannedFor: '1h' }, used: { usage: { minute: 5 } } },
  assumptions: { acceptAnyKey: true, listOrder: 'shuffled' },
  clock: { start: '2026-01-01T12:00:00.250Z' },
};

describe('two simulators', () => {
  test('share nothing', () => {
    const untouched = frozen(everything);
    const before = visible(untouched);
    const other = frozen(everything);
    disturb(other);
    expect(visible(untouched)).toEqual(before);
    expect(untouched.clock.now()).not.toBe(other.clock.now());
    expect(send(untouched, { body: rex }).body).toContain('"id":41');
    expect(rate(send(untouched)).remaining).toBe(perMinute - 2);
    expect(rate(send(untouched, { key: 'made-up' })).remaining).toBe(perMinute - 1);
  });

  test('of the same scenario respond with the same bytes', () => {
    const answers = [frozen(everything), frozen(everything)].map((sim) => {
      const calls = [{}, { body: rex }, { query: 'limit=100' }, { path: '/pets/41' }, { key: 'banned' }, { key: null }];
      return calls.map((call) => send(sim, call));
    });
    expect(answers[0]).toEqual(answers[1]);
  });
});

describe('reset', () => {
  test('restores the complete state at the start of the scenario', () => {
    const sim = frozen(everything);
    const before = visible(sim);
    disturb(sim);
    expect(visible(sim)).not.toEqual(before);
    sim.reset();
    expect(visible(sim)).toEqual(before);
    const fresh = frozen(everything);
    for (const call of [{ body: rex }, {}, { key: 'made-up' }, { key: 'used' }, { key: 'banned' }]) {
      expect(send(sim, call)).toEqual(send(fresh, call));
    }
  });
});

describe('a snapshot', () => {
  /** Responses to a sequence of requests that depends on every part of the state. */
  const replay = (sim: Simulator) => {
    const answers = [];
    for (const wait of ['0ms', '1s', '118s', '1h']) {
      sim.clock.advance(wait);
      for (const key of [
        'free-key',
        'pro-key',
        'business-key',
        'enterprise-key',
        'made-up',
        'alice',
        'used',
        'banned',
      ]) {
        answers.push(send(sim, { key }), send(sim, { key, body: rex }));
      }
      answers.push(send(sim, { key: 'other', query: 'limit=100' }));
    }
    return answers;
  };

  test('restores windows, strikes, bans, presets, keys, pets, identifiers and clock, repeatedly', () => {
    const sim = frozen(everything);
    disturb(sim);
    sim.clock.freeze();
    const snapshot = sim.snapshot();
    const before = visible(sim);
    const answers = replay(sim);
    for (let round = 0; round < 2; round++) {
      disturb(sim);
      sim.reset();
      sim.restore(snapshot);
      expect(visible(sim)).toEqual(before);
      expect(replay(sim)).toEqual(answers);
    }
  });

  test('restores strikes within an episode', () => {
    const sim = frozen({ keys: { 'free-key': { usage: { minute: 'all' } } } });
    const strike = () => {
      sim.clock.advance('2s');
      return send(sim).body;
    };
    strike();
    strike();
    strike();
    const snapshot = sim.snapshot();
    expect(strike()).toContain('key_banned');
    sim.restore(snapshot);
    expect(sim.keys.get('free-key')).toMatchObject({ strikes: 2, state: 'active' });
    expect(strike()).toContain('key_banned');
  });

  test('can be restored in another simulator of the same scenario', () => {
    const sim = frozen(everything);
    disturb(sim);
    sim.clock.freeze();
    const other = frozen(everything);
    other.restore(sim.snapshot());
    expect(visible(other)).toEqual(visible(sim));
    expect(replay(other)).toEqual(replay(sim));
  });
});

test('the name of a scenario is rejected with the way to load its content', () => {
  for (const load of [
    () => createSimulator({ scenario: 'minute-wall' as never }),
    () => createSimulator().load('minute-wall' as never),
  ]) {
    expect(load).toThrow(ScenarioError);
    expect(load).toThrow(
      "import it from 'petstore-sim/scenarios/NAME.json', or await readScenario(NAME) of petstore-sim/node",
    );
  }
});

import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { AnyControlOperation } from '../../src/control-api/control-operation.js';
import { jsonPieces } from '../../src/control-api/lazy-result.js';
import { perform, performInSteps } from '../../src/control-api/perform.js';
import { createSimulator, type Scenario } from '../../src/entries/index.js';
import { listen, type RunningServer } from '../../src/entries/node.js';
import { generatePets } from '../../src/entries/seed.js';
import { controlOperations, sandboxOperations } from '../../src/petstore/served-petstore.js';
import { Sandboxes } from '../../src/sandboxes/sandboxes.js';
import { checkInSteps } from '../../src/validation/check-in-steps.js';
import { type JsonValue, jsonText, parseJson } from '../../src/values/json.js';
import { parseJsonInSteps } from '../../src/values/json-in-steps.js';
import { runToEnd, type Steps } from '../../src/values/steps.js';
import { noon } from '../support/frozen.js';

const keyCount = 2_000;
const petCount = 3_000;
const clock = { start: noon, mode: 'frozen' } as const;

const manyKeys = (): NonNullable<Scenario['keys']> =>
  Object.fromEntries(
    Array.from({ length: keyCount }, (_, at) => [`load-key-${at}`, { plan: at % 2 ? 'free' : 'pro' }]),
  );

/** A simulator with large numbers of keys and pets. */
const large = () =>
  createSimulator({ generatePets, scenario: { clock, keys: manyKeys(), pets: { generate: { sold: petCount } } } });

function counted<Result>(steps: Steps<Result>): { count: number; result: () => Result } {
  let count = 0;
  try {
    for (;;) {
      const step = steps.next();
      if (step.done) return { count, result: () => step.value };
      count++;
    }
  } catch (error) {
    return {
      count,
      result: () => {
        throw error;
      },
    };
  }
}

function messageOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error('expected an error, got none');
}

describe('a large input is processed in steps of one key or one pet', () => {
  test('an exported state is created in that many pieces', () => {
    const pieces = [...jsonPieces(runToEnd(performInSteps(controlOperations.exportState, large(), {}, {})))];
    expect(pieces.length).toBeGreaterThan(2 * keyCount + petCount);
    expect(Math.max(...pieces.map((piece) => piece.length))).toBeLessThan(2_000);
  });

  test.each([0, 20])('JSON is read in steps of a few keys or pets, also %i lists deep', (depth) => {
    const text = jsonText(perform(controlOperations.exportState, large(), {}));
    const nested = '['.repeat(depth) + text + ']'.repeat(depth);
    expect(counted(parseJsonInSteps(nested)).count).toBeGreaterThan((2 * keyCount + petCount) / 10);
  });

  test('a sandbox with many keys is created in that many steps, and exists after the last one', () => {
    const judgeFile = () => Promise.reject(new Error('unused'));
    const server = { sim: createSimulator(), origin: '', judgeFile };
    const sandboxes = new Sandboxes(server.sim, () => 0);
    const input = { name: 'large', scenario: { keys: manyKeys() } };
    const steps = performInSteps(sandboxOperations.createSandbox, { ...server, sandboxes }, input, {});
    for (let step = 0; step < keyCount; step++) {
      expect(steps.next().done).toBe(false);
      expect(sandboxes.find('large')).toBeUndefined();
    }
    runToEnd(steps);
    expect(sandboxes.find('large')?.sim.keys.texts.length).toBeGreaterThanOrEqual(keyCount);
  });

  test('a sandbox that another request has created in the meantime is not replaced', () => {
    const sim = createSimulator();
    const sandboxes = new Sandboxes(sim, () => 0);
    const steps = sandboxes.createInSteps('mine', { keys: manyKeys() }, checkInSteps);
    steps.next();
    const first = sandboxes.create('mine');
    expect(() => runToEnd(steps)).toThrow('A sandbox with this name exists already');
    expect(sandboxes.find('mine')).toBe(first);
  });

  test('the keys of an imported state are copied in that many steps, and exist after the last one', () => {
    const sim = createSimulator({ generatePets });
    const state = perform(controlOperations.exportState, large(), {});
    const steps = performInSteps(controlOperations.importState, sim, state, {});
    let last = 0;
    let step = steps.next();
    for (; !step.done; step = steps.next()) {
      last++;
      expect(sim.keys.texts.length).toBeLessThan(10);
    }
    expect(last).toBeGreaterThan(4 * keyCount);
    expect(sim.keys.texts.length).toBeGreaterThanOrEqual(keyCount);
  });

  test('a scenario is checked and resolved in that many steps, and then applied', () => {
    const sim = createSimulator();
    const input = { scenario: { name: 'large', keys: manyKeys() } };
    const steps = performInSteps(controlOperations.loadScenario, sim, input, {});
    // Checked, and read.
    const { count, result } = counted(steps);
    expect(count).toBeGreaterThan(2 * keyCount);
    expect(result()).toMatchObject({ scenario: 'large' });
    expect(sim.keys.get('load-key-1999').plan).toBe('free');
    expect(sim.changes.last.at(-1)?.request).toBe('POST /scenario');
  });

  test('nothing is applied before the last step, or after a mistake in the last key', () => {
    const sim = createSimulator();
    const input = { scenario: { name: 'large', keys: manyKeys() } };
    const steps = performInSteps(controlOperations.loadScenario, sim, input, {});
    for (let step = 0; step < keyCount; step++) steps.next();
    expect(sim.name).toBe('default');
    const keys = { ...manyKeys(), last: { plan: 'none' } };
    const refused = counted(performInSteps(controlOperations.loadScenario, sim, { scenario: { keys } }, {}));
    expect(refused.count).toBeGreaterThan(keyCount);
    expect(refused.result).toThrow('scenario.keys.last.plan: expected a plan');
    expect(sim.name).toBe('default');
  });

  test.each<[string, (state: ExportedState) => unknown, message: string]>([
    [
      'a wrong last key',
      ({ keys }) => Object.assign(keys.at(-1), { plan: 7 }),
      `keys[${keyCount + 4}].plan: expected text, got 7`,
    ],
    ['a key twice', ({ keys }) => keys.push(keys[0]), 'expected each key once, got one twice'],
    ['a field too many', (state) => Object.assign(state, { own: 1 }), 'own: expected a known field'],
    ['a field too few', (state) => Object.assign(state, { clock: undefined }), 'clock: expected a map, got none'],
    [
      'too many keys that requests made up',
      (state) => Object.assign(state, { unlistedKeys: Array(10_001).fill(1) }),
      'expected a list of at most 10,000 keys',
    ],
  ])('a state with %s is refused in as many, as at once', (_, change, message) => {
    const sim = large();
    const state = perform(controlOperations.exportState, sim, {}) as ExportedState;
    change(state);
    const { count, result } = counted(performInSteps(controlOperations.importState, sim, state, {}));
    const atOnce = messageOf(() => perform(controlOperations.importState, sim, state));
    expect(atOnce).toContain(message);
    expect(messageOf(result)).toBe(atOnce);
    expect(count).toBeGreaterThan(message.startsWith('own') ? keyCount + petCount : petCount);
  });
});

// biome-ignore lint/suspicious/noExplicitAny: changed at random
type ExportedState = any;

test('an input has the same result in steps and in one step', () => {
  const operations = [controlOperations.loadScenario, controlOperations.importState] as AnyControlOperation[];
  const state = perform(controlOperations.exportState, large(), {});
  for (const operation of operations) {
    const input = operation === operations[0] ? { scenario: { clock, keys: manyKeys() }, reseed: true } : state;
    const [one, other] = [createSimulator({ generatePets }), createSimulator({ generatePets })];
    expect(runToEnd(performInSteps(operation, one, input, {}))).toEqual(perform(operation, other, input));
    const states = [one, other].map((sim) => perform(controlOperations.exportState, sim, {}));
    expect(states[0]).toEqual(states[1]);
  }
});

test.each([
  ...['[]', '{}', ' [ ] ', '[1,[2,{"a":[{"b":{}}]}], "x" ]', 'true', '-0', '', '[', '[1', '[1,]', '[1}', '{"a"}'],
  ...['{"a" : {"b":{"c":{"d":[1]}}}, "a": 9223372036854775807}', '{"a":1,}', '{a:1}', '[[[[[1}]]]]', '[1] x'],
  ...['"\\ud800"', '['.repeat(40) + ']'.repeat(40)],
])('JSON is read, or refused, in steps as at once: %s', (text) => {
  const outcomeOf = (read: () => JsonValue) => {
    try {
      return { value: read() };
    } catch (error) {
      return { message: (error as Error).message };
    }
  };
  expect(outcomeOf(() => runToEnd(parseJsonInSteps(text)))).toEqual(outcomeOf(() => parseJson(text)));
});

describe('a server handles other requests', () => {
  let server: RunningServer;
  beforeEach(async () => {
    server = await listen(large(), { port: 0 });
    // Express is loaded by now, and not with other requests in between.
    await (await fetch(`${server.controlUrl}/health`)).arrayBuffer();
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    await server.close({ graceMs: 0 });
  });

  /** Number of requests that were answered before a control request. */
  async function answeredDuring(method: string, path: string, body?: string) {
    // A turn has room for two steps, however fast the machine is.
    let nowMs = 0;
    vi.spyOn(performance, 'now').mockImplementation(() => (nowMs += 4.5));
    let isOver = false;
    const asked = fetch(`${server.controlUrl}${path}`, {
      method,
      headers: { 'content-type': 'application/json' },
      ...(body !== undefined && { body }),
    }).then(async (response) => {
      await response.arrayBuffer();
      isOver = true;
      return response.status;
    });
    let answered = 0;
    while (!isOver) {
      await (await fetch(`${server.baseUrl}/pets/1`, { headers: { authorization: 'Bearer pro-key' } })).arrayBuffer();
      if (!isOver) answered++;
    }
    return { answered, status: await asked };
  }

  test('while a large state is refused', async () => {
    const state = { version: 1, pets: Array(5_000).fill({ id: 1, name: 'Rex' }) };
    const { answered, status } = await answeredDuring('PUT', '/state', jsonText(state));
    expect(status).toBe(400);
    expect(answered).toBeGreaterThan(40);
  });

  test.each([
    [
      'a scenario with many keys is loaded',
      'POST',
      '/scenario',
      { scenario: { keys: manyKeys(), description: 'x'.repeat(64 * 1024) } },
    ],
    ['a large state is exported', 'GET', '/state', undefined],
  ] as const)('while %s', { tags: 'extended' }, async (_, method, path, body) => {
    const { answered, status } = await answeredDuring(method, path, body && jsonText(body));
    expect(status).toBe(200);
    expect(answered).toBeGreaterThan(40);
  });
});

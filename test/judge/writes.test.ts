import { describe, expect, test } from 'vitest';
import type { Scenario, Simulator } from '../../src/entries/index.js';
import { judge } from '../../src/entries/verdict.js';
import { isWriteByMethod } from '../../src/requests/request-record.js';
import {
  findingOn,
  wall as longWall,
  type Program,
  ran,
  retryAfter,
  retrying,
  sending,
  verdictOn,
} from '../support/client-lab.js';
import { found } from '../support/findings.js';
import { frozen } from '../support/frozen.js';
import type { PlainCall } from '../support/plain-call.js';

const rex = { body: { name: 'Rex', categoryId: 1 } };
const milo = { body: { name: 'Milo', categoryId: 1 } };
const wall: Scenario = { ...longWall, windows: { minute: '2s' } };
/** The first pet is stored, and its response is lost. */
const lost = (then: NonNullable<Scenario['faults']>[number]['then']): Scenario => ({
  faults: [{ when: { operation: 'createPet', nth: 1 }, then: { phase: 'after', ...then } }],
});
const named = (name: string, body: unknown = rex.body) => ({ body, headers: { 'x-sim-call': name } });

test('the safe methods of RFC 9110, section 9.2.1, write nothing', () => {
  const methods = ['GET', 'HEAD', 'OPTIONS', 'TRACE', 'POST', 'PUT', 'PATCH', 'DELETE'];
  const writing = methods.filter((method) => isWriteByMethod({ operation: 'placeOrder', method }));
  expect(writing).toEqual(['POST', 'PUT', 'PATCH', 'DELETE']);
});

describe('duplicate-write', () => {
  const duplicate = (scenario: Scenario, ...calls: PlainCall[]) =>
    findingOn('duplicate-write', scenario, sending(Array(calls.length - 1).fill(1_000), calls));

  test('finds a write that is repeated blindly after its response was lost', () => {
    expect(duplicate(lost({ reset: true }), rex, rex)).toMatchObject({
      severity: 'fail',
      requests: [1, 2],
      measured: '2 pets stored (41, 42)',
      allowed: '1 pet',
      text: expect.stringContaining(
        'POST /pets was stored, its response was lost, and the same pet was sent again: 2 pets with one body. ',
      ),
    });
  });

  test('finds it after a 5xx, and a cut, malformed or empty response', () => {
    const thens = [
      { respond: { status: 503 } },
      { truncate: { bytes: 3 } },
      { malformed: true },
      { empty: true },
    ] as const;
    for (const then of thens) expect(duplicate(lost(then), rex, {}, rex), JSON.stringify(then)).toBeDefined();
    expect(duplicate(lost({ respond: { status: 503 } }), rex, rex)?.text).toContain('its response was 503');
  });

  test.each<[string, Scenario, ...PlainCall[]]>([
    ['a client that checks and stops', lost({ reset: true }), rex, {}, { query: 'limit=100' }],
    ['a repetition that was refused', { ...lost({ reset: true }), plans: { free: { minute: 1, day: 9 } } }, rex, rex],
    ['a pet that was not stored', lost({ phase: 'before', reset: true }), rex, rex],
    ['another pet', lost({ reset: true }), rex, milo],
    ['another key', lost({ reset: true }), rex, { ...rex, key: 'pro-key' }],
    ['a 429 that stored the pet nevertheless', lost({ respond: { status: 429 } }), rex, rex],
    [
      'a 429 with Retry-After that stored the pet nevertheless',
      lost({ respond: { status: 429, headers: { 'Retry-After': 1 } } }),
      named('one'),
      named('one'),
    ],
    ['a slow but complete response', lost({ drip: { bytes: 8, every: '1s' } }), rex, rex],
    ['intended equal pets', lost({ reset: true }), rex, rex, rex],
    [
      'intended equal pets after a success',
      { faults: [{ when: { nth: 2 }, then: { reset: true, phase: 'after' } }] },
      rex,
      rex,
      rex,
    ],
    ['equal pets of two named calls', {}, named('a'), named('b')],
    ['equal pets of two named calls, the first lost', lost({ reset: true }), named('a'), named('b')],
  ])('spares %s', (_, scenario, ...calls) => {
    expect(duplicate(scenario, ...calls)).toBeUndefined();
  });

  test('finds equal pets under one name', () => {
    expect(duplicate({}, named('a'), named('a'))?.text).toContain('Do not repeat a successful call');
    expect(duplicate(lost({ reset: true }), named('a'), named('a'), named('a'))).toBeDefined();
  });

  const post = (sim: Simulator, init: RequestInit = {}) =>
    sim.fetch('http://petstore.test/v1/pets', {
      ...init,
      method: 'POST',
      headers: { authorization: 'Bearer free-key', 'content-type': 'application/json', ...init.headers },
      body: JSON.stringify(rex.body),
    });

  test('finds a named call that was repeated before its late response', async () => {
    const run = async (call: string) => {
      const sim = frozen(lost({ delay: '10s' }));
      const first = post(sim, { headers: { 'x-sim-call': 'a' } });
      await new Promise(setImmediate);
      sim.clock.advance('2s');
      await post(sim, { headers: { 'x-sim-call': call } });
      sim.clock.advance('8s');
      await first;
      return found(judge(sim), 'duplicate-write')?.requests;
    };
    expect([await run('a'), await run('b')]).toEqual([[1, 2], undefined]);
  });

  test('finds a client that timed out on a slow response and sent the request again', async () => {
    const sim = frozen(lost({ delay: '10s' }));
    const abort = new AbortController();
    const first = post(sim, { signal: abort.signal });
    await new Promise(setImmediate);
    sim.clock.advance('2s');
    abort.abort();
    await expect(first).rejects.toThrow();
    await post(sim);
    expect(found(judge(sim), 'duplicate-write')?.text).toContain('its response was abandoned');
  });
});

describe('lost-write', () => {
  const lostWrite = (scenario: Scenario, program: Program) => findingOn('lost-write', scenario, program);

  test('finds a write that was refused and never sent again', () => {
    expect(lostWrite(wall, sending([], rex))).toMatchObject({
      severity: 'warn',
      requests: [1],
      measured: '1 attempt, all refused',
      text: expect.stringContaining('POST /pets was refused with 429 and then given up'),
    });
    expect(verdictOn({ ...wall, expect: { served: true } }, sending([], rex)).outcome).toBe('fail');
  });

  test('finds a single forgotten write among several', () => {
    expect(lostWrite(wall, sending([0, 2_000], [rex, milo, milo]))?.requests).toEqual([1]);
  });

  test('waits until the client has ended or is late beyond patience', () => {
    const sim = ran(wall, sending([], rex));
    sim.clock.advance('11s');
    expect(found(judge(sim), 'lost-write')).toBeUndefined();
    sim.clock.advance('2s');
    expect(found(judge(sim), 'lost-write')).toBeDefined();
  });

  test('waits while a request is in flight', async () => {
    const sim = ran({ ...wall, faults: [{ then: { delay: '1h' } }] }, sending([], rex));
    sim.clock.advance('5m');
    const abort = new AbortController();
    const slow = sim.fetch('http://petstore.test/v1/pets', {
      headers: { authorization: 'Bearer free-key' },
      signal: abort.signal,
    });
    await new Promise(setImmediate);
    expect(found(judge(sim), 'lost-write')).toBeUndefined();
    abort.abort();
    await expect(slow).rejects.toThrow();
    expect(found(judge(sim), 'lost-write')).toBeDefined();
  });

  test('spares a client that sends the write again, a refused read, and an invalid write', () => {
    const again = retrying((answer) => retryAfter(answer) * 1000, rex);
    expect(lostWrite(wall, again)).toBeUndefined();
    expect(lostWrite(wall, sending([]))).toBeUndefined();
    expect(lostWrite({}, sending([], { body: '{' }))).toBeUndefined();
    expect(verdictOn(wall, sending([])).exercised).not.toContain('lost-write');
  });
});

describe('body-changed', () => {
  const empty: PlainCall = { method: 'POST' };
  const cut: PlainCall = { body: '{"name":"Re' };
  const changed = (first: PlainCall, next: PlainCall, scenario = wall) =>
    findingOn('body-changed', scenario, sending([2_000], [first, next]));

  test('finds an empty body and a cut body', () => {
    expect(changed(rex, empty)).toMatchObject({
      severity: 'fail',
      requests: [1, 2],
      measured: '0 bytes',
      allowed: 'the same 29 bytes',
      text: expect.stringContaining('POST /pets was retried with an empty body.'),
    });
    expect(changed(rex, cut)?.text).toContain('with only the start of its body');
  });

  test('finds another body if the call has a name', () => {
    expect(changed(named('a'), named('a', { name: 'Rex', categoryId: 2 }))?.text).toContain('with another body');
    expect(changed(named('a'), named('a'))).toBeUndefined();
    expect(changed(named('a'), named('b', { name: 'Milo', categoryId: 2 }))).toBeUndefined();
  });

  test('finds it once, at a second retry', () => {
    const { findings } = verdictOn({ ...wall, windows: { minute: '9s' } }, sending([3_000, 6_000], [rex, rex, empty]));
    const found = findings.filter(({ code }) => code === 'body-changed');
    expect(found.map(({ requests }) => requests)).toEqual([[2, 3]]);
  });

  test.each([
    ['a 503', lost({ respond: { status: 503 } })],
    ['a lost response', lost({ reset: true })],
  ])('finds an empty body and a cut body after %s, and no other pet', (_, scenario) => {
    expect(changed(rex, empty, scenario)).toMatchObject({ severity: 'fail', requests: [1, 2] });
    expect(changed(rex, cut, scenario)?.text).toContain('with only the start of its body');
    expect(changed(rex, rex, scenario)).toBeUndefined();
    expect(changed(rex, { body: { name: 'Milo' } }, scenario)).toBeUndefined();
  });

  test.each<[string, PlainCall, PlainCall, Scenario?]>([
    ['equal bodies', rex, rex],
    ['another pet', rex, milo],
    ['an empty first attempt', empty, rex],
    ['an empty first attempt of a named call', { ...named('a'), ...empty, body: undefined }, named('a')],
    ['another key', rex, { ...empty, key: 'pro-key' }],
    ['an empty body after a success', rex, empty, {}],
  ])('spares %s', (_, first, next, scenario) => {
    expect(changed(first, next, scenario)).toBeUndefined();
  });

  test('spares an empty body sent before the refusal was received', () => {
    expect(findingOn('body-changed', wall, sending([], rex), sending([], empty))).toBeUndefined();
  });
});

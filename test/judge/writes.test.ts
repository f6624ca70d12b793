import { describe, expect, test } from 'vitest';
import type { Scenario } from '../../src/index.js';
import { isWriteByMethod } from '../../src/requests/request-record.js';
import { judge } from '../../src/verdict.js';
import { retryAfter, retrying, runPrograms, sending, verdictOn } from '../support/client-lab.js';
import { found } from '../support/findings.js';
import { frozen } from '../support/frozen.js';

const rex = { body: { name: 'Rex', categoryId: 1 } };
const wall: Scenario = { windows: { minute: '2s' }, keys: { 'free-key': { usage: { minute: 60 } } } };
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
  const duplicate = (scenario: Scenario, ...calls: Parameters<typeof sending>[1][]) => {
    const list = calls as Exclude<(typeof calls)[number], undefined>[];
    return found(
      verdictOn(
        scenario,
        sending(Array(calls.length - 1).fill(1_000), (index) => {
          const call = list[index];
          return typeof call === 'function' ? call(index) : (call ?? {});
        }),
      ),
      'duplicate-write',
    );
  };

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
    for (const then of [
      { respond: { status: 503 } },
      { truncate: { bytes: 3 } },
      { malformed: true },
      { empty: true },
    ] as const) {
      expect(duplicate(lost(then), rex, {}, rex), JSON.stringify(then)).toBeDefined();
    }
    expect(duplicate(lost({ respond: { status: 503 } }), rex, rex)?.text).toContain('its response was 503');
  });

  test('spares a client that checks and stops, whose repetition was refused, or whose pet was not stored', () => {
    expect(duplicate(lost({ reset: true }), rex, {}, { query: 'limit=100' })).toBeUndefined();
    expect(duplicate({ ...lost({ reset: true }), plans: { free: { minute: 1, day: 9 } } }, rex, rex)).toBeUndefined();
    expect(duplicate(lost({ phase: 'before', reset: true }), rex, rex)).toBeUndefined();
  });

  test('spares another pet, another key, and a 429 that stored the pet nevertheless', () => {
    expect(duplicate(lost({ reset: true }), rex, { body: { name: 'Milo', categoryId: 1 } })).toBeUndefined();
    expect(duplicate(lost({ reset: true }), rex, { ...rex, key: 'pro-key' })).toBeUndefined();
    expect(duplicate(lost({ respond: { status: 429 } }), rex, rex)).toBeUndefined();
    const lying = lost({ respond: { status: 429, headers: { 'Retry-After': 1 } } });
    expect(duplicate(lying, named('one'), named('one'))).toBeUndefined();
  });

  test('spares a slow but complete response', () => {
    expect(duplicate(lost({ drip: { bytes: 8, every: '1s' } }), rex, rex)).toBeUndefined();
  });

  test('spares intended equal pets, unless the call has a name', () => {
    expect(duplicate(lost({ reset: true }), rex, rex, rex)).toBeUndefined();
    expect(duplicate({ faults: [{ when: { nth: 2 }, then: { reset: true, phase: 'after' } }] }, rex, rex, rex)).toBe(
      undefined,
    );
    expect(duplicate({}, named('a'), named('a'))?.text).toContain('Do not repeat a successful call');
    expect(duplicate({}, named('a'), named('b'))).toBeUndefined();
    expect(duplicate(lost({ reset: true }), named('a'), named('b'))).toBeUndefined();
    expect(duplicate(lost({ reset: true }), named('a'), named('a'), named('a'))).toBeDefined();
  });

  test('finds a named call that was repeated before its late response', async () => {
    const run = async (call: string) => {
      const sim = frozen(lost({ delay: '10s' }));
      const post = (name: string) =>
        sim.fetch('http://petstore.test/v1/pets', {
          method: 'POST',
          headers: { authorization: 'Bearer free-key', 'content-type': 'application/json', 'x-sim-call': name },
          body: JSON.stringify(rex.body),
        });
      const first = post('a');
      await new Promise(setImmediate);
      sim.clock.advance('2s');
      await post(call);
      sim.clock.advance('8s');
      await first;
      return found(judge(sim), 'duplicate-write')?.requests;
    };
    expect(await run('a')).toEqual([1, 2]);
    expect(await run('b')).toBeUndefined();
  });

  test('finds a client that timed out on a slow response and sent the request again', async () => {
    const sim = frozen(lost({ delay: '10s' }));
    const post = (signal?: AbortSignal) =>
      sim.fetch('http://petstore.test/v1/pets', {
        method: 'POST',
        headers: { authorization: 'Bearer free-key', 'content-type': 'application/json' },
        body: JSON.stringify(rex.body),
        ...(signal && { signal }),
      });
    const abort = new AbortController();
    const first = post(abort.signal);
    await new Promise(setImmediate);
    sim.clock.advance('2s');
    abort.abort();
    await expect(first).rejects.toThrow();
    await post();
    expect(found(judge(sim), 'duplicate-write')?.text).toContain('its response was abandoned');
  });
});

describe('lost-write', () => {
  const lostWrite = (scenario: Scenario, ...programs: Parameters<typeof verdictOn>[1][]) =>
    found(verdictOn(scenario, ...programs), 'lost-write');

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
    const milo = { body: { name: 'Milo', categoryId: 1 } };
    const calls = [rex, milo, milo];
    expect(
      lostWrite(
        wall,
        sending([0, 2_000], (index) => calls[index] ?? {}),
      )?.requests,
    ).toEqual([1]);
  });

  test('waits until the client has ended or is late beyond patience', () => {
    const sim = frozen(wall);
    runPrograms(sim, [sending([], rex)]);
    sim.clock.advance('11s');
    expect(found(judge(sim), 'lost-write')).toBeUndefined();
    sim.clock.advance('2s');
    expect(found(judge(sim), 'lost-write')).toBeDefined();
  });

  test('waits while a request is in flight', async () => {
    const sim = frozen({ ...wall, faults: [{ then: { delay: '1h' } }] });
    runPrograms(sim, [sending([], rex)]);
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
    expect(
      lostWrite(
        wall,
        retrying((answer) => retryAfter(answer) * 1000, rex),
      ),
    ).toBeUndefined();
    expect(lostWrite(wall, sending([]))).toBeUndefined();
    expect(lostWrite({}, sending([], { body: '{' }))).toBeUndefined();
    expect(verdictOn(wall, sending([])).exercised).not.toContain('lost-write');
  });
});

describe('body-changed', () => {
  const changed = (first: object, next: object, scenario = wall) =>
    found(
      verdictOn(
        scenario,
        sending([2_000], (index) => (index === 0 ? first : next)),
      ),
      'body-changed',
    );

  test('finds an empty body and a cut body', () => {
    expect(changed(rex, { method: 'POST' })).toMatchObject({
      severity: 'fail',
      requests: [1, 2],
      measured: '0 bytes',
      allowed: 'the same 29 bytes',
      text: expect.stringContaining('POST /pets was retried with an empty body.'),
    });
    expect(changed(rex, { body: '{"name":"Re' })?.text).toContain('with only the start of its body');
  });

  test('finds another body if the call has a name', () => {
    expect(changed(named('a'), named('a', { name: 'Rex', categoryId: 2 }))?.text).toContain('with another body');
    expect(changed(named('a'), named('a'))).toBeUndefined();
    expect(changed(named('a'), named('b', { name: 'Milo', categoryId: 2 }))).toBeUndefined();
  });

  test('finds it once, at a second retry', () => {
    const bodies = [rex, rex, { method: 'POST' }];
    const verdict = verdictOn(
      { ...wall, windows: { minute: '9s' } },
      sending([3_000, 6_000], (index) => bodies[index] ?? {}),
    );
    const codes = verdict.findings.filter(({ code }) => code === 'body-changed');
    expect(codes.map(({ requests }) => requests)).toEqual([[2, 3]]);
  });

  test('finds an empty body and a cut body after a write without a response', () => {
    for (const scenario of [lost({ respond: { status: 503 } }), lost({ reset: true })]) {
      expect(changed(rex, { method: 'POST' }, scenario)).toMatchObject({ severity: 'fail', requests: [1, 2] });
      expect(changed(rex, { body: '{"name":"Re' }, scenario)?.text).toContain('with only the start of its body');
      expect(changed(rex, rex, scenario)).toBeUndefined();
      expect(changed(rex, { body: { name: 'Milo' } }, scenario)).toBeUndefined();
    }
    expect(changed(rex, { method: 'POST' }, {})).toBeUndefined();
  });

  test('spares equal bodies, other pets, and an empty first attempt', () => {
    expect(changed(rex, rex)).toBeUndefined();
    expect(changed(rex, { body: { name: 'Milo', categoryId: 1 } })).toBeUndefined();
    expect(changed({ method: 'POST' }, rex)).toBeUndefined();
  });

  test('spares an empty body sent before the refusal was received, and other keys', () => {
    const burst = verdictOn(wall, sending([], rex), sending([], { method: 'POST' }));
    expect(found(burst, 'body-changed')).toBeUndefined();
    expect(changed(rex, { method: 'POST', key: 'pro-key' })).toBeUndefined();
  });

  test('spares an empty body after a success', () => {
    expect(changed(rex, { method: 'POST' }, {})).toBeUndefined();
  });
});

import { describe, expect, test } from 'vitest';
import type { Scenario } from '../../src/entries/index.js';
import { judge } from '../../src/entries/verdict.js';
import { documentedPlans } from '../../src/petstore/document.js';
import {
  clients,
  findingOn,
  ran,
  retryAfter,
  retrying,
  runPrograms,
  sending,
  verdictOn,
  wall,
} from '../support/client-lab.js';
import { found } from '../support/findings.js';

const { minute: perMinute } = documentedPlans.free;

describe('retried-401', () => {
  const revoked = { key: 'revoked-key' };
  const retried = (waits: readonly number[], call: Parameters<typeof sending>[1] = revoked) =>
    findingOn('retried-401', {}, sending(waits, call));

  test('finds a key that is sent repeatedly after a 401', () => {
    expect(retried([1_100, 1_100, 1_100])).toMatchObject({
      severity: 'fail',
      requests: [1, 2, 3, 4],
      measured: '3 repeats',
      allowed: '1 repeat',
      text: expect.stringContaining('The same key was sent again 3 times after a 401'),
    });
  });

  test('finds it without waits, across all operations', () => {
    expect(retried([1, 1], (index) => ({ ...revoked, query: `limit=${index + 1}` }))).toBeDefined();
  });

  test('finds a key that was revoked during the run', () => {
    const sim = ran({}, sending([10, 10]));
    sim.keys.revoke('free-key');
    runPrograms(sim, [sending([10, 10])]);
    expect(found(judge(sim), 'retried-401')?.requests).toEqual([4, 5, 6]);
  });

  test('spares one repetition, other keys, and a concurrent burst', () => {
    expect(retried([1_100])).toBeUndefined();
    expect(retried([1_100, 1_100, 1_100], (index) => ({ key: `unknown-${index}` }))).toBeUndefined();
    expect(findingOn('retried-401', {}, ...clients(20, () => sending([3], revoked)))).toBeUndefined();
  });

  test('spares a ban with status 401, which belongs to ban-hammered', () => {
    const banned: Scenario = { keys: { 'free-key': { bannedFor: '60s' } }, ban: { status: 401 } };
    const verdict = verdictOn(banned, sending([5_000, 5_000, 5_000]));
    expect([found(verdict, 'retried-401'), found(verdict, 'ban-hammered')?.severity]).toEqual([undefined, 'fail']);
  });
});

describe('gave-up', () => {
  test('reports refused calls that were not sent again', () => {
    const verdict = verdictOn(
      wall,
      sending([], { query: 'limit=1' }),
      sending([], { query: 'limit=2' }),
      sending([30_000], { query: 'limit=3' }),
    );
    expect(found(verdict, 'gave-up')).toMatchObject({
      severity: 'info',
      requests: [1, 2],
      text: expect.stringContaining('GET /pets?limit=1 and 1 other call were refused with 429 and not sent again'),
    });
  });

  test('fails if the scenario requires a successful response', () => {
    const verdict = verdictOn({ ...wall, expect: { served: true } }, sending([]));
    expect([verdict.outcome, found(verdict, 'gave-up')?.severity]).toEqual(['fail', 'fail']);
  });

  test('reports a read without a usable response, but not a write or a repeated read', () => {
    const broken: Scenario = { faults: [{ when: { first: 1 }, then: { respond: { status: 503 } } }] };
    const gaveUp = (waits: number[], call = {}) => findingOn('gave-up', broken, sending(waits, call));
    expect(gaveUp([])?.text).toContain('left without a usable response');
    expect(gaveUp([1_000])).toBeUndefined();
    expect(gaveUp([], { body: { name: 'Rex', categoryId: 1 } })).toBeUndefined();
  });

  test('waits until the client is late beyond patience', () => {
    const sim = ran(wall, sending([]));
    sim.clock.advance('44s');
    expect(found(judge(sim), 'gave-up')).toBeUndefined();
    sim.clock.advance('2s');
    expect(found(judge(sim), 'gave-up')).toBeDefined();
  });

  test('spares concurrent equal callers if one of them retried for all', () => {
    expect(findingOn('gave-up', wall, sending([]), sending([]), sending([30_000]))).toBeUndefined();
  });
});

describe('deprecated-operation', () => {
  test('reports getPet, and warns once it is removed', () => {
    const used = (scenario: Scenario) => findingOn('deprecated-operation', scenario, sending([0], { path: '/pets/1' }));
    expect(used({})).toMatchObject({ severity: 'info', measured: '2 requests' });
    expect(used({ clock: { start: '2030-12-04T23:59:59Z' } })?.severity).toBe('info');
    expect(used({ clock: { start: '2030-12-05T00:00:00Z' } })).toMatchObject({
      severity: 'warn',
      text: expect.stringContaining('was removed on 5 December 2030'),
    });
  });

  test('spares listPets with a status, and paths without an operation', () => {
    const calls = [{ query: 'status=sold' }, { path: '/pets/1/toys' }, { path: '/pets/1', method: 'DELETE' }];
    expect(findingOn('deprecated-operation', {}, sending([0, 0], calls))).toBeUndefined();
  });
});

describe('rounded-int64', () => {
  const large: Scenario = {
    pets: [
      { id: 9007199254740992n, name: 'Even', categoryId: 1, status: 'available' },
      { id: 9007199254740993n, name: 'Odd', categoryId: 9223372036854775807n, status: 'available' },
      { id: 1234567890123456789n, name: 'Long', categoryId: 2, status: 'available' },
    ],
  };
  const sends = (...calls: object[]) => verdictOn(large, sending(Array(calls.length - 1).fill(5), calls));
  const rounded = (...calls: object[]) => found(sends({}, ...calls), 'rounded-int64');
  const withCategory = (digits: string) => ({ body: `{"name":"New","categoryId":${digits}}` });

  test('finds the roundings of JavaScript, of floats with all digits, and of floats with an exponent', () => {
    const roundings = ['9223372036854776000', '9223372036854775808', '9.223372036854776e+18', '9.2233720368547758E18'];
    for (const measured of roundings) {
      const allowed = '9223372036854775807';
      expect(rounded(withCategory(measured)), measured).toMatchObject({ severity: 'fail', measured, allowed });
    }
    expect(rounded({ path: '/pets/1234567890123456800' })?.text).toContain('The service sent 1234567890123456789');
  });

  test('spares exact digits, which exercise the rule', () => {
    const verdict = sends({}, withCategory('9223372036854775807'), { path: '/pets/1234567890123456789' });
    expect([found(verdict, 'rounded-int64'), verdict.exercised.includes('rounded-int64')]).toEqual([undefined, true]);
  });

  test('spares a rounded identifier that the service sent as well', () => {
    const verdict = sends({}, { path: '/pets/9007199254740992' });
    expect([found(verdict, 'rounded-int64'), verdict.exercised.includes('rounded-int64')]).toEqual([undefined, false]);
  });

  test('spares numbers that the service never sent, or sent later', () => {
    expect(rounded({ path: '/pets/4611686018427388000' }, { path: '/pets/12' })).toBeUndefined();
    expect(found(sends(withCategory('9223372036854776000')), 'rounded-int64')).toBeUndefined();
  });
});

describe('proactive', () => {
  const near: Scenario = { windows: { minute: '30s' }, keys: { 'free-key': { usage: { minute: perMinute - 2 } } } };

  const praised = (scenario: Scenario, ...waits: number[]) => findingOn('proactive', scenario, sending(waits));

  test('praises a client that pauses at Remaining 0', () => {
    expect(praised(near, 0, 30_000)).toMatchObject({ severity: 'praise', requests: [2] });
    expect(verdictOn(near, sending([0, 30_000]))).toMatchObject({ outcome: 'pass' });
  });

  test('does not praise a client that is refused, that stops, or that never saw the 0', () => {
    expect(praised({ ...near, background: { 'free-key': 100 } }, 0, 32_000)).toBeUndefined();
    for (const waits of [[0, 0, 30_000], [0], [30_000, 0]]) expect(praised(near, ...waits), `${waits}`).toBeUndefined();
    const writesOnly: Scenario = {
      ...near,
      limits: { appliesTo: ['createPet'] },
      plans: { free: { minute: 59, day: 99 } },
    };
    const mixed = verdictOn(writesOnly, sending([5_000], [{ body: { name: 'Rex', categoryId: 1 } }, {}]));
    expect([mixed.counts.served, found(mixed, 'proactive')]).toEqual([2, undefined]);
  });

  test('is not exercised by an exhausted minute alone', () => {
    expect(verdictOn(near, sending([0])).outcome).toBe('inconclusive');
  });

  test('neither turns a failure into a pass, nor becomes a failure itself', () => {
    const scenario: Scenario = { ...near, expect: { fail: ['proactive'] } };
    expect(verdictOn(scenario, sending([0, 30_000])).outcome).toBe('pass');
    const hasty = retrying((answer) => retryAfter(answer) * 500);
    expect(verdictOn(near, hasty).outcome).toBe('inconclusive');
  });
});

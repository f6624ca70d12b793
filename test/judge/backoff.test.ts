import { describe, expect, test } from 'vitest';
import type { Scenario } from '../../src/entries/index.js';
import {
  wall as banning,
  clients,
  findingOn,
  later,
  obeying,
  retrying,
  sending,
  stubborn,
  verdictOn,
} from '../support/client-lab.js';
import { found } from '../support/findings.js';
import { createRandom } from '../support/random.js';

const wall: Scenario = { ...banning, ban: 'off' };
const different = (index: number) => ({ query: `limit=${index + 1}` });

describe('no-backoff-growth', () => {
  const flat = (waits: readonly number[], scenario = stubborn) =>
    findingOn('no-backoff-growth', scenario, sending(waits));

  test('finds a client that retries every second after each refusal', () => {
    expect(flat([1_000, 1_000, 1_000])).toMatchObject({
      severity: 'warn',
      requests: [1, 2, 3, 4],
      measured: 'waits grew by a factor of 1.00',
      allowed: 'a factor of at least 1.5',
      text: expect.stringContaining(
        'Refused 4 times in a row, with about the same wait each time (0 ms, 0 ms, 0 ms on',
      ),
    });
  });

  const silent: Scenario = { ...wall, hostileHeaders: { html: true } };

  test('measures the whole wait if Retry-After is missing', () => {
    expect(flat([1_000, 1_000], silent)?.text).toContain('(1.0 s, 1.0 s). Double');
  });

  test.each<[string, number[], Scenario?]>([
    ['waits that differ little', [1_500, 1_450, 1_600]],
    ['waits without Retry-After that grow little', [2_030, 2_020, 2_700], silent],
    ['waits without Retry-After that shrink', [2_030, 1_200, 2_100, 2_000], silent],
    ['a loop without waits if Retry-After is 0', [1, 1, 1], { ...wall, hostileHeaders: { retryAfter: 'zero' } }],
  ])('finds %s', (_, waits, scenario) => {
    expect(flat(waits, scenario)).toBeDefined();
  });

  test.each<[string, number[], Scenario?]>([
    ['doubling waits', [1_000, 2_000, 4_000]],
    ['growing waits with jitter', [1_200, 1_900, 4_400, 7_000]],
    ['growing waits that start anew', [1_200, 3_000, 6_000, 1_300]],
    ['waits that stop growing at a maximum', [1_000, 2_000, ...Array(12).fill(4_000)]],
    ['doubling waits without Retry-After', [1_000, 2_000], silent],
    ['a wait without Retry-After that doubles after two', [2_030, 2_020, 4_030], silent],
    ['such waits up to a maximum', [2_030, 2_020, 4_030, 4_000, 4_040], silent],
    ['refusals of retries that were a moment early', [29_960, 5, 5, 5], wall],
    ['too short waits, which belong to early-retry', [1_000, 1_000, 1_000, 1_000], wall],
  ])('spares %s', (_, waits, scenario) => {
    expect(flat(waits, scenario)).toBeUndefined();
  });

  test('finds one such call among several', () => {
    const calls = [0, 1, 0, 1, 0, 1].map(different);
    const finding = findingOn('no-backoff-growth', stubborn, sending(Array(5).fill(1_000), calls));
    expect(finding?.requests).toHaveLength(3);
  });

  test('spares two refusals, which prove nothing', () => {
    const verdict = verdictOn(stubborn, sending([1_000]));
    expect(found(verdict, 'no-backoff-growth')).toBeUndefined();
    expect(verdict.exercised).not.toContain('no-backoff-growth');
  });

  test('reports no negative waits', () => {
    const verdict = verdictOn(stubborn, sending([200, 1_000, 1_000]));
    expect(found(verdict, 'no-backoff-growth')?.text).toContain('(0 ms, 0 ms on top of Retry-After)');
    for (const { text, measured } of verdict.findings) expect(text + measured).not.toMatch(/(?<![0-9])-[0-9]/);
    expect(found(verdict, 'early-retry')).toBeDefined();
  });

  test('fails if the scenario names it', () => {
    const verdict = verdictOn({ ...stubborn, expect: { fail: ['no-backoff-growth'] } }, sending([1_000, 1_000]));
    expect([verdict.outcome, found(verdict, 'no-backoff-growth')?.severity]).toEqual(['fail', 'fail']);
  });
});

describe('no-jitter', () => {
  /** Callers that are refused together, and retry after individual waits. */
  const herd = (waits: readonly number[], startGapMs = 0) =>
    findingOn(
      'no-jitter',
      wall,
      ...waits.map((ms, index) => later(index * startGapMs, sending([ms], different(index)))),
    );

  test('finds five callers that retry at the same moment', () => {
    expect(herd([30_000, 30_000, 30_010, 30_020, 30_040])).toMatchObject({
      severity: 'warn',
      requests: [6, 7, 8, 9, 10],
      text: expect.stringMatching(
        /^5 waiting calls retried within 40 ms of each other\. Add a random time to each wait/,
      ),
    });
  });

  test('does not confuse later callers with those that waited', () => {
    const waiting = clients(5, (index) => sending([30_000], different(index)));
    const latecomers = [1, 2, 3].map((n) => later(40_000 * n, sending([], different(n))));
    expect(findingOn('no-jitter', wall, ...waiting, ...latecomers)?.requests).toEqual([6, 7, 8, 9, 10]);
  });

  test('counts at most as many callers as the scenario has', () => {
    const judged = (parallel: number) => {
      const four: Scenario = { ...wall, client: { key: 'free-key', calls: 8, parallel } };
      return findingOn('no-jitter', four, ...clients(4, () => sending([900, 31_000, 3])));
    };
    expect(judged(4)).toBeUndefined();
    // Eight callers may have waited.
    expect(judged(8)?.requests).toHaveLength(8);
  });

  test('finds callers with equal waits after refusals one after the other', () => {
    const finding = herd(Array(6).fill(30_000), 100);
    expect(finding?.text).toContain('6 waiting calls waited the same 30.0 s');
  });

  test.each([
    ['callers with different waits', [30_000, 30_300, 30_100, 31_000, 30_700]],
    ['four callers', [30_000, 30_000, 30_000, 30_000]],
    ['a burst of new calls long after the wait', [90_000, 93_000, 91_000, 97_000, 95_000]],
  ])('spares %s', (_, waits) => {
    expect(herd(waits)).toBeUndefined();
  });

  test('spares sequential requests on one connection', () => {
    const six = Array.from({ length: 12 }, (_, at) => different(at % 6));
    const queue = sending([...Array(5).fill(0), 30_000, ...Array(5).fill(5)], six);
    expect(findingOn('no-jitter', wall, queue)).toBeUndefined();
  });

  test('is exercised by five callers, and fails if the scenario names it', () => {
    const callers = (count: number, scenario = wall) => verdictOn(scenario, ...clients(count, () => obeying));
    expect(callers(4).exercised).not.toContain('no-jitter');
    expect(callers(5).exercised).toContain('no-jitter');
    expect(callers(5).outcome).toBe('pass');
    expect(callers(5, { ...wall, expect: { fail: ['no-jitter'] } }).outcome).toBe('fail');
  });
});

describe('retry-storm', () => {
  const storm = (waits: readonly number[]) => findingOn('retry-storm', stubborn, sending(waits));

  test('finds more than six attempts of one call, and only warns if each came after its wait', () => {
    expect(storm(Array(6).fill(1_000))).toMatchObject({
      severity: 'warn',
      measured: '7 attempts',
      allowed: '6 attempts',
      text: expect.stringMatching(
        /^GET \/pets was tried 7 times within 6\.0 s .*Each retry came after its required wait\./,
      ),
    });
    expect(storm([...Array(5).fill(1_000), 900])).toMatchObject({
      severity: 'fail',
      text: expect.not.stringContaining('Each retry came'),
    });
  });

  test.each<[string, number, Record<string, string | null>, string | undefined]>([
    ['a refusal by another status', 403, { 'Retry-After': '2' }, 'warn'],
    ['an outage', 503, { 'Retry-After': '2' }, 'warn'],
    ['a reset time', 429, { 'Retry-After': null, 'X-RateLimit-Reset': '2' }, 'warn'],
  ])('only warns after the promised waits of %s', (_, status, headers, severity) => {
    const scenario: Scenario = { ban: 'off', faults: [{ then: { respond: { status, headers } } }] };
    const verdict = verdictOn(scenario, sending(Array(8).fill(2_100)));
    expect([verdict.outcome, found(verdict, 'retry-storm')?.severity]).toEqual([
      expect.not.stringMatching('fail'),
      severity,
    ]);
  });

  test.each<[string, string, number, string, Scenario['expect']?]>([
    ['only warns of an obedient client', '1', 1_000, 'warn'],
    ['fails for an obedient client if the scenario names it', '1', 1_100, 'fail', { fail: ['retry-storm'] }],
    ['fails without waits if the service asks for none', '0', 20, 'fail'],
    ['fails if the service asks for no wait', '0', 1_100, 'fail'],
    ['fails if the service asks for less than a second', '0.9', 1_000, 'fail'],
  ])('%s', (_, text, ms, severity, expected = {}) => {
    const faults = [{ then: { respond: { status: 429, headers: { 'Retry-After': text } } } }];
    const finding = findingOn('retry-storm', { ban: 'off', expect: expected, faults }, sending(Array(20).fill(ms)));
    expect(finding?.severity).toBe(severity);
  });

  test.each<[string, number, number, string]>([
    ['a second on average', 0.5, 2, 'warn'],
    ['less than a second on average', 1, 0.5, 'fail'],
  ])('judges obeyed waits of %s', (_, usual, third, severity) => {
    const refusal = (seconds: number) => ({ respond: { status: 429, headers: { 'Retry-After': String(seconds) } } });
    const faults = [{ when: { every: 3 }, then: refusal(third) }, { then: refusal(usual) }];
    const waits = Array.from({ length: 12 }, (_, at) => 1_000 * (at % 3 === 2 ? third : usual));
    expect(findingOn('retry-storm', { ban: 'off', faults }, sending(waits))?.severity).toBe(severity);
  });

  describe('in a scenario that names it', () => {
    const named: Scenario = {
      ...stubborn,
      windows: { minute: '1s' },
      client: { key: 'free-key' },
      expect: { fail: ['no-backoff-growth', 'retry-storm'] },
    };
    const eight: Scenario = {
      ...named,
      faults: [{ then: { respond: { status: 429, headers: { 'Retry-After': 1 } }, countsQuota: false, failTimes: 8 } }],
    };
    const random = createRandom(7);

    test.each<[string, readonly number[]]>([
      ['doubles its waits', [1, 2, 4, 8, 16, 16, 16, 16]],
      ['waits 1.6 times as long each time', [1, 1.6, 2.6, 4.1, 6.6, 10.5, 16.8, 26.8]],
      ['adds a growing wait to Retry-After', [1.1, 1.2, 1.4, 1.8, 2.6, 4.2, 7.4, 13.8]],
      ['has its longest wait soon', [1, 2, 2, 2, 2, 2, 2, 2]],
      ['adds a random part', [1.7, 2.2, 3.9, 6.1, 12, 10.4, 16.2, 14]],
      ['waits at random up to a growing maximum', [1.3, 1.2, 3.1, 2.2, 9.1, 5.4, 14, 8.8]],
    ])('passes a client that obeys and %s', (_, seconds) => {
      const verdict = verdictOn(eight, sending(seconds.map((each) => each * 1_000)));
      expect([verdict.outcome, found(verdict, 'retry-storm')?.severity]).toEqual(['pass', 'warn']);
      expect(found(verdict, 'retry-storm')?.text).toContain('the waits grew');
    });

    test.each<[string, (at: number) => number]>([
      ['of a growing backoff', (at) => 500 * 2 ** at],
      ['up to a low maximum', () => 1_500],
    ])('passes random waits %s, whatever they are', (_, maximumMs) => {
      for (let run = 0; run < 200; run++) {
        const waits = Array.from({ length: 8 }, (_, at) => 1_000 + random.below(maximumMs(at)));
        const verdict = verdictOn(eight, sending(waits));
        const isFlat = verdict.findings.some(({ code }) => code === 'no-backoff-growth');
        expect([waits, isFlat || verdict.outcome === 'pass']).toEqual([waits, true]);
      }
    });

    test.each<[string, readonly number[]]>([
      ['waits a second each time', Array(8).fill(1)],
      ['retries in three layers', [1, 2, 1.5, 1, 2, 1.5, 1, 2]],
      ['retries in three layers, with long inner waits', [1.1, 4, 2, 1.1, 4, 2, 1.1, 4]],
      ['retries in two layers', [1, 2, 3, 1, 2, 3, 1, 2]],
      ['does not wait once', [1, 2, 4, 8, 0.5, 16, 16, 16]],
    ])('fails a client that %s', (_, seconds) => {
      expect(verdictOn(eight, sending(seconds.map((each) => each * 1_000))).outcome).toBe('fail');
      expect(verdictOn(named, sending(seconds.map((each) => each * 1_000))).outcome).toBe('fail');
    });

    test.each<[string, number]>([
      ['the first retry', 1],
      ['the third retry', 3],
    ])('passes a client that gives up after %s', (_, retries) => {
      const waits = [1_000, 2_000, 4_000].slice(0, retries);
      expect(verdictOn(eight, sending(waits)).outcome).toBe('pass');
    });
  });

  test('spares six attempts, and further ones after a success', () => {
    expect(storm(Array(5).fill(1_000))).toBeUndefined();
    const served: Scenario = {
      ...stubborn,
      faults: [{ when: { every: 2 }, then: stubborn.faults?.[0]?.then as never }],
    };
    expect(findingOn('retry-storm', served, sending(Array(20).fill(1_000)))).toBeUndefined();
  });

  test('spares concurrent equal calls, and finds them if each has too many attempts', () => {
    const callers = (attempts: number) =>
      findingOn('retry-storm', stubborn, ...clients(10, () => retrying(() => 1_100, {}, attempts)));
    expect(callers(5)).toBeUndefined();
    expect(callers(8)?.measured).toBe('8 attempts');
  });

  test('spares ten different sequential calls', () => {
    expect(findingOn('retry-storm', stubborn, sending(Array(9).fill(1_100), different))).toBeUndefined();
  });

  test('counts attempts per call name if the call has one', () => {
    const named = (index: number) => ({ headers: { 'x-sim-call': `call-${index % 4}` } });
    expect(findingOn('retry-storm', stubborn, sending(Array(11).fill(1_000), named))).toBeUndefined();
    expect(findingOn('retry-storm', stubborn, sending(Array(27).fill(1_000), named))).toBeDefined();
  });
});

describe('no-shared-gate', () => {
  /** Besides one that is sent together with the first, so that the client is known to run calls side by side. */
  const gate = (...programs: ReturnType<typeof sending>[]) =>
    findingOn('no-shared-gate', wall, ...programs, sending([], different(99)));
  const other = (ms: number, at: number) => later(ms, sending([], different(at)));

  test('finds calls sent while another call waits', () => {
    expect(gate(sending([30_000]), other(5_000, 1), other(9_000, 2))).toMatchObject({
      severity: 'warn',
      requests: [3, 4],
      measured: '2 other calls during the wait',
      text: expect.stringContaining(
        'Another call with the same key was sent twice during the wait after a 429, the first 25.0 s',
      ),
    });
  });

  test('leaves sequential calls of one client to early-retry', () => {
    const verdict = verdictOn(wall, sending([5, 5, 5], different));
    expect(found(verdict, 'no-shared-gate')).toBeUndefined();
    expect(found(verdict, 'early-retry')?.requests).toEqual([2, 3, 4]);
  });

  test('finds named calls, even if sequential', () => {
    const named = (index: number) => ({ headers: { 'x-sim-call': `call-${index}` } });
    expect(findingOn('no-shared-gate', wall, sending([5, 5], named))?.requests).toEqual([2, 3]);
  });

  test('finds calls of another client with the same key', () => {
    const python = { headers: { 'user-agent': 'python' } };
    const verdict = verdictOn(wall, sending([30_000]), later(5_000, sending([], python)));
    expect(found(verdict, 'no-shared-gate')).toMatchObject({ severity: 'warn', requests: [2] });
    expect(found(verdict, 'early-retry')).toBeUndefined();
  });

  test('spares requests in flight, requests after the wait, and other keys', () => {
    expect(gate(sending([30_000]), other(0, 1), other(900, 2), other(30_000, 3))).toBeUndefined();
    expect(gate(sending([30_000]), later(5_000, sending([], { key: 'pro-key' })))).toBeUndefined();
  });

  test('spares early retries of the call itself, which belong to early-retry', () => {
    expect(gate(sending([5_000]))).toBeUndefined();
  });

  test('is exercised by two different calls, and fails if the scenario names it', () => {
    expect(verdictOn(wall, sending([30_000])).exercised).not.toContain('no-shared-gate');
    const two = [sending([30_000]), sending([30_000], different)];
    expect(verdictOn(wall, ...two).exercised).toContain('no-shared-gate');
    const strict: Scenario = { ...wall, expect: { fail: ['no-shared-gate'] } };
    expect(verdictOn(strict, sending([30_000]), sending([5_000], different)).outcome).toBe('fail');
  });
});

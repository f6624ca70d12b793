import { describe, expect, test } from 'vitest';
import type { Scenario } from '../../src/index.js';
import { type Lab, type Program, retryAfter, retrying, sending, verdictOn } from '../support/client-lab.js';
import { found } from '../support/findings.js';

/** Refuses every call, with a Retry-After of one second. */
const stubborn: Scenario = {
  ban: 'off',
  faults: [{ then: { respond: { status: 429, headers: { 'Retry-After': 1 } }, countsQuota: false } }],
};
const wall: Scenario = { windows: { minute: '30s' }, keys: { 'free-key': { usage: { minute: 60 } } }, ban: 'off' };
const different = (index: number) => ({ query: `limit=${index + 1}` });

describe('no-backoff-growth', () => {
  const flat = (waits: readonly number[], scenario = stubborn) =>
    found(verdictOn(scenario, sending(waits)), 'no-backoff-growth');

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
    expect(flat([1_500, 1_450, 1_600])).toBeDefined();
  });

  test('measures the whole wait if Retry-After is missing', () => {
    const silent: Scenario = { ...wall, hostileHeaders: { html: true } };
    expect(flat([1_000, 1_000], silent)?.text).toContain('(1.0 s, 1.0 s). Double');
    expect(flat([1_000, 2_000], silent)).toBeUndefined();
    expect(flat([2_030, 2_020, 4_030], silent)).toBeUndefined();
    expect(flat([2_030, 2_020, 4_030, 4_000, 4_040], silent)).toBeUndefined();
    expect(flat([2_030, 2_020, 2_700], silent)).toBeDefined();
    expect(flat([2_030, 1_200, 2_100, 2_000], silent)).toBeDefined();
  });

  test('finds a loop without waits if Retry-After is 0', () => {
    expect(flat([1, 1, 1], { ...wall, hostileHeaders: { retryAfter: 'zero' } })).toBeDefined();
  });

  test('finds one such call among several', () => {
    const calls = [0, 1, 0, 1, 0, 1];
    const verdict = verdictOn(
      stubborn,
      sending(Array(5).fill(1_000), (index) => different(calls[index] ?? 0)),
    );
    expect(found(verdict, 'no-backoff-growth')?.requests).toHaveLength(3);
  });

  test('spares waits that grow, with jitter, and that stop growing at a maximum', () => {
    expect(flat([1_000, 2_000, 4_000])).toBeUndefined();
    expect(flat([1_200, 1_900, 4_400, 7_000])).toBeUndefined();
    expect(flat([1_200, 3_000, 6_000, 1_300])).toBeUndefined();
    expect(flat([1_000, 2_000, ...Array(12).fill(4_000)])).toBeUndefined();
  });

  test('spares two refusals, which prove nothing', () => {
    const verdict = verdictOn(stubborn, sending([1_000]));
    expect(found(verdict, 'no-backoff-growth')).toBeUndefined();
    expect(verdict.exercised).not.toContain('no-backoff-growth');
  });

  test('does not count refusals of retries that were a moment early', () => {
    expect(flat([29_960, 5, 5, 5], { ...wall, windows: { minute: '30s' } })).toBeUndefined();
  });

  test('leaves too short waits to early-retry, and reports no negative waits', () => {
    expect(flat([1_000, 1_000, 1_000, 1_000], wall)).toBeUndefined();
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
    found(
      verdictOn(
        wall,
        ...waits.map(
          (ms, index) =>
            function* ({ send }: Lab) {
              yield index * startGapMs;
              send(different(index));
              yield ms;
              send(different(index));
            },
        ),
      ),
      'no-jitter',
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
    const waiting = Array.from({ length: 5 }, (_, index) => sending([30_000], different(index)));
    const later = [1, 2, 3].map(
      (n): Program =>
        function* ({ send }) {
          yield 40_000 * n;
          send(different(n));
        },
    );
    expect(found(verdictOn(wall, ...waiting, ...later), 'no-jitter')?.requests).toEqual([6, 7, 8, 9, 10]);
  });

  test('counts at most as many callers as the scenario has', () => {
    const four = (parallel: number): Scenario => ({ ...wall, client: { key: 'free-key', calls: 8, parallel } });
    const program = sending([900, 31_000, 3]);
    const judged = (parallel: number) =>
      found(verdictOn(four(parallel), program, program, program, program), 'no-jitter');
    expect(judged(4)).toBeUndefined();
    // Eight callers may have waited.
    expect(judged(8)?.requests).toHaveLength(8);
  });

  test('finds callers with equal waits after refusals one after the other', () => {
    const finding = herd(Array(6).fill(30_000), 100);
    expect(finding?.text).toContain('6 waiting calls waited the same 30.0 s');
  });

  test('spares callers with different waits, four callers, and sequential requests on one connection', () => {
    expect(herd([30_000, 30_300, 30_100, 31_000, 30_700])).toBeUndefined();
    expect(herd([30_000, 30_000, 30_000, 30_000])).toBeUndefined();
    const queue = verdictOn(
      wall,
      sending([...Array(5).fill(0), 30_000, ...Array(5).fill(5)], (at) => different(at % 6)),
    );
    expect(found(queue, 'no-jitter')).toBeUndefined();
  });

  test('spares a burst of new calls long after the wait', () => {
    expect(herd([90_000, 93_000, 91_000, 97_000, 95_000])).toBeUndefined();
  });

  test('is exercised by five callers, and fails if the scenario names it', () => {
    const callers = (count: number, scenario = wall) =>
      verdictOn(scenario, ...Array.from({ length: count }, () => retrying((answer) => retryAfter(answer) * 1000)));
    expect(callers(4).exercised).not.toContain('no-jitter');
    expect(callers(5).exercised).toContain('no-jitter');
    expect(callers(5).outcome).toBe('pass');
    expect(callers(5, { ...wall, expect: { fail: ['no-jitter'] } }).outcome).toBe('fail');
  });
});

describe('retry-storm', () => {
  const storm = (waits: readonly number[]) => found(verdictOn(stubborn, sending(waits)), 'retry-storm');

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

  test('only warns after the promised waits of a ban, of an outage, and of a reset time', () => {
    const answers: [number, Record<string, string | null>][] = [
      [403, { 'Retry-After': '2' }],
      [503, { 'Retry-After': '2' }],
      [429, { 'Retry-After': null, 'X-RateLimit-Reset': '2' }],
    ];
    for (const [status, headers] of answers) {
      const scenario: Scenario = { ban: 'off', faults: [{ then: { respond: { status, headers } } }] };
      const isPlain = status === 403;
      const verdict = verdictOn(scenario, sending(Array(8).fill(2_100)));
      if (!isPlain) expect(found(verdict, 'retry-storm')?.severity, String(status)).toBe('warn');
      expect(verdict.outcome, String(status)).not.toBe('fail');
    }
  });

  test('fails for an obedient client if the scenario names it, or if the service asks for less than a second', () => {
    const asking = (text: string, expect: Scenario['expect'] = {}) => ({
      ban: 'off' as const,
      expect,
      faults: [{ then: { respond: { status: 429, headers: { 'Retry-After': text } } } }],
    });
    const severityOf = (scenario: Scenario, ms: number) =>
      found(verdictOn(scenario, sending(Array(20).fill(ms))), 'retry-storm')?.severity;
    expect(severityOf(asking('1', { fail: ['retry-storm'] }), 1_100)).toBe('fail');
    expect(severityOf(asking('0'), 20)).toBe('fail');
    expect(severityOf(asking('0'), 1_100)).toBe('fail');
    expect(severityOf(asking('0.9'), 1_000)).toBe('fail');
    expect(severityOf(asking('1'), 1_000)).toBe('warn');
  });

  test('spares six attempts, and further ones after a success', () => {
    expect(storm(Array(5).fill(1_000))).toBeUndefined();
    const served: Scenario = {
      ...stubborn,
      faults: [{ when: { every: 2 }, then: stubborn.faults?.[0]?.then as never }],
    };
    expect(found(verdictOn(served, sending(Array(20).fill(1_000))), 'retry-storm')).toBeUndefined();
  });

  test('spares concurrent equal calls, and finds them if each has too many attempts', () => {
    const callers = (attempts: number) =>
      verdictOn(stubborn, ...Array.from({ length: 10 }, () => retrying(() => 1_100, {}, attempts)));
    expect(found(callers(5), 'retry-storm')).toBeUndefined();
    expect(found(callers(8), 'retry-storm')?.measured).toBe('8 attempts');
  });

  test('spares ten different sequential calls', () => {
    expect(found(verdictOn(stubborn, sending(Array(9).fill(1_100), different)), 'retry-storm')).toBeUndefined();
  });

  test('counts attempts per call name if the call has one', () => {
    const named = (index: number) => ({ headers: { 'x-sim-call': `call-${index % 4}` } });
    expect(found(verdictOn(stubborn, sending(Array(11).fill(1_000), named)), 'retry-storm')).toBeUndefined();
    expect(found(verdictOn(stubborn, sending(Array(27).fill(1_000), named)), 'retry-storm')).toBeDefined();
  });
});

describe('no-shared-gate', () => {
  /** Besides one that is sent together with the first, so that the client is known to run calls side by side. */
  const gate = (...programs: ReturnType<typeof sending>[]) =>
    found(verdictOn(wall, ...programs, sending([], different(99))), 'no-shared-gate');
  const later = (ms: number, at: number) =>
    function* ({ send }: Lab) {
      yield ms;
      send(different(at));
    };

  test('finds calls sent while another call waits', () => {
    expect(gate(sending([30_000]), later(5_000, 1), later(9_000, 2))).toMatchObject({
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
    expect(found(verdictOn(wall, sending([5, 5], named)), 'no-shared-gate')?.requests).toEqual([2, 3]);
  });

  test('finds calls of another client with the same key', () => {
    const python = { headers: { 'user-agent': 'python' } };
    const verdict = verdictOn(wall, sending([30_000]), function* ({ send }) {
      yield 5_000;
      send(python);
    });
    expect(found(verdict, 'no-shared-gate')).toMatchObject({ severity: 'warn', requests: [2] });
    expect(found(verdict, 'early-retry')).toBeUndefined();
  });

  test('spares requests in flight, requests after the wait, and other keys', () => {
    expect(gate(sending([30_000]), later(0, 1), later(900, 2), later(30_000, 3))).toBeUndefined();
    const other = function* ({ send }: Lab) {
      yield 5_000;
      send({ key: 'pro-key' });
    };
    expect(gate(sending([30_000]), other)).toBeUndefined();
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

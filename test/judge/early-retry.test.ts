import { describe, expect, test } from 'vitest';
import type { Scenario } from '../../src/index.js';
import { judgeRun } from '../../src/judge/judge-run.js';
import type { RequestRecord } from '../../src/requests/request-record.js';
import { judge } from '../../src/verdict.js';
import { type Program, retryAfter, retrying, runPrograms, sending, verdictOn } from '../support/client-lab.js';
import { found } from '../support/findings.js';
import { frozen, noonSeconds } from '../support/frozen.js';
import { type PlainCall, send } from '../support/plain-call.js';

/** The minute is exhausted, for another 45 seconds. */
const wall: Scenario = {
  windows: { minute: '45s' },
  keys: { 'free-key': { usage: { minute: 60 } } },
  ban: 'off',
};
const early = (waits: readonly number[], scenario: Scenario = wall) =>
  found(verdictOn(scenario, sending(waits)), 'early-retry');

describe('early-retry', () => {
  test('names the cap of a client that waits 10 s instead of 45 s', () => {
    const finding = early([10_000, 10_000, 10_000]);
    expect(finding).toMatchObject({
      severity: 'fail',
      at: '2026-01-01T12:00:10.000Z',
      requests: [2, 3, 4],
      measured: '10.0 s waited',
      allowed: 'at least 45.0 s',
    });
    expect(finding?.text).toBe(
      'Retried up to 35.0 s before Retry-After allowed, 3 times in a row after exactly 10.0 s: looks like a cap of 10 s, or a fixed wait. Wait for the full Retry-After, plus a random time.',
    );
  });

  test('spares who trusts Reset where Retry-After must be milliseconds or a Unix time, and no other who is refused after Reset', () => {
    const banned: Scenario = {
      keys: { 'free-key': { bannedFor: '30s', usage: { minute: 60 } } },
      windows: { minute: '2m' },
    };
    for (const retryAfter of ['milliseconds', 'epoch'] as const) {
      const scenario: Scenario = { ...banned, hostileHeaders: { retryAfter, reset: 'skewed' } };
      expect(early([80_000], scenario)).toBeUndefined();
      expect(early([10_000], scenario)).toBeDefined();
    }
    expect(early([80_000], { ...banned, hostileHeaders: { reset: 'skewed' } })).toMatchObject({
      severity: 'fail',
    });
  });

  test("names a fixed wait, a backoff of the client's own, and waits without a pattern", () => {
    expect(early([1_000, 1_000, 1_000])?.text).toContain(
      '3 times in a row after exactly 1.0 s: looks like a fixed wait of 1 s, or a cap',
    );
    expect(early([1_000, 1_000])?.text).toContain('twice in a row after exactly 1.0 s. Wait');
    expect(early([1_000, 2_000, 4_000])?.text).toContain(
      'after 1.0 s, 2.0 s, 4.0 s: looks like a backoff that ignores Retry-After',
    );
    expect(early([1_000, 2_000, 4_000], { ...wall, hostileHeaders: { retryAfter: 'missing' } })?.text).toContain(
      'looks like a backoff that ignores the reset time',
    );
    expect(early([7_340])?.text).toContain('allowed, after 7.3 s. Wait');
  });

  test('names the reason why a client does not wait at all', () => {
    const at = (scenario: Scenario) => early([1, 1], { ...wall, ...scenario })?.text;
    expect(at({})).toContain('without any wait: looks like a Retry-After that was not read');
    // Whether the client waits after numbers, or after short waits, is unknown.
    expect(at({ limits: { retryAfterForm: 'http-date' } })).toContain(
      'twice in a row without any wait. Retry-After was',
    );
    const monthlong = { 'free-key': { bannedFor: '30d' } };
    expect(at({ keys: monthlong })).toContain('twice in a row without any wait. Requests');
    const answers = (answer: Record<string, string | null>[]) =>
      answer.map((headers) => ({ when: { first: 1 }, then: { respond: { status: 429, headers } } }));
    const mixed = (one: Record<string, string | null>, ms: number) =>
      early([1, ms, 1], { ban: 'off', faults: answers([one, { 'Retry-After': '5' }, one, { 'Retry-After': '1' }]) })
        ?.text;
    expect(mixed({ 'Retry-After': 'Thu, 01 Jan 2026 12:01:00 GMT' }, 5_000)).toContain(
      'looks like an HTTP date that was not read',
    );
    expect(mixed({ 'Retry-After': null, 'X-RateLimit-Reset': '45' }, 5_000)).toContain(
      'looks like no wait where Retry-After is missing or no number',
    );
    expect(mixed({ 'Retry-After': '2592000' }, 5_000)).toContain(
      'looks like a wait longer than the maximum of a timer',
    );
    expect(early([45])?.text).toContain('after 45 ms: looks like seconds passed to a timer that takes milliseconds');
  });

  test('names a doubled request, as of StrictMode, and no longer burst and no other pause', () => {
    const hint = 'The same request came twice within 100 ms';
    // Each page load sends the request twice: at 0 s, and 19.5 s later.
    expect(early([85, 19_500, 85])?.text).toMatch(/Retry-After.*twice within 100 ms: .* React's StrictMode\.$/);
    expect(early([19_500, 100])?.text).toContain(hint);
    expect(early([19_500, 101])?.text).not.toContain(hint);
    expect(early([30, 30, 30])?.text).not.toContain(hint);
    expect(early([1_000, 1_000])?.text).not.toContain(hint);
    const second = (call: PlainCall) =>
      found(
        verdictOn(
          wall,
          sending([19_500, 85], (index) => (index === 2 ? call : {})),
        ),
        'early-retry',
      )?.text;
    expect(second({})).toContain(hint);
    expect(second({ path: '/pets/1' })).not.toContain(hint);
  });

  test('refers to X-RateLimit-Reset if Retry-After is missing or unreadable', () => {
    for (const form of ['missing', 'garbage'] as const) {
      const scenario: Scenario = { ...wall, hostileHeaders: { retryAfter: form } };
      expect(early([5_000], scenario)?.text).toContain('40.0 s before X-RateLimit-Reset allowed');
    }
  });

  test('reads X-RateLimit-Reset as remaining seconds and as milliseconds', () => {
    for (const reset of ['delta', 'milliseconds'] as const) {
      const scenario: Scenario = { ...wall, hostileHeaders: { retryAfter: 'missing', reset } };
      expect(early([5_000], scenario)?.text, reset).toContain('40.0 s before X-RateLimit-Reset allowed');
      expect(early([45_000], scenario), reset).toBeUndefined();
    }
  });

  test('applies the response of a ban once the key is banned', () => {
    const banned: Scenario = { keys: { 'free-key': { bannedFor: '30s' } } };
    expect(early([10_000], banned)?.text).toMatch(/20.0 s before Retry-After of the ban allowed.*Send nothing/);
    expect(early([30_000], banned)).toBeUndefined();
  });

  test('leaves requests during a ban to ban-hammered if the client was early before', () => {
    expect(early(Array(6).fill(2_000), { ...wall, ban: 'default' })?.requests).toEqual([2, 3, 4]);
  });

  test('spares requests on time, within the tolerance of 50 ms', () => {
    expect(early([45_000])).toBeUndefined();
    expect(early([44_950, 1_000])).toBeUndefined();
    expect(early([44_949])).toBeDefined();
  });

  test('spares a client that waits for an X-RateLimit-Reset that passed while the response was held back', () => {
    const sim = frozen({ ...wall, windows: { minute: '2s' } });
    send(sim);
    sim.clock.advance('2200ms');
    send(sim);
    const [refused, served] = sim.journal.query() as [RequestRecord, RequestRecord];
    const held = { ...refused, answeredAtMs: refused.arrivedAtMs + 2_100, heldMs: 2_100 };
    const verdict = judgeRun([held, served], { scenario: sim.name, nowMs: sim.clock.now() });
    expect(verdict).toMatchObject({ outcome: 'pass', findings: [] });
  });

  test('spares a client that waits for an X-RateLimit-Reset earlier than Retry-After', () => {
    const sim = frozen(wall);
    sim.clock.advance(300);
    runPrograms(sim, [sending([44_700])]);
    expect(found(judge(sim), 'early-retry')).toBeUndefined();
  });

  test('does not accept a past Reset as permission to retry', () => {
    const skewed: Scenario = { ...wall, windows: { minute: '10s' }, hostileHeaders: { reset: 'skewed' } };
    expect(early([1_000], skewed)?.text).toContain('9.0 s before Retry-After');
    expect(early([10_000], skewed)).toBeUndefined();
  });

  test('accepts Retry-After as a date, as a decimal number and as zero', () => {
    const form = (retryAfter: 'fractional' | 'zero' | 'past-date', ms: number) =>
      early([ms], { ...wall, hostileHeaders: { retryAfter } });
    expect(form('fractional', 44_500)).toBeUndefined();
    expect(form('fractional', 44_000)).toBeDefined();
    expect(form('zero', 0)).toBeUndefined();
    expect(form('past-date', 0)).toBeUndefined();
    const dated: Scenario = { ...wall, limits: { retryAfterForm: 'http-date' } };
    expect([early([45_000], dated), early([44_000], dated)?.severity]).toEqual([undefined, 'fail']);
  });

  test('spares a burst of concurrent equal calls', () => {
    const burst = Array.from({ length: 20 }, () => retrying((answer) => retryAfter(answer) * 1000));
    expect(found(verdictOn(wall, ...burst), 'early-retry')).toBeUndefined();
  });

  test('spares equal calls queued for six connections, and blames them a second later', () => {
    const sixConnections = (waits: readonly number[]) =>
      verdictOn(wall, ...Array.from({ length: 6 }, () => sending(waits)));
    expect(found(sixConnections([4, 4, 4]), 'early-retry')).toBeUndefined();
    const staggered = [0, 30, 60].map(
      (ms): Program =>
        function* (lab) {
          yield ms;
          yield* sending([90, 90])(lab);
        },
    );
    expect(found(verdictOn(wall, ...staggered), 'early-retry')).toBeUndefined();
    expect(found(sixConnections([4, 4, 1_100]), 'early-retry')).toBeDefined();
  });

  test('finds early retries over a pool that alternates two connections', () => {
    const turns = sending([200, 200, 200], (index) => ({ connection: 1 + (index % 2) }));
    expect(found(verdictOn(wall, turns), 'early-retry')?.requests).toEqual([2, 3, 4]);
  });

  test('distinguishes named calls at any distance in time', () => {
    const named = (call: string) => sending([4], { headers: { 'x-sim-call': call } });
    const verdict = verdictOn(wall, named('a'), named('b'));
    expect(verdict.findings.find(({ code }) => code === 'early-retry')?.requests).toEqual([3, 4]);
  });

  test('spares concurrent equal callers that each obey their own wait', () => {
    const refuse = (nth: number, seconds: number) => ({
      when: { nth },
      then: { respond: { status: 429, headers: { 'Retry-After': seconds } } },
    });
    const told: Scenario = { faults: [refuse(1, 30), refuse(1, 5), refuse(1, 20)] };
    const callers = Array.from({ length: 3 }, () => retrying((answer) => retryAfter(answer) * 1000));
    const verdict = verdictOn(told, ...callers);
    expect([verdict.counts.refused, found(verdict, 'early-retry')]).toEqual([3, undefined]);
  });

  test('finds a client with the attempt number in the URL, and one that continues with another call', () => {
    const attempts = verdictOn(
      wall,
      sending([3_000, 3_000], (index) => ({ query: `limit=${index + 1}` })),
    );
    expect(found(attempts, 'early-retry')?.requests).toEqual([2, 3]);
    expect(found(attempts, 'gave-up')?.measured).toBe('1 call given up');
  });

  test('leaves another concurrent call to no-shared-gate', () => {
    const verdict = verdictOn(
      wall,
      sending([45_000]),
      sending([3_000], (index) => ({ query: `limit=${index + 1}` })),
    );
    expect(found(verdict, 'early-retry')).toBeUndefined();
    expect(found(verdict, 'no-shared-gate')?.requests).toEqual([3]);
  });

  test('finds early retries across an operation without limits', () => {
    const scenario: Scenario = { ...wall, limits: { appliesTo: ['createPet'] } };
    const post = { body: { name: 'Rex', categoryId: 1 } };
    const calls = [post, {}, post];
    const verdict = verdictOn(
      scenario,
      sending([500, 500], (index) => calls[index] ?? {}),
    );
    expect(found(verdict, 'early-retry')?.requests).toEqual([3]);
  });

  test('is exercised by a client that retries, or that has ended after a refusal', () => {
    const sim = frozen(wall);
    runPrograms(sim, [sending([])]);
    expect(judge(sim).exercised).not.toContain('early-retry');
    expect(judge(sim, { isOver: true }).exercised).toContain('early-retry');
    expect(verdictOn(wall, sending([45_000])).exercised).toContain('early-retry');
  });
});

describe('ignored-day-window', () => {
  const day: Scenario = { keys: { 'free-key': { usage: { day: 1000 } } }, ban: 'off' };
  const ignored = (waits: readonly number[], scenario = day) =>
    found(verdictOn(scenario, sending(waits)), 'ignored-day-window');

  test('finds a client that retries every minute on an exhausted day', () => {
    const finding = ignored([60_000, 60_000]);
    expect(finding).toMatchObject({
      severity: 'fail',
      requests: [2, 3],
      measured: '2 requests before the daily reset',
    });
    expect(finding?.text).toContain('exhausted for another 24 h, but the client sent 2 more requests');
    const verdict = verdictOn(day, sending([60_000, 60_000, 60_000]));
    expect(found(verdict, 'early-retry')?.text).toContain(
      'after exactly 60.0 s: looks like the wait for the minute limit',
    );
  });

  test('finds all calls, because the daily limit applies to the key', () => {
    const verdict = verdictOn(
      day,
      sending([60_000], (index) => ({ query: `limit=${index + 1}` })),
    );
    expect(found(verdict, 'ignored-day-window')?.requests).toEqual([2]);
  });

  test('spares a client that stops, one that waits for the next day, and one limited by the minute', () => {
    expect(ignored([])).toBeUndefined();
    expect(ignored([86_400_000])).toBeUndefined();
    expect(ignored([86_399_960])).toBeUndefined();
    expect(ignored([1_000, 1_000], wall)).toBeUndefined();
  });

  test('is exercised only by an exhausted day', () => {
    expect(verdictOn(day, sending([])).exercised).toContain('ignored-day-window');
    expect(verdictOn(wall, sending([45_000])).exercised).not.toContain('ignored-day-window');
  });
});

describe('overslept', () => {
  const late = (ms: number, scenario: Scenario = wall) => {
    const sim = frozen(scenario);
    runPrograms(sim, [sending([ms])], { untilMs: 2 * ms });
    return found(judge(sim, { isOver: true }), 'overslept');
  };

  test('warns of a first request that is late by more than half the wait', () => {
    expect(late(70_000)).toMatchObject({ severity: 'warn', measured: '25.0 s late', allowed: '22.5 s' });
    expect(late(67_000)).toBeUndefined();
  });

  test('tolerates ten seconds after the shortest wait', () => {
    const short: Scenario = { ...wall, windows: { minute: '2s' } };
    expect(late(11_900, short)).toBeUndefined();
    expect(late(12_100, short)?.severity).toBe('warn');
  });

  test('tolerates an exponential backoff of at most a minute', () => {
    const lateAfter = (refusals: number, ms: number) => {
      const respond = { status: 429, headers: { 'Retry-After': '1' } };
      const scenario = { faults: [{ when: { first: refusals }, then: { respond } }] };
      return found(verdictOn(scenario, sending([...Array(refusals - 1).fill(1_500), ms])), 'overslept');
    };
    expect(lateAfter(3, 10_900)).toBeUndefined();
    expect(lateAfter(3, 11_200)?.allowed).toBe('10.0 s');
    expect(lateAfter(6, 60_900)).toBeUndefined();
    expect(lateAfter(6, 61_200)?.allowed).toBe('60.0 s');
  });

  test('tolerates twice the last wait, however long, because the document asks for exponential backoff', () => {
    const stubborn: Scenario = {
      ban: 'off',
      faults: [{ then: { respond: { status: 429, headers: { 'Retry-After': '2' } } } }],
    };
    const waiting = (...waits: number[]) => found(verdictOn(stubborn, sending(waits)), 'overslept');
    const doubling = Array.from({ length: 14 }, (_, attempt) => 2_000 + 400 * 2 ** attempt);
    expect(waiting(...doubling)).toBeUndefined();
    expect(waiting(8_000, 16_000, 32_000, 64_000, 120_000, 250_000)).toBeUndefined();
    expect(waiting(8_000, 16_000, 60_000)).toMatchObject({ severity: 'warn', measured: '58.0 s late' });
    expect(waiting(2_000, 2_000, 2_000, 64_000)?.allowed).toBe('32.0 s');
  });

  test('takes the waits of a backoff without a maximum for no mistake of the unit', () => {
    const scenario: Scenario = {
      ban: 'off',
      faults: [{ then: { respond: { status: 429, headers: { 'Retry-After': '4' } } } }],
    };
    const tripling = Array.from({ length: 9 }, (_, attempt) => 4_000 + 609 * 3 ** attempt);
    const verdict = verdictOn(scenario, sending(tripling));
    expect((tripling.at(-1) ?? 0) / 4_000).toBeGreaterThan(990);
    expect(found(verdict, 'overslept')).toMatchObject({ severity: 'warn' });
    expect(verdict.findings.map(({ text }) => text).join()).not.toContain('milliseconds');
  });

  test('fails if milliseconds are used as seconds', () => {
    const finding = late(45_000_000);
    expect(finding?.severity).toBe('fail');
    expect(finding?.text).toBe(
      'Waited 12.5 h instead of 45.0 s. That looks like milliseconds passed to a sleep function that takes seconds.',
    );
  });

  test('fails if a Unix time is used as a duration', () => {
    const epoch: Scenario = { ...wall, hostileHeaders: { retryAfter: 'epoch' } };
    for (const waitedMs of [noonSeconds + 30, noonSeconds * 1_000]) {
      expect(late(waitedMs, epoch)).toMatchObject({
        severity: 'fail',
        text: expect.stringContaining('whether a Unix time was used as a duration'),
      });
    }
    expect(late(7 * 86_400_000)?.severity).toBe('warn');
  });

  test('judges the next request even if refused or of another call, but then only warns', () => {
    const busy: Scenario = { ...wall, background: { 'free-key': 100 } };
    expect(late(70_000, busy)?.severity).toBe('warn');
    const verdict = verdictOn(
      wall,
      sending([45_000_000], (index) => ({ query: `limit=${index + 1}` })),
    );
    expect(found(verdict, 'overslept')?.severity).toBe('warn');
  });

  test('does not fail a client that polls every two minutes', () => {
    expect(late(120_000, { ...wall, windows: { minute: '1s' } })?.severity).toBe('warn');
  });

  test('reports no finding before the client retries', () => {
    const sim = frozen(wall);
    runPrograms(sim, [sending([])]);
    sim.clock.advance('1d');
    expect(found(judge(sim), 'overslept')).toBeUndefined();
    expect(judge(sim).exercised).not.toContain('overslept');
  });
});

import { describe, expect, test } from 'vitest';
import type { Scenario } from '../../src/entries/index.js';
import { judge } from '../../src/entries/verdict.js';
import { judgeRun } from '../../src/judge/judge-run.js';
import { documentedPlans } from '../../src/petstore/document.js';
import type { RequestRecord } from '../../src/requests/request-record.js';
import { clients, findingOn, later, obeying, ran, runPrograms, sending, verdictOn } from '../support/client-lab.js';
import { found } from '../support/findings.js';
import { frozen, noonSeconds } from '../support/frozen.js';
import { type PlainCall, send } from '../support/plain-call.js';

/** The minute is exhausted, for another 45 seconds. */
const wall: Scenario = {
  windows: { minute: '45s' },
  keys: { 'free-key': { usage: { minute: documentedPlans.free.minute } } },
  ban: 'off',
};
const early = (waits: readonly number[], scenario: Scenario = wall) =>
  findingOn('early-retry', scenario, sending(waits));
const eachOther = (index: number): PlainCall => ({ query: `limit=${index + 1}` });
/** Refuses every call, with this Retry-After. */
const stubborn = (seconds: string): Scenario => ({
  ban: 'off',
  faults: [{ then: { respond: { status: 429, headers: { 'Retry-After': seconds } } } }],
});

describe('early-retry', () => {
  test('names the cap of a client that waits 10 s instead of 45 s', () => {
    expect(early([10_000, 10_000, 10_000])).toMatchObject({
      severity: 'fail',
      at: '2026-01-01T12:00:10.000Z',
      requests: [2, 3, 4],
      measured: '10.0 s waited',
      allowed: 'at least 45.0 s',
      text: 'Retried up to 35.0 s before Retry-After allowed, 3 times in a row after exactly 10.0 s: looks like a cap of 10 s, or a fixed wait. Wait for the full Retry-After, plus a random time.',
    });
  });

  test('spares who trusts Reset where Retry-After must be milliseconds or a Unix time, and no other who is refused after Reset', () => {
    const banned: Scenario = {
      keys: { 'free-key': { bannedFor: '30s', usage: { minute: documentedPlans.free.minute } } },
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

  test.each<[cause: string, waits: number[], text: string, scenario?: Scenario]>([
    [
      'a fixed wait',
      [1_000, 1_000, 1_000],
      '3 times in a row after exactly 1.0 s: looks like a fixed wait of 1 s, or a cap',
    ],
    ['no cause of two waits', [1_000, 1_000], 'twice in a row after exactly 1.0 s. Wait'],
    ['no cause of one wait', [7_340], 'allowed, after 7.3 s. Wait'],
    ['a backoff', [1_000, 2_000, 4_000], 'after 1.0 s, 2.0 s, 4.0 s: looks like a backoff that ignores Retry-After'],
    [
      'a backoff without Retry-After',
      [1_000, 2_000, 4_000],
      'looks like a backoff that ignores the reset time',
      { ...wall, hostileHeaders: { retryAfter: 'missing' } },
    ],
    ['milliseconds', [45], 'after 45 ms: looks like seconds passed to a timer that takes milliseconds'],
    ['an unread header', [1, 1], 'without any wait: looks like a Retry-After that was not read'],
    // Whether the client waits after numbers, or after short waits, is unknown.
    [
      'no cause of waits for dates alone',
      [1, 1],
      'twice in a row without any wait. Retry-After was',
      { ...wall, limits: { retryAfterForm: 'http-date' } },
    ],
    [
      'no cause of long waits alone',
      [1, 1],
      'twice in a row without any wait. Requests',
      { ...wall, keys: { 'free-key': { bannedFor: '30d' } } },
    ],
  ])('names %s', (_, waits, text, scenario) => {
    expect(early(waits, scenario)?.text).toContain(text);
  });

  test.each<[string, Record<string, string | null>, string]>([
    ['a date', { 'Retry-After': 'Thu, 01 Jan 2026 12:01:00 GMT' }, 'looks like an HTTP date that was not read'],
    [
      'no number',
      { 'Retry-After': null, 'X-RateLimit-Reset': '45' },
      'looks like no wait where Retry-After is missing or no number',
    ],
    ['a month', { 'Retry-After': '2592000' }, 'looks like a wait longer than the maximum of a timer'],
  ])('names the reason why a client waits after a number, but not after %s', (_, one, text) => {
    const answers = [one, { 'Retry-After': '5' }, one, { 'Retry-After': '1' }];
    const faults = answers.map((headers) => ({ when: { first: 1 }, then: { respond: { status: 429, headers } } }));
    expect(early([1, 5_000, 1], { ban: 'off', faults })?.text).toContain(text);
  });

  test('names a doubled request, as of StrictMode, and no longer burst and no other pause', () => {
    const hint = 'The same request came twice within 100 ms';
    // Each page load sends the request twice: at 0 s, and 19.5 s later.
    expect(early([85, 19_500, 85])?.text).toMatch(/Retry-After.*twice within 100 ms: .* React's StrictMode\.$/);
    expect(early([19_500, 100])?.text).toContain(hint);
    expect(early([19_500, 101])?.text).not.toContain(hint);
    expect(early([30, 30, 30])?.text).not.toContain(hint);
    expect(early([1_000, 1_000])?.text).not.toContain(hint);
    const second = (call: PlainCall) => findingOn('early-retry', wall, sending([19_500, 85], [{}, {}, call]))?.text;
    expect(second({})).toContain(hint);
    expect(second({ path: '/pets/1' })).not.toContain(hint);
  });

  test.each(['missing', 'garbage'] as const)('refers to X-RateLimit-Reset if Retry-After is %s', (retryAfter) => {
    expect(early([5_000], { ...wall, hostileHeaders: { retryAfter } })?.text).toContain(
      '40.0 s before X-RateLimit-Reset allowed',
    );
  });

  test.each(['delta', 'milliseconds'] as const)('reads X-RateLimit-Reset in the form %s', (reset) => {
    const scenario: Scenario = { ...wall, hostileHeaders: { retryAfter: 'missing', reset } };
    expect(early([5_000], scenario)?.text).toContain('40.0 s before X-RateLimit-Reset allowed');
    expect(early([45_000], scenario)).toBeUndefined();
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
    expect(findingOn('early-retry', wall, ...clients(20, () => obeying))).toBeUndefined();
  });

  test('spares equal calls queued for six connections, and blames them a second later', () => {
    const sixConnections = (...waits: number[]) => findingOn('early-retry', wall, ...clients(6, () => sending(waits)));
    expect(sixConnections(4, 4, 4)).toBeUndefined();
    expect(sixConnections(4, 4, 1_100)).toBeDefined();
    const staggered = [0, 30, 60].map((ms) => later(ms, sending([90, 90])));
    expect(findingOn('early-retry', wall, ...staggered)).toBeUndefined();
  });

  test('finds early retries over a pool that alternates two connections', () => {
    const turns = sending([200, 200, 200], (index) => ({ connection: 1 + (index % 2) }));
    expect(findingOn('early-retry', wall, turns)?.requests).toEqual([2, 3, 4]);
  });

  test('distinguishes named calls at any distance in time', () => {
    const named = (call: string) => sending([4], { headers: { 'x-sim-call': call } });
    expect(findingOn('early-retry', wall, named('a'), named('b'))?.requests).toEqual([3, 4]);
  });

  test('spares concurrent equal callers that each obey their own wait', () => {
    const refuse = (nth: number, seconds: number) => ({
      when: { nth },
      then: { respond: { status: 429, headers: { 'Retry-After': seconds } } },
    });
    const told: Scenario = { faults: [refuse(1, 30), refuse(1, 5), refuse(1, 20)] };
    const verdict = verdictOn(told, ...clients(3, () => obeying));
    expect([verdict.counts.refused, found(verdict, 'early-retry')]).toEqual([3, undefined]);
  });

  test('finds a client with the attempt number in the URL, and one that continues with another call', () => {
    const attempts = verdictOn(wall, sending([3_000, 3_000], eachOther));
    expect(found(attempts, 'early-retry')?.requests).toEqual([2, 3]);
    expect(found(attempts, 'gave-up')?.measured).toBe('1 call given up');
  });

  test('leaves another concurrent call to no-shared-gate', () => {
    const verdict = verdictOn(wall, sending([45_000]), sending([3_000], eachOther));
    expect(found(verdict, 'early-retry')).toBeUndefined();
    expect(found(verdict, 'no-shared-gate')?.requests).toEqual([3]);
  });

  test('finds early retries across an operation without limits', () => {
    const scenario: Scenario = { ...wall, limits: { appliesTo: ['createPet'] } };
    const post = { body: { name: 'Rex', categoryId: 1 } };
    expect(findingOn('early-retry', scenario, sending([500, 500], [post, {}, post]))?.requests).toEqual([3]);
  });

  test('is exercised by a client that retries, or that has ended after a refusal', () => {
    const sim = ran(wall, sending([]));
    expect(judge(sim).exercised).not.toContain('early-retry');
    expect(judge(sim, { isOver: true }).exercised).toContain('early-retry');
    expect(verdictOn(wall, sending([45_000])).exercised).toContain('early-retry');
  });
});

describe('ignored-day-window', () => {
  const day: Scenario = { keys: { 'free-key': { usage: { day: 1000 } } }, ban: 'off' };
  const ignored = (waits: readonly number[], scenario = day) =>
    findingOn('ignored-day-window', scenario, sending(waits));

  test('finds a client that retries every minute on an exhausted day', () => {
    expect(ignored([60_000, 60_000])).toMatchObject({
      severity: 'fail',
      requests: [2, 3],
      measured: '2 requests before the daily reset',
      text: expect.stringContaining('exhausted for another 24 h, but the client sent 2 more requests'),
    });
    expect(early([60_000, 60_000, 60_000], day)?.text).toContain(
      'after exactly 60.0 s: looks like the wait for the minute limit',
    );
  });

  test('finds all calls, because the daily limit applies to the key', () => {
    expect(findingOn('ignored-day-window', day, sending([60_000], eachOther))?.requests).toEqual([2]);
  });

  test('finds it on a day that the scenario made shorter than the minute', () => {
    expect(ignored([1_000], { ...day, windows: { minute: '60s', day: '30s' } })?.requests).toEqual([2]);
  });

  test.each<[string, number[], Scenario?]>([
    ['stops', []],
    ['waits for the next day', [86_400_000]],
    ['waits for the next day, within the tolerance', [86_399_960]],
    ['is limited by the minute', [1_000, 1_000], wall],
  ])('spares a client that %s', (_, waits, scenario) => {
    expect(ignored(waits, scenario)).toBeUndefined();
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
      return findingOn('overslept', scenario, sending([...Array(refusals - 1).fill(1_500), ms]));
    };
    expect(lateAfter(3, 10_900)).toBeUndefined();
    expect(lateAfter(3, 11_200)?.allowed).toBe('10.0 s');
    expect(lateAfter(6, 60_900)).toBeUndefined();
    expect(lateAfter(6, 61_200)?.allowed).toBe('60.0 s');
  });

  test('tolerates twice the last wait, however long, because the document asks for exponential backoff', () => {
    const waiting = (...waits: number[]) => findingOn('overslept', stubborn('2'), sending(waits));
    const doubling = Array.from({ length: 14 }, (_, attempt) => 2_000 + 400 * 2 ** attempt);
    expect(waiting(...doubling)).toBeUndefined();
    expect(waiting(8_000, 16_000, 32_000, 64_000, 120_000, 250_000)).toBeUndefined();
    expect(waiting(8_000, 16_000, 60_000)).toMatchObject({ severity: 'warn', measured: '58.0 s late' });
    expect(waiting(2_000, 2_000, 2_000, 64_000)?.allowed).toBe('32.0 s');
  });

  test('takes the waits of a backoff without a maximum for no mistake of the unit', () => {
    const tripling = Array.from({ length: 9 }, (_, attempt) => 4_000 + 609 * 3 ** attempt);
    const verdict = verdictOn(stubborn('4'), sending(tripling));
    expect((tripling.at(-1) ?? 0) / 4_000).toBeGreaterThan(990);
    expect(found(verdict, 'overslept')).toMatchObject({ severity: 'warn' });
    expect(verdict.findings.map(({ text }) => text).join()).not.toContain('milliseconds');
  });

  test('fails if milliseconds are used as seconds', () => {
    expect(late(45_000_000)).toMatchObject({
      severity: 'fail',
      text: 'Waited 12.5 h instead of 45.0 s. That looks like milliseconds passed to a sleep function that takes seconds.',
    });
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
    expect(findingOn('overslept', wall, sending([45_000_000], eachOther))?.severity).toBe('warn');
  });

  test('does not fail a client that polls every two minutes', () => {
    expect(late(120_000, { ...wall, windows: { minute: '1s' } })?.severity).toBe('warn');
  });

  test('reports no finding before the client retries', () => {
    const sim = ran(wall, sending([]));
    sim.clock.advance('1d');
    expect(found(judge(sim), 'overslept')).toBeUndefined();
    expect(judge(sim).exercised).not.toContain('overslept');
  });
});

import { describe, expect, test } from 'vitest';
import type { Scenario } from '../../src/entries/index.js';
import { judge } from '../../src/entries/verdict.js';
import { judgeRun } from '../../src/judge/judge-run.js';
import type { RequestRecord } from '../../src/requests/request-record.js';
import { seededFraction } from '../../src/values/seeded-random.js';
import {
  clients,
  findingOn,
  later,
  type Program,
  ran,
  retryAfter,
  retrying,
  runPrograms,
  sending,
  stubborn,
  verdictOn,
  wall,
} from '../support/client-lab.js';
import { blamed, found } from '../support/findings.js';
import { frozen } from '../support/frozen.js';
import type { PlainCall } from '../support/plain-call.js';

// Pairs of a right client and a wrong one that differ in one respect.

describe('a 401', () => {
  const about: Scenario = { expect: { fail: ['retried-401'] } };
  const waits = Array(20).fill(500);

  test('for a request without a key does not blame a health probe, and is no evidence about the client', () => {
    const verdict = verdictOn(about, sending(waits, { key: null }));
    expect(blamed(verdict)).toEqual([]);
    expect([verdict.outcome, verdict.reason]).toEqual([
      'inconclusive',
      "Every request got a 401: check the client's API key.",
    ]);
  });

  test('for a request with a key blames a probe that repeats it', () => {
    expect(findingOn('retried-401', about, sending(waits, { key: 'revoked-key' }))?.severity).toBe('fail');
  });

  test('for a probe without a key does not hide repetitions of a rejected key', () => {
    const mixed = sending(waits, (at) => ({ key: at % 2 === 0 ? null : 'revoked-key' }));
    expect(findingOn('retried-401', about, mixed)?.measured).toBe('9 repeats');
  });
});

test.each([
  [
    'of whole seconds after a decimal of a day is a truncated fraction',
    '86400.5',
    86_400_000,
    'looks like a truncated fraction of a second',
  ],
  [
    'of whole seconds after a decimal is a truncated fraction',
    '2.9',
    2_004,
    'looks like a truncated fraction of a second',
  ],
  ['that lacks more than the fraction has no named cause', '12.5', 10_000, 'twice in a row after exactly 10.0 s. Wait'],
  ['that lacks a second and a fraction has no named cause', '2.5', 1_000, 'twice in a row after exactly 1.0 s. Wait'],
  ['after one required wait has no named cause', '10', 9_000, 'twice in a row after exactly 9.0 s. Wait'],
  ['after one longer required wait has no named cause', '45', 30_000, 'after 30.0 s. Wait'],
])('a wait %s', (_, retryAfter, ms, text) => {
  const respond = { status: 429, headers: { 'Retry-After': retryAfter } };
  const asked: Scenario = { ban: 'off', faults: [{ when: { first: 2 }, then: { respond } }] };
  expect(findingOn('early-retry', asked, sending([ms, ms]))?.text).toContain(text);
});

describe('different Retry-After and X-RateLimit-Reset', () => {
  /** The window ends at each whole second, and Retry-After is one second. Started within a second, Reset is earlier. */
  const stubborn: Scenario = {
    clock: { start: '2026-01-01T12:00:00.560Z', mode: 'frozen' },
    windows: { minute: '1s' },
    faults: [{ then: { respond: { status: 429, headers: { 'Retry-After': 1 } }, countsQuota: false, failTimes: 2 } }],
  };
  const early = (waits: readonly number[]) => findingOn('early-retry', stubborn, sending(waits));

  test('require Retry-After of a client that was refused again after Reset', () => {
    expect(early([560, 1_000])).toMatchObject({
      severity: 'fail',
      requests: [2],
      measured: '560 ms waited',
      allowed: 'at least 1.0 s',
      text: expect.stringContaining('Retried 440 ms before Retry-After allowed'),
    });
    expect(early([560, 1_000])?.text).toContain('X-RateLimit-Reset was earlier');
  });

  test('accept a wait for Retry-After, or for a Reset followed by a success', () => {
    expect(early([1_000, 1_000])).toBeUndefined();
    expect(early([1_000, 560])).toBeUndefined();
  });

  test('spare concurrent callers that waited for Reset, even if some were too late for the new window', () => {
    const small: Scenario = {
      clock: { start: '2026-01-01T12:00:00.560Z', mode: 'frozen' },
      plans: { free: { minute: 1, day: 1_000 } },
      windows: { minute: '2s' },
    };
    const untilReset: Program = function* ({ send, now }) {
      for (;;) {
        const { headers, status } = send();
        if (status < 400) return;
        yield Number(headers['X-RateLimit-Reset']) * 1_000 - now();
      }
    };
    expect(findingOn('early-retry', small, untilReset, untilReset, untilReset)).toBeUndefined();
  });
});

describe('a write without a response that is not sent again', () => {
  const rex: PlainCall = { body: { name: 'Rex', categoryId: 1 } };
  const answered: Scenario = { faults: [{ when: { nth: 1 }, then: { respond: { status: 503 }, phase: 'after' } }] };
  const cut: Scenario = { faults: [{ when: { nth: 1 }, then: { reset: true, phase: 'after' } }] };
  const judged = (scenario: Scenario, end: { hasFailed?: boolean }, ...programs: Program[]) =>
    judge(ran(scenario, ...programs), { isOver: true, end });
  const once = sending([], rex);

  test.each([
    ['a 503', answered],
    ['a lost answer', cut],
  ])('after %s is given up silently if the command exits with 0', (_, scenario) => {
    const verdict = judged(scenario, { hasFailed: false }, once);
    const allowed = 'an error for the caller, or a check whether the pet was stored';
    expect(found(verdict, 'gave-up')).toMatchObject({
      severity: 'warn',
      requests: [1],
      allowed,
      text: expect.stringContaining('Not repeating the write is right, but the caller needs an error'),
    });
    const asked = judged({ ...scenario, expect: { served: true } }, { hasFailed: false }, once);
    expect([asked.outcome, found(asked, 'gave-up')?.allowed]).toEqual(['fail', allowed]);
  });

  test('is given up silently if the client disconnected and the command exits with 0', () => {
    const left = (hasFailed: boolean) => {
      const sim = ran({}, once);
      const entries = sim.journal.query().map((entry) => ({ ...entry, status: 0, isAbandoned: true }));
      const known = { scenario: 'late', expect: { served: true }, needs: { operation: 'createPet' } };
      return judgeRun(entries, { ...known, nowMs: sim.clock.now(), isOver: true, end: { hasFailed } });
    };
    expect(left(false)).toMatchObject({ outcome: 'fail' });
    expect(blamed(left(false))).toEqual(['gave-up']);
    expect(blamed(left(true))).toEqual([]);
  });

  test('is allowed if the caller got an error, or if that is unknown', () => {
    for (const scenario of [answered, { ...answered, expect: { served: true, fail: ['duplicate-write' as const] } }]) {
      for (const end of [{ hasFailed: true }, {}]) {
        const verdict = judged(scenario, end, once);
        expect([verdict.outcome, blamed(verdict)]).toEqual(['pass', []]);
      }
    }
    const sim = ran(answered, sending([], { ...rex, headers: { 'x-sim-call': 'a' } }));
    sim.journal.report({ call: 'a', result: 'failed' });
    expect(blamed(judge(sim, { isOver: true, end: { hasFailed: false } }))).toEqual([]);
  });

  test('is allowed if the client found its pet by a read, or sent the write again', () => {
    for (const next of [{ query: 'limit=100' }, rex]) {
      const verdict = judged(answered, { hasFailed: false }, sending([1_000], [rex, next]));
      expect(found(verdict, 'gave-up')).toBeUndefined();
    }
  });

  test('is given up if the client only sent its other pets, as many as the scenario asks for', () => {
    const three: Scenario = { ...answered, client: { operation: 'createPet', calls: 3 } };
    const named = (at: number): PlainCall => ({ body: { name: `Pet ${at}`, categoryId: 1 } });
    const gaveUp = (waits: number[]) => found(judged(three, { hasFailed: false }, sending(waits, named)), 'gave-up');
    expect(gaveUp([10, 10])?.requests).toEqual([1]);
    // One of four writes for three calls may be a retry with a new pet.
    expect(gaveUp([10, 10, 10])).toBeUndefined();
  });
});

describe('waits on top of Retry-After', () => {
  const flat = (added: readonly number[]) =>
    findingOn('no-backoff-growth', stubborn, sending(added.map((ms) => 1_000 + Math.round(ms))));
  /** Random numbers from 0 up to `most`, equal in every run. */
  const drawn = (seed: number, most: number) => (at: number) => most * seededFraction(seed, at);
  const share = (waitsOf: (seed: number) => number[]) =>
    Array.from({ length: 200 }, (_, seed) => flat(waitsOf(seed + 1))).filter(Boolean).length / 200;

  test.each([
    ['by 1.5 with a latency of 90 ms at first', [590, 750, 1_130, 1_690]],
    ['by 1.6 above a constant', [340, 400, 510, 660]],
    ['by 1.6 above a constant, up to a bound', [340, 400, 510, 660, 670, 655]],
    ['once, beyond the noise', [340, 400]],
    ['each time, drawn from a range that doubles', [450, 830, 950, 1_120]],
  ])('that grow %s are spared', (_, added) => {
    expect(flat(added)).toBeUndefined();
  });

  test.each([
    ['stay alike', [500, 510, 525, 540]],
    ['shrink', [600, 500]],
    ['grow only at first', [500, 650, 500, 480, 510]],
    ['grow in equal steps, which is no exponential growth', [500, 700, 900, 1_100, 1_300, 1_500]],
  ])('that %s are found', (_, added) => {
    expect(flat(added)?.severity).toBe('warn');
  });

  test('that grow above a constant are spared despite network noise, and flat waits are found', () => {
    for (const factor of [1.5, 1.6, 2]) {
      for (const constantMs of [0, 250]) {
        const growing = (seed: number) =>
          [0, 1, 2, 3].map((at) => constantMs + 150 * factor ** at + drawn(seed, 30)(at));
        expect(share(growing), `${factor} above ${constantMs}`).toBe(0);
      }
    }
    expect(share((seed) => [0, 1, 2, 3].map((at) => 300 + drawn(seed, 30)(at)))).toBe(1);
  });

  test('drawn from a doubling range are rarely found, even with latency', () => {
    for (const latencyMs of [20, 60]) {
      const growing = (seed: number) => [0, 1, 2, 3].map((at) => latencyMs + drawn(seed, 200 * 2 ** at)(at));
      expect(share(growing), String(latencyMs)).toBeLessThan(0.12);
    }
  });

  test('drawn from a constant range are found in nearly every run', () => {
    expect(share((seed) => [0, 1, 2, 3].map((at) => 500 + drawn(seed, 500)(at)))).toBeGreaterThan(0.9);
  });
});

describe('sequential calls of one URL', () => {
  const refused = (client?: Scenario['client']): Scenario => ({
    ban: 'off',
    faults: [{ when: { after: '1s' }, then: { respond: { status: 503 }, countsQuota: false } }],
    ...(client && { client }),
  });
  const storm = (waits: readonly number[], client?: Scenario['client'], callAt?: (at: number) => PlainCall) =>
    findingOn('retry-storm', refused(client), sending([2_000, ...waits], callAt));
  const three = { key: 'free-key', calls: 3 };
  const series = [100, 600, 1_600];

  const nested = [...series, 5, ...series, 5, ...series];
  const onTwo = (at: number): PlainCall => ({ connection: at < 5 ? 1 : 2 });
  const inTurn = (at: number): PlainCall => ({ connection: 1 + (at % 2) });
  const even = Array(7).fill(1_000);

  test.each<[string, number[], Scenario['client']?, ((at: number) => PlainCall)?]>([
    ['growing waits that restart, of three calls', [...series, 5, ...series], three],
    ['growing waits that restart, of any number of calls', [...series, 5, ...series]],
    ['growing waits that restart after a wait, of three calls', [...series, 100, ...series], three],
    ['connections, if the scenario asks for several calls', even, three, onTwo],
  ])('are separated by %s', (_, waits, client, callAt) => {
    expect(storm(waits, client, callAt)).toBeUndefined();
  });

  test.each<[string, 'fail' | 'warn', number[], Scenario['client']?, ((at: number) => PlainCall)?]>([
    ['nested retries whose outer layer waits', 'fail', [...series, 100, ...series, 600, ...series]],
    ['more nested retries than calls', 'fail', [...nested, 5, ...series], three],
    ['one call on two connections, because a client may change its connection', 'fail', even, undefined, onTwo],
    ['calls on connections in turn', 'warn', even, three, inTurn],
    ['one loop without waits, some delayed by a busy machine', 'fail', [1, 60, 0, 1, 90, 0, 2]],
    ['one loop without waits, most delayed by a busy machine', 'fail', [45, 150, 3, 60, 10, 0, 2]],
    [
      'one call with random waits, as the scenario asks for no more',
      'fail',
      [900, 300, 1_200, 100, 700, 1_500, 200, 800],
    ],
  ])('are %s: %s', (_, severity, waits, client, callAt) => {
    expect(storm(waits, client, callAt)?.severity).toBe(severity);
  });

  test('are one call with nested retries if the scenario asks for one call', () => {
    expect(storm(nested, { key: 'free-key' })?.text).toContain('nested retries multiply');
  });

  test('are counted in total if they cannot be separated, without mention of layers', () => {
    expect(storm(Array(7).fill(8), three)).toMatchObject({
      severity: 'warn',
      measured: '8 attempts in total, by at least 2 calls',
      allowed: '6 attempts per call',
      text: expect.stringContaining('GET /pets was tried 8 times in total within'),
    });
    expect(storm(Array(7).fill(8), three)?.text).not.toContain('layer');
    expect(storm(Array(12).fill(8), three)?.severity).toBe('fail');
  });

  test('without waits may follow a series, as of a client that takes every 200 for a success', () => {
    const ten = { key: 'free-key', calls: 10 };
    const atOnce = [...series, ...Array(8).fill(5)];
    expect(storm(atOnce, ten)).toMatchObject({
      severity: 'warn',
      measured: '8 attempts in total, by at least 2 calls',
    });
    expect(storm(atOnce, { key: 'free-key', calls: 2 })?.severity).toBe('fail');
  });

  test('are found if one of them has too many attempts', () => {
    expect(storm([...series, 5, 100, 200, 400, 800, 1_600, 3_200], three)).toMatchObject({
      severity: 'fail',
      measured: '7 attempts',
    });
  });
});

describe('a client that changes its User-Agent with each request', () => {
  const agent = (at: number, more: PlainCall = {}): PlainCall => ({
    ...more,
    headers: { 'user-agent': `bot ${at}`, ...more.headers },
  });

  test('is one client on one connection, and judged as such', () => {
    const verdict = verdictOn(wall, sending(Array(8).fill(1_200), agent));
    expect(blamed(verdict)).toEqual(
      expect.arrayContaining(['early-retry', 'ban-tripped', 'ban-hammered', 'retry-storm']),
    );
    expect(blamed(verdict)).not.toContain('no-shared-gate');
    const dead = sending(Array(4).fill(100), (at) => agent(at, { key: 'revoked-key' }));
    expect(blamed(verdictOn({}, dead))).toEqual(['retried-401']);
  });

  test('is one client for its writes as well', () => {
    const cut: Scenario = { faults: [{ when: { nth: 1 }, then: { reset: true, phase: 'after' } }] };
    const rex = { body: { name: 'Rex', categoryId: 1 } };
    for (const more of [{}, { headers: { 'x-sim-call': 'a' } }]) {
      const twice = sending([1_000], (at) => agent(at, { ...rex, ...more }));
      expect(blamed(verdictOn(cut, twice))).toContain('duplicate-write');
    }
  });

  test('gets no finding if it obeys its waits', () => {
    const verdict = verdictOn(wall, sending([30_000, 10], agent));
    expect([verdict.outcome, blamed(verdict)]).toEqual(['pass', []]);
  });

  test('is inconclusive with a connection per request, because it may be several programs', () => {
    const onEach = (at: number) => agent(at, { connection: at + 1 });
    expect(verdictOn(wall, sending([30_000, 10, 10, 10], onEach)).outcome).toBe('pass');
    const verdict = verdictOn({ ...wall, ban: 'off' }, sending(Array(4).fill(1_200), onEach));
    expect([verdict.outcome, blamed(verdict)]).toEqual(['inconclusive', ['no-shared-gate']]);
    expect(verdict.reason).toContain('Each request had another User-Agent and another connection');
  });

  test('differs from several programs with a connection each', () => {
    const programs = [0, 1].map((at) => later(at * 5_000, sending([30_000], agent(at))));
    expect(blamed(verdictOn(wall, ...programs))).toEqual(['no-shared-gate']);
  });
});

describe('several independent processes with one key', () => {
  const asked = (seconds: number, more: Scenario = {}): Scenario => ({
    ...more,
    ban: 'off',
    faults: [{ when: { first: 4 }, then: { respond: { status: 429, headers: { 'Retry-After': seconds } } } }],
  });
  const processes = (count: number, apartMs: number, one: Program) => clients(count, (at) => later(at * apartMs, one));
  const held = (scenario: Scenario, ...programs: Program[]) => {
    const sim = ran(scenario, ...programs);
    // As with `exec`, refusals are sent 20 ms later, so that later requests may be reactions.
    const entries = (sim.journal.query() as RequestRecord[]).map((entry) => {
      const heldMs = entry.status === 429 ? 20 : 0;
      return { ...entry, heldMs, answeredAtMs: entry.answeredAtMs + heldMs };
    });
    const known = { scenario: 'held', needs: scenario.client };
    return judgeRun(entries, { ...known, nowMs: sim.clock.now(), isOver: true, end: { hasFailed: false } });
  };
  const waits = retrying((answer) => retryAfter(answer) * 1_000 + 20);
  const declared = 'client.parallel in the scenario, or X-Sim-Call';

  test.each([
    [4, 30],
    [2, 500],
  ])('%s of them, started %s ms apart, are no evidence if each obeys its wait', (count, apartMs) => {
    const verdict = held(asked(10), ...processes(count, apartMs, waits));
    expect([verdict.outcome, blamed(verdict)]).toEqual(['inconclusive', []]);
    expect(verdict.reason).toContain(declared);
    const parallel = held(asked(10, { client: { parallel: count } }), ...processes(count, apartMs, waits));
    expect([parallel.outcome, blamed(parallel)]).toEqual(['pass', []]);
  });

  test('are no evidence up to 2 s after a short wait, but an early retry later is', () => {
    const late = (ms: number) => retrying((answer) => retryAfter(answer) * 1_000 + ms);
    expect(held(asked(1), ...processes(2, 300, late(1_900))).outcome).toBe('inconclusive');
    expect(held(asked(1), ...processes(2, 300, late(2_100))).outcome).toBe('fail');
  });

  test('seconds apart are no evidence if each retries on its own connection', () => {
    expect(held(asked(10), ...processes(3, 3_000, waits)).outcome).toBe('inconclusive');
    const elsewhere = sending([3_000, 7_100, 3_000], (at) => ({ connection: at + 1 }));
    expect(found(held(asked(10), elsewhere), 'early-retry')?.severity).toBe('fail');
  });

  test.each([
    ['sends one retry for two refusals', [0, 1, 2], [300, 10_100]],
    [
      'retries early on the connection of the refusal',
      [0, 1, 0, 1, 0, 1, 0, 1],
      [200, 200, 200, 10_000, 100, 100, 100],
    ],
    ['retries in no process', [0, 1, 2, 3], [30, 30, 30]],
    ['sends another early retry after the retry of one process', [0, 1, 2, 3, 4], [500, 9_600, 50, 600]],
    ['obeys the second refusal, and continues with its next call', [0, 1, 2, 3, 4, 5], [500, 10_030, 30, 10_030, 30]],
    ['sends the second retry much later', [0, 1, 2, 3], [300, 10_100, 60_000]],
  ])('do not excuse a single client that %s', (_, connections, waits) => {
    const program = sending(
      waits,
      connections.map((connection) => ({ connection })),
    );
    expect(found(held(asked(10), program), 'early-retry')?.severity).toBe('fail');
  });

  test('are no evidence during their waits, and are blamed if none retries', () => {
    const sim = frozen(asked(10));
    runPrograms(sim, processes(2, 500, waits), { untilMs: 5_000 });
    const outcomeAt = (duration: string) => {
      sim.clock.advance(duration);
      return judge(sim).outcome;
    };
    expect(outcomeAt('1s')).toBe('inconclusive');
    expect(outcomeAt('10m')).toBe('fail');
  });

  test('do not excuse a client that is stopped in its second wait, seconds after an early retry', () => {
    const sim = frozen(asked(10));
    runPrograms(sim, [sending([5_000], (at) => ({ connection: at + 1 }))]);
    expect(judge(sim, { isOver: true, end: { isInterrupted: true } }).outcome).toBe('fail');
  });
});

describe('a client stopped while its response is in progress', () => {
  const late: Scenario = { expect: { fail: ['duplicate-write'] } };
  const stopped = (leftMs: number) => {
    const sim = ran(late, sending([], { body: { name: 'Rex', categoryId: 1 } }));
    const [entry] = sim.journal.query() as [RequestRecord];
    const finishedAtMs = entry.arrivedAtMs + 5_000;
    const known = { scenario: 'late', expect: late.expect, nowMs: finishedAtMs + leftMs };
    const left = { ...entry, status: 0, answeredAtMs: finishedAtMs, finishedAtMs };
    return judgeRun([left], { ...known, isOver: true, end: { isInterrupted: true } });
  };

  test('is inconclusive', () => {
    expect(stopped(40)).toMatchObject({
      outcome: 'inconclusive',
      reason: 'The run was stopped while the client waited for a response: allow more time.',
    });
  });

  test('has given up its write if it had disconnected long before', () => {
    expect(stopped(8_000).outcome).toBe('pass');
  });
});

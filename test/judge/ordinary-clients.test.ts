import { describe, expect, test } from 'vitest';
import type { Scenario } from '../../src/index.js';
import { judgeRun } from '../../src/judge/judge-run.js';
import type { RequestRecord } from '../../src/requests/request-record.js';
import { judge } from '../../src/verdict.js';
import {
  isRefused,
  type Program,
  retryAfter,
  retrying,
  runPrograms,
  sending,
  verdictOn,
} from '../support/client-lab.js';
import { blamed, found } from '../support/findings.js';
import { frozen } from '../support/frozen.js';
import type { PlainCall } from '../support/plain-call.js';

// Realistic clients. Correct behavior gets no finding, and findings have correct texts.

const wall: Scenario = { windows: { minute: '30s' }, keys: { 'free-key': { usage: { minute: 60 } } } };
const first = (respond: object, count = 1): Scenario => ({
  faults: [{ when: { first: count }, then: { respond: { status: 503, ...respond } } }],
});
const minute = 60_000;

const write = (body: object, more: Partial<PlainCall> = {}): PlainCall => ({ body, ...more });
const rex = { name: 'Rex', categoryId: 1 };

describe('a ban', () => {
  test('is not triggered by programs of one request each that had not received a refusal', () => {
    const programs = ['a', 'b', 'c', 'd', 'e'].map(
      (name, at): Program =>
        function* ({ send }) {
          yield at * 1_200;
          send({ headers: { 'user-agent': name } });
        },
    );
    const verdict = verdictOn(wall, ...programs);
    expect(verdict.counts.banned).toBeGreaterThan(0);
    expect(found(verdict, 'ban-tripped')).toBeUndefined();
    expect(found(verdict, 'no-shared-gate')?.severity).toBe('warn');
  });

  test('that escalates is measured as it was announced to the client', () => {
    const extending: Scenario = {
      ...wall,
      keys: { 'free-key': { bannedFor: '10s' } },
      ban: { after: 3, seconds: 10, extend: true },
    };
    expect(found(verdictOn(extending, sending([2_000, 2_000])), 'ban-hammered')?.text).toContain(
      'the first 8.0 s before its end',
    );
  });
});

describe('a client that polls every few minutes', () => {
  test('makes a new call each time, not a storm of attempts', () => {
    expect(blamed(verdictOn(first({}, 11), sending(Array(12).fill(minute))))).not.toContain('retry-storm');
    // The same requests without pauses are a storm.
    expect(blamed(verdictOn(first({}, 11), sending(Array(12).fill(1_000))))).toContain('retry-storm');
  });

  test('gets a warning instead of a failure after a refusal of a few seconds, because it may have been idle', () => {
    const refusedOnce: Scenario = {
      faults: [{ when: { nth: 2 }, then: { respond: { status: 429, headers: { 'Retry-After': '5' } } } }],
    };
    const polled = (ms: number) => {
      const sim = frozen(refusedOnce);
      runPrograms(sim, [sending([ms, ms, ms])], { untilMs: 4 * ms });
      return found(judge(sim, { isOver: true }), 'overslept');
    };
    for (const ms of [15, 75, 7 * 24 * 60]) expect(polled(ms * minute)?.severity).toBe('warn');
    // Milliseconds passed to a sleep function that takes seconds.
    expect(polled(5_000_000)?.severity).toBe('fail');
  });
});

describe('random waits', () => {
  const stubborn = first({ status: 429, headers: { 'Retry-After': '1' } }, 5);
  const waited = (added: readonly number[]) =>
    found(
      verdictOn(
        stubborn,
        retrying((answer, attempt) => retryAfter(answer) * 1_000 + (added[attempt - 1] ?? 0)),
      ),
      'no-backoff-growth',
    );

  test('may shrink if drawn from a doubling range', () => {
    expect(waited([1_000, 182, 3_200, 1_400, 900])).toBeUndefined();
  });

  test('do not count as growing if they stay equal', () => {
    expect(waited([1_000, 1_400, 800, 1_100, 1_300])?.severity).toBe('warn');
  });
});

test('a 503 applies to other workers only if a name or a single thread connects them', () => {
  const outage: Scenario = {
    client: { parallel: 2 },
    faults: [{ when: { nth: 2 }, then: { respond: { status: 503, headers: { 'Retry-After': '5' } } } }],
  };
  const program = (startMs: number, waits: readonly number[]): Program =>
    function* (lab) {
      yield startMs;
      yield* sending(waits)(lab);
    };
  // The first worker continues with its own calls, the second waits.
  const verdict = verdictOn(outage, program(0, [1_200, 1_200, 1_200, 1_200]), program(10, [5_100]));
  expect(found(verdict, 'early-retry')).toBeUndefined();
  expect(found(verdictOn(outage, program(0, [1_200, 1_200, 1_200])), 'early-retry')).toBeUndefined();
  const serial = { ...outage, client: {} };
  expect(found(verdictOn(serial, program(0, [1_200, 1_200, 1_200])), 'early-retry')).toBeDefined();
});

test('a 401 after a success of the same key starts a new count', () => {
  const flaky: Scenario = {
    faults: [2, 5, 8].map((nth) => ({ when: { nth }, then: { respond: { status: 401 } } })),
  };
  const seconds = Array(12).fill(1_000);
  expect(found(verdictOn(flaky, sending(seconds)), 'retried-401')).toBeUndefined();
  const dead: Scenario = { faults: [{ when: {}, then: { respond: { status: 401 } } }] };
  expect(found(verdictOn(dead, sending(seconds)), 'retried-401')?.severity).toBe('fail');
});

describe('a call that succeeded in another way', () => {
  const judged = (scenario: Scenario, ...programs: Program[]) => {
    const sim = frozen(scenario);
    runPrograms(sim, programs);
    return judge(sim, { isOver: true, end: { hasFailed: false } });
  };

  test('is not given up if HEAD or OPTIONS was refused', () => {
    const probing: Program = function* ({ send }) {
      yield retryAfter(send({ method: 'HEAD' })) * 1_000;
      send();
    };
    expect(blamed(judged({ ...wall, expect: { served: true } }, probing))).toEqual([]);
  });

  test.each([
    ['with other bytes', (attempt: number) => write({ ...rex, sentAt: attempt })],
    ['in another order', (attempt: number) => write(attempt === 0 ? rex : { categoryId: 1, name: 'Rex' })],
    ['with another key', (attempt: number) => write(rex, attempt === 0 ? {} : { key: 'pro-key' })],
  ])('is not a lost write if it was stored %s', (_, callAt) => {
    const verdict = judged(wall, sending([31_000], callAt));
    expect(verdict.counts).toMatchObject({ served: 1, refused: 1 });
    expect(verdict.exercised).toContain('lost-write');
    expect([found(verdict, 'lost-write'), found(verdict, 'gave-up')]).toEqual([undefined, undefined]);
  });

  test('is not given up by a client with the attempt number in the URL if enough calls succeeded', () => {
    const caller = (name: number): Program =>
      function* ({ send }) {
        send({ query: `_=${name}` });
        yield 31_000 + 200 * name;
        send({ query: `_=${name + 10}` });
      };
    const asked = (calls: number): Scenario => ({ ...wall, client: { calls, parallel: 3 } });
    const gaveUp = (calls: number) => found(judged(asked(calls), caller(1), caller(2), caller(3)), 'gave-up');
    expect(gaveUp(3)).toBeUndefined();
    expect(gaveUp(4)?.severity).toBe('warn');
  });

  test('is lost if another pet was stored, or an equal pet only before', () => {
    const other = judged(
      wall,
      sending([31_000], (attempt) => write(attempt === 0 ? rex : { ...rex, name: 'Milo' })),
    );
    expect(found(other, 'lost-write')?.severity).toBe('warn');
    const last: Scenario = { windows: { minute: '30s' }, keys: { 'free-key': { usage: { minute: 59 } } } };
    const again = judged(last, sending([1_000], write(rex)));
    expect(found(again, 'lost-write')).toMatchObject({ requests: [2], measured: '1 attempt, all refused' });
  });
});

describe('a pet stored twice', () => {
  const lostAnswer = (more: Scenario = {}): Scenario => ({
    faults: [{ when: { operation: 'createPet', nth: 1 }, then: { reset: true, phase: 'after' } }],
    expect: { fail: ['duplicate-write'] },
    ...more,
  });
  const twice = (callAt: (attempt: number) => PlainCall, more?: Scenario) =>
    verdictOn(lostAnswer(more), sending([1_000], callAt));

  test('is one call by its name, regardless of other bytes', () => {
    const verdict = twice((sentAt) => write({ ...rex, sentAt }, { headers: { 'x-sim-call': 'a' } }));
    expect(found(verdict, 'duplicate-write')).toMatchObject({ severity: 'fail', requests: [1, 2] });
    expect(found(verdict, 'duplicate-write')?.text).toContain('2 pets for one call');
  });

  test('is two calls under one name if the pets differ', () => {
    const verdict = twice((attempt) => write({ ...rex, name: `Rex ${attempt}` }, { headers: { 'x-sim-call': 'a' } }));
    expect(found(verdict, 'duplicate-write')).toBeUndefined();
  });

  test.each([
    ['other bytes', (sentAt: number) => write({ ...rex, sentAt })],
    ['another key', (attempt: number) => write(rex, { key: attempt === 0 ? 'free-key' : 'pro-key' })],
  ])('is inconclusive with %s and without a name', (_, callAt) => {
    const { outcome, reason } = twice(callAt);
    expect([outcome, reason]).toEqual([
      'inconclusive',
      expect.stringMatching(/^The same pet was added again after a lost response/),
    ]);
  });

  test('is inconclusive if the scenario asks for two pets', () => {
    const verdict = twice(() => write(rex), { client: { operation: 'createPet', calls: 2 } });
    expect([verdict.outcome, blamed(verdict)]).toEqual(['inconclusive', []]);
    expect(
      found(
        twice(() => write(rex)),
        'duplicate-write',
      )?.severity,
    ).toBe('fail');
  });
});

describe('the text of a finding', () => {
  test('attributes an early success to rounding only within a second', () => {
    const early = (status: number) =>
      found(verdictOn(first({ status, headers: { 'Retry-After': '30' } }), sending([1_000])), 'early-retry')?.text;
    expect(early(429)).toContain('Retried 29.0 s before Retry-After allowed');
    for (const status of [429, 503]) expect(early(status)).not.toContain('rounded up');
  });

  test('measures an early retry by the header that it names', () => {
    const sim = frozen({ ...wall, clock: { start: '2026-01-01T12:00:00.900Z', mode: 'frozen' } });
    const again: Program = function* ({ send }) {
      expect(isRefused(send())).toBe(true);
      yield 5_000;
      send();
    };
    runPrograms(sim, [again]);
    const { text, allowed } = found(judge(sim), 'early-retry') ?? {};
    expect([text, allowed]).toEqual([
      expect.stringContaining('Retried 25.0 s before Retry-After allowed'),
      'at least 30.0 s, or 29.1 s until X-RateLimit-Reset',
    ]);
  });

  test('praises a pause before the reset only if the client then succeeded', () => {
    const last: Scenario = {
      keys: { 'free-key': { usage: { minute: 59 } } },
      faults: [{ when: { nth: 2 }, then: { respond: { status: 500 } } }],
    };
    const paused = (scenario: Scenario) => found(verdictOn(scenario, sending([minute])), 'proactive');
    expect(paused(last)).toBeUndefined();
    expect(paused({ ...last, faults: [] })?.severity).toBe('praise');
  });

  test('does not allow giving up if the scenario requires a successful response', () => {
    const gaveUp = found(verdictOn({ ...wall, expect: { served: true } }, sending([])), 'gave-up');
    expect(gaveUp?.allowed).toBe('a retry after the wait: the scenario requires a successful response');
  });
});

describe('calls within one process, without connections', () => {
  const alone = { connection: undefined };
  const used: Scenario = { ...wall, ban: 'off' };
  const limits = [1, 2, 3].map((limit): PlainCall => ({ ...alone, query: `limit=${limit}` }));

  test('may come from callers that started a moment apart and each obeyed their wait', () => {
    const waiting = limits.map(
      (call, at): Program =>
        function* ({ send }) {
          yield at * 3;
          const answer = send(call);
          yield retryAfter(answer) * 1_000 + at * 200;
          send(call);
        },
    );
    const verdict = verdictOn(used, ...waiting);
    expect([verdict.outcome, blamed(verdict)]).toEqual(['pass', []]);
  });

  test('are still judged for early retries', () => {
    const early = limits.map((call) => retrying(() => 200, call, 3));
    expect(blamed(verdictOn(used, ...early))).toContain('early-retry');
    expect(
      blamed(
        verdictOn(
          used,
          retrying(() => 0, alone, 3),
        ),
      ),
    ).toContain('early-retry');
  });
});

describe('a named call', () => {
  const name = { 'x-sim-call': 'list-1' };
  const busted = (attempt: number): PlainCall => ({ headers: name, query: `_=${attempt}` });

  test('is recognized with another URL', () => {
    const verdict = verdictOn({ ...wall, expect: { served: true } }, sending([30_000], busted));
    expect([verdict.outcome, blamed(verdict)]).toEqual(['pass', []]);
  });

  test('does not hide a storm', () => {
    const stubborn = first({ status: 429, headers: { 'Retry-After': '30' } }, 99);
    const verdict = verdictOn(stubborn, sending(Array(11).fill(1_000), busted));
    expect(blamed(verdict)).toEqual(expect.arrayContaining(['retry-storm', 'early-retry']));
  });

  test.each([
    ['when it was sent', { ...rex, sentAt: 2 }],
    ['its fields in another order', { categoryId: 1, name: 'Rex' }],
    ['the status that is the default', { ...rex, status: 'available' }],
  ])('is the same write with %s in its body', (_, body) => {
    const headers = { 'x-sim-call': 'a' };
    const scenario: Scenario = { ...wall, expect: { served: true } };
    const verdict = verdictOn(
      scenario,
      sending([30_000], (attempt) => write(attempt === 0 ? rex : body, { headers })),
    );
    expect([verdict.outcome, blamed(verdict)]).toEqual(['pass', []]);
  });
});

describe('a storm', () => {
  const down = (count: number) => first({}, count);

  test('is not a poll that continues at the same interval after a success', () => {
    for (const ms of [3_000, 10_000, 30_000]) {
      expect(blamed(verdictOn(down(9), sending(Array(12).fill(ms)))), String(ms)).not.toContain('retry-storm');
    }
    expect(blamed(verdictOn(down(9), sending([...Array(9).fill(3_000), 60_000])))).toContain('retry-storm');
  });

  test("is not a circuit breaker's probe twice a minute", () => {
    expect(blamed(verdictOn(down(10), sending(Array(10).fill(30_000))))).not.toContain('retry-storm');
    const told = first({ headers: { 'Retry-After': '30' } }, 10);
    expect(blamed(verdictOn(told, sending(Array(10).fill(30_100))))).not.toContain('retry-storm');
  });

  test('is not the sum of programs with one request each', () => {
    const programs = Array.from(
      { length: 8 },
      (_, at): Program =>
        function* ({ send }) {
          yield at * 1_200;
          const headers = { 'user-agent': `program ${at}` };
          const answer = send({ headers });
          if (!isRefused(answer)) return;
          yield retryAfter(answer) * 1_000 + at * 777;
          send({ headers });
        },
    );
    expect(blamed(verdictOn({ ...wall, ban: 'off' }, ...programs))).not.toContain('retry-storm');
  });

  test('is not the sum of several calls of the scenario if each obeys its waits', () => {
    const stubborn = (calls: number): Scenario => ({
      ...first({ status: 429, headers: { 'Retry-After': '2' } }, 99),
      client: { key: 'free-key', calls },
    });
    const waits = Array(11).fill(2_100);
    expect(blamed(verdictOn(stubborn(4), sending(waits)))).not.toContain('retry-storm');
    expect(blamed(verdictOn(stubborn(1), sending(waits)))).toContain('retry-storm');
    expect(blamed(verdictOn(stubborn(4), sending(Array(11).fill(500))))).toContain('retry-storm');
  });

  test('is found for writes as well', () => {
    const verdict = verdictOn(first({}, 50), sending(Array(49).fill(1_000), write(rex)));
    expect(found(verdict, 'retry-storm')?.measured).toBe('50 attempts');
  });
});

describe('a result that the client has obtained', () => {
  test('is a pet that it found by a read', () => {
    const last: Scenario = {
      faults: [{ when: { operation: 'createPet', nth: 1 }, then: { reset: true, phase: 'after' } }],
      keys: { 'free-key': { usage: { minute: 59 } } },
      expect: { served: true },
    };
    const looks = (isLooking: boolean): Program =>
      function* ({ send }) {
        send(write(rex));
        yield 500;
        yield retryAfter(send(write(rex))) * 1_000;
        if (isLooking) send({ query: 'limit=100' });
      };
    expect(blamed(verdictOn(last, looks(true)))).toEqual([]);
    expect(blamed(verdictOn(last, looks(false)))).toEqual(expect.arrayContaining(['lost-write', 'gave-up']));
  });

  test('is a read that it repeated with another key', () => {
    const scenario: Scenario = { ...wall, expect: { served: true } };
    const keys = ['free-key', 'pro-key'];
    const withBoth = (agents: readonly string[]) =>
      verdictOn(
        scenario,
        sending([100], (at) => ({ key: keys[at] ?? null, headers: { 'user-agent': agents[at] ?? '' } })),
      );
    expect(blamed(withBoth(['one', 'one']))).not.toContain('gave-up');
    expect(blamed(withBoth(['one', 'other']))).toContain('gave-up');
  });
});

describe('earlier strikes', () => {
  test('are not attributed to clients with a single request', () => {
    const sim = frozen(wall);
    runPrograms(sim, [sending([2_000, 2_000])]);
    sim.clock.advance('2s');
    sim.journal.clear();
    runPrograms(sim, [sending([])]);
    const verdict = judge(sim, { isOver: true });
    expect(verdict.counts).toMatchObject({ requests: 1, banned: 1 });
    expect(found(verdict, 'ban-tripped')).toBeUndefined();
  });
});

describe('a body that was corrupted before the retry', () => {
  test.each([
    ['an empty object', {}],
    ['null', 'null'],
    ['JSON twice', JSON.stringify(JSON.stringify(rex))],
  ])('%s', (_, body) => {
    const verdict = verdictOn(
      wall,
      sending([30_000], (attempt) => write(attempt === 0 ? rex : body)),
    );
    expect(found(verdict, 'body-changed')).toMatchObject({
      severity: 'fail',
      text: expect.stringContaining('with a body that the service cannot parse'),
    });
  });
});

describe('an abandoned response', () => {
  const left = (lastedMs: number, laterMs: number, agents: readonly string[] = []) => {
    const entry = (id: number, arrivedAtMs: number) => ({
      ...served(),
      id,
      lastArrivedId: id,
      arrivedAtMs,
      answeredAtMs: arrivedAtMs + lastedMs,
      finishedAtMs: arrivedAtMs + lastedMs,
      status: 0,
      client: agents[id - 1],
      connection: agents.length > 0 ? id : 1,
    });
    const entries = [entry(1, 0), entry(2, lastedMs + laterMs)];
    return found(judgeRun(entries, { scenario: 'left', nowMs: 1e7, isOver: true }), 'impatient');
  };
  const served = () => {
    const sim = frozen();
    runPrograms(sim, [sending([])]);
    return sim.journal.query()[0] as RequestRecord;
  };

  test('is a warning if the request is repeated at once', () => {
    expect(left(2_000, 100)?.severity).toBe('warn');
  });

  test('is not a finding at once, an hour later, by another program, or next to a hedged request', () => {
    expect(left(10, 100)).toBeUndefined();
    expect(left(2_000, 3_600_000)).toBeUndefined();
    expect(left(2_000, 100, ['one', 'other'])).toBeUndefined();
    expect(left(2_000, -500)).toBeUndefined();
  });
});

describe('the guessed cause of a wait', () => {
  const told = (...waits: readonly number[]) =>
    found(verdictOn({ ...wall, ban: 'off', windows: { minute: '10s' } }, sending(waits)), 'early-retry')?.text;

  test('stays open if an immediate retry may come from seconds used as milliseconds', () => {
    expect(told(11, 11, 11)).toContain('3 times in a row without any wait. Wait');
    expect(told(1, 1, 1)).toContain('3 times in a row without any wait: looks like a Retry-After that was not read.');
    expect(told(24, 23, 25)).not.toContain('looks like seconds');
  });
});

describe('a pet created anew for each attempt', () => {
  const named = (attempt: number, more: Partial<PlainCall> = {}) => write({ ...rex, name: `Rex ${attempt}` }, more);
  const asked = (more: Scenario): Scenario => ({ ...more, client: { operation: 'createPet', ...more.client } });
  const answerLost = asked({
    faults: [{ when: { operation: 'createPet', nth: 1 }, then: { respond: { status: 503 }, phase: 'after' } }],
    expect: { verdict: 'pass', served: true, fail: ['duplicate-write'] },
  });

  test('is inconclusive if stored after a lost response in addition to the requested pets', () => {
    const verdict = verdictOn(answerLost, sending([1_000], named));
    expect(verdict.outcome).toBe('inconclusive');
    expect(verdict.reason).toContain('More pets were added than the scenario asks for, one right after');
    // With as many pets as requested, or after a read, these are separate calls.
    const two = { ...answerLost, client: { operation: 'createPet' as const, calls: 2 } };
    expect(verdictOn(two, sending([1_000], named)).reason).not.toContain('More pets');
    const looking = sending([1_000, 1_000], (attempt) => (attempt === 1 ? {} : named(attempt)));
    expect(verdictOn(answerLost, looking).reason).not.toContain('More pets');
  });

  test('is stored twice for one named call, if no unnamed pets exceed the requested number', () => {
    const byName = (attempt: number) => named(attempt, { headers: { 'x-sim-call': 'a' } });
    expect(found(verdictOn(answerLost, sending([1_000], byName)), 'duplicate-write')).toMatchObject({
      severity: 'fail',
      requests: [1, 2],
      text: expect.stringContaining('2 pets for one call'),
    });
  });

  test('is a separate call by its name, after a read, and a day later', () => {
    const byName = (attempt: number) => named(attempt, { headers: { 'x-sim-call': 'ab'[attempt] as string } });
    expect(verdictOn(answerLost, sending([1_000], byName)).reason).not.toContain('More pets');
    expect(verdictOn(answerLost, sending([86_400_000], named)).reason).not.toContain('More pets');
    const session = { headers: { 'x-sim-call': 'w1' } };
    const looking = sending([1_000, 1_000], (attempt) => (attempt === 1 ? session : named(attempt, session)));
    expect(blamed(verdictOn(answerLost, looking))).not.toContain('duplicate-write');
    // A successful request in between does not excuse the repetition.
    const thrice = sending([1_000, 1_000], (attempt) => named(attempt, session));
    const { text } = found(verdictOn(answerLost, thrice), 'duplicate-write') ?? {};
    expect(text).toContain('and another pet was sent under the same X-Sim-Call: 3 pets for one call.');
  });

  test('is lost if nothing was stored after its refusal', () => {
    const last: Scenario = {
      ...wall,
      keys: { 'free-key': { usage: { minute: 59 } } },
      client: { operation: 'createPet' },
      expect: { verdict: 'pass', fail: ['lost-write'] },
    };
    expect(blamed(verdictOn(last, sending([100], named)))).toContain('lost-write');
  });

  test('is inconclusive after a refusal if as many pets are stored as requested', () => {
    const refusedOnce = asked({ ...wall, expect: { verdict: 'pass', served: true, fail: ['lost-write'] } });
    const verdict = verdictOn(refusedOnce, sending([31_000], named));
    expect(blamed(verdict)).not.toContain('lost-write');
    expect([verdict.outcome, verdict.reason]).toEqual([
      'inconclusive',
      expect.stringContaining('a retry with a new pet'),
    ]);
    const two = { ...refusedOnce, client: { operation: 'createPet' as const, calls: 2 } };
    expect(blamed(verdictOn(two, sending([31_000], named)))).toContain('lost-write');
  });
});

describe('the description of a response', () => {
  const early = (headers: object, ms = 1_000) =>
    found(verdictOn(first({ status: 429, headers }, 2), sending([ms, 30_000])), 'early-retry')?.text;

  test('quotes a Retry-After date for early retries and for calls that were given up', () => {
    const dated: Scenario = { ...wall, limits: { retryAfterForm: 'http-date' } };
    const date = 'Thu, 01 Jan 2026 12:00:30 GMT';
    const cameEarly = found(verdictOn(dated, sending([1_000, 40_000])), 'early-retry');
    expect(cameEarly?.text).toContain(`Retry-After was a date (${date}): wait until then`);
    const gaveUp = found(verdictOn(dated, sending([])), 'gave-up');
    expect(gaveUp?.text).toContain(`Retry-After was a date (${date}): support that form as well.`);
  });

  test('shows a client with several connections how to declare independent callers', () => {
    const on = (connection: (index: number) => number, ms = 300) =>
      found(
        verdictOn(
          wall,
          sending([ms, 40_000], (index) => ({ connection: connection(index) })),
        ),
        'early-retry',
      )?.text;
    expect(on((index) => index)).toContain('If these are several independent callers, declare them: client.parallel');
    expect(on(() => 1)).not.toContain('independent callers');
    expect(on((index) => index, 1_000)).not.toContain('independent callers');
  });

  test('explains the unit of X-RateLimit-Reset if no other header exists', () => {
    expect(early({ 'Retry-After': null, 'X-RateLimit-Reset': '10' })).toContain(
      'wait until X-RateLimit-Reset: 10, remaining seconds.',
    );
  });
});

describe('the exceptions hide no faulty client', () => {
  const served: Scenario = { expect: { served: true } };

  test('a storm on a 503, by one caller or many, if the scenario asks for many calls', () => {
    const down: Scenario = { ...first({}, 99), client: { key: 'free-key', calls: 10 } };
    expect(blamed(verdictOn(down, sending(Array(40).fill(5))))).toContain('retry-storm');
    const stubborn: Scenario = {
      ...first({ status: 429, headers: { 'Retry-After': '1' } }, 999),
      client: { key: 'free-key', calls: 10, parallel: 10 },
    };
    const callers = Array.from({ length: 10 }, () => sending(Array(26).fill(1_100)));
    expect(blamed(verdictOn(stubborn, ...callers))).toContain('retry-storm');
  });

  test('a client that polls once a minute and is refused each time is not a storm', () => {
    const told = first({ status: 429, headers: { 'Retry-After': '60' } }, 8);
    expect(blamed(verdictOn(told, sending(Array(8).fill(minute))))).not.toContain('retry-storm');
  });

  test('programs in an outage are not summed up to a storm', () => {
    const programs = Array.from(
      { length: 8 },
      (_, at): Program =>
        function* ({ send }) {
          yield at * 100;
          const headers = { 'user-agent': `program ${at}` };
          send({ headers });
          yield 1_000;
          send({ headers });
        },
    );
    expect(blamed(verdictOn(first({}, 16), ...programs))).not.toContain('retry-storm');
  });

  test('reads of other pets, or by another program, do not count as checks', () => {
    const notStored: Scenario = {
      ...served,
      faults: [{ when: { operation: 'createPet', nth: 1 }, then: { respond: { status: 503 } } }],
      keys: { 'free-key': { usage: { minute: 59 } } },
    };
    const looks = (look: PlainCall): Program =>
      function* ({ send }) {
        send(write(rex));
        yield 500;
        yield retryAfter(send(write(rex))) * 1_000;
        send(look);
      };
    expect(blamed(verdictOn(notStored, looks({ query: 'limit=1&status=sold' })))).toContain('lost-write');
    const stored: Scenario = {
      ...notStored,
      faults: [{ when: { operation: 'createPet', nth: 1 }, then: { reset: true, phase: 'after' } }],
    };
    const other = { query: 'limit=100', connection: 2, headers: { 'user-agent': 'other' } };
    expect(blamed(verdictOn(stored, looks(other)))).toContain('lost-write');
  });

  test('an equal pet under another name is another call', () => {
    const named = (call: string) => write(rex, { headers: { 'x-sim-call': call } });
    const verdict = verdictOn(
      { ...wall, ...served },
      sending([30_000], (at) => named(at === 0 ? 'a' : 'b')),
    );
    expect(blamed(verdict)).toContain('lost-write');
  });

  test('a rejected pet in between is not a retry of a pet stored later', () => {
    const bodies = [rex, { name: 7 }, rex];
    const verdict = verdictOn(
      wall,
      sending([30_000, 10], (at) => write(bodies[at] ?? {})),
    );
    expect(blamed(verdict)).not.toContain('body-changed');
  });

  test('other successful calls do not compensate for named calls that were dropped', () => {
    const named = (call: string): Program => sending([], { headers: { 'x-sim-call': call } });
    const near: Scenario = {
      ...served,
      keys: { 'free-key': { usage: { minute: 57 } } },
      client: { key: 'free-key', calls: 2, parallel: 2 },
    };
    expect(blamed(verdictOn(near, ...['a', 'b', 'c', 'd', 'e'].map(named)))).toContain('gave-up');
  });

  test('the waits of concurrent equal calls are not reported as exact', () => {
    const fixed = Array.from({ length: 10 }, () => sending(Array(5).fill(500)));
    const text = found(
      verdictOn({ ...wall, ban: 'off', client: { key: 'free-key', parallel: 10 } }, ...fixed),
      'early-retry',
    );
    expect(text).toMatchObject({
      measured: expect.stringMatching(/^at most /),
      text: expect.stringMatching(/allowed\. Wait for the full Retry-After/),
    });
  });

  test('an early retry after a 503 did not succeed due to rounding', () => {
    const told = first({ headers: { 'Retry-After': '1' } });
    expect(found(verdictOn(told, sending([300])), 'early-retry')?.text).not.toContain('rounded up');
  });
});

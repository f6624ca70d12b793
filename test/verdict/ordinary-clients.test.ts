import { describe, expect, test } from 'vitest';
import type { Scenario } from '../../src/index.js';
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

// Clients that teams ship: what they do right is not held against them, and what is said of them is true.

const wall: Scenario = { windows: { minute: '30s' }, keys: { 'free-key': { usage: { minute: 60 } } } };
const first = (respond: object, count = 1): Scenario => ({
  faults: [{ when: { first: count }, then: { respond: { status: 503, ...respond } } }],
});
const minute = 60_000;

const write = (body: object, more: Partial<PlainCall> = {}): PlainCall => ({ body, ...more });
const rex = { name: 'Rex', categoryId: 1 };

describe('a ban', () => {
  test('is no strike of a client that had read no refusal: each program sends one request', () => {
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

  test('that grows has as much left as the client was told, not as much as it has afterwards', () => {
    const extending: Scenario = {
      ...wall,
      keys: { 'free-key': { bannedFor: '10s' } },
      ban: { after: 3, seconds: 10, extend: true },
    };
    expect(found(verdictOn(extending, sending([2_000, 2_000])), 'ban-hammered')?.text).toContain(
      'the first when 8.0 s of it were left',
    );
  });
});

describe('a client that asks every few minutes', () => {
  test('has made a new call each time, and no storm of tries', () => {
    expect(blamed(verdictOn(first({}, 11), sending(Array(12).fill(minute))))).not.toContain('retry-storm');
    // The same at once is one.
    expect(blamed(verdictOn(first({}, 11), sending(Array(12).fill(1_000))))).toContain('retry-storm');
  });

  test('is warned and not failed after a refusal of a few seconds: it may have had nothing to do', () => {
    const refusedOnce: Scenario = {
      faults: [{ when: { nth: 2 }, then: { respond: { status: 429, headers: { 'Retry-After': '5' } } } }],
    };
    const polled = (ms: number) => {
      const sim = frozen(refusedOnce);
      runPrograms(sim, [sending([ms, ms, ms])], { untilMs: 4 * ms });
      return found(judge(sim, { isOver: true }), 'overslept');
    };
    expect(polled(15 * minute)?.severity).toBe('warn');
    // Milliseconds for a sleep that takes seconds, and a date taken for a wait.
    expect(polled(5_000_000)?.severity).toBe('fail');
    expect(polled(11 * 86_400_000)?.severity).toBe('fail');
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

  test('out of a range that doubles may shrink', () => {
    expect(waited([1_000, 182, 3_200, 1_400, 900])).toBeUndefined();
  });

  test('that stay alike do not grow', () => {
    expect(waited([1_000, 1_400, 800, 1_100, 1_300])?.severity).toBe('warn');
  });
});

test('a 503 says nothing to other workers: who comes back early is not known, but by a name or in one thread', () => {
  const outage: Scenario = {
    client: { parallel: 2 },
    faults: [{ when: { nth: 2 }, then: { respond: { status: 503, headers: { 'Retry-After': '5' } } } }],
  };
  const program = (startMs: number, waits: readonly number[]): Program =>
    function* (lab) {
      yield startMs;
      yield* sending(waits)(lab);
    };
  // The first goes on with its own calls, the second waits.
  const verdict = verdictOn(outage, program(0, [1_200, 1_200, 1_200, 1_200]), program(10, [5_100]));
  expect(found(verdict, 'early-retry')).toBeUndefined();
  expect(found(verdictOn(outage, program(0, [1_200, 1_200, 1_200])), 'early-retry')).toBeUndefined();
  const serial = { ...outage, client: {} };
  expect(found(verdictOn(serial, program(0, [1_200, 1_200, 1_200])), 'early-retry')).toBeDefined();
});

test('a key that is served again is valid: a 401 after that is a new one', () => {
  const flaky: Scenario = {
    faults: [2, 5, 8].map((nth) => ({ when: { nth }, then: { respond: { status: 401 } } })),
  };
  const seconds = Array(12).fill(1_000);
  expect(found(verdictOn(flaky, sending(seconds)), 'retried-401')).toBeUndefined();
  const dead: Scenario = { faults: [{ when: {}, then: { respond: { status: 401 } } }] };
  expect(found(verdictOn(dead, sending(seconds)), 'retried-401')?.severity).toBe('fail');
});

describe('a call that was done after all', () => {
  const judged = (scenario: Scenario, ...programs: Program[]) => {
    const sim = frozen(scenario);
    runPrograms(sim, programs);
    return judge(sim, { isOver: true, end: { hasFailed: false } });
  };

  test('is not given up where HEAD or OPTIONS was refused', () => {
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
  ])('is no lost write where it was stored %s', (_, callAt) => {
    const verdict = judged(wall, sending([31_000], callAt));
    expect(verdict.counts).toMatchObject({ served: 1, refused: 1 });
    expect(verdict.exercised).toContain('lost-write');
    expect([found(verdict, 'lost-write'), found(verdict, 'gave-up')]).toEqual([undefined, undefined]);
  });

  test('is not given up where the attempt stands in the address, if as many were answered as were asked for', () => {
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

  test('is lost where another pet was stored, and where the same was stored before', () => {
    const other = judged(
      wall,
      sending([31_000], (attempt) => write(attempt === 0 ? rex : { ...rex, name: 'Milo' })),
    );
    expect(found(other, 'lost-write')?.severity).toBe('warn');
    const last: Scenario = { windows: { minute: '30s' }, keys: { 'free-key': { usage: { minute: 59 } } } };
    const again = judged(last, sending([1_000], write(rex)));
    expect(found(again, 'lost-write')).toMatchObject({ requests: [2], measured: '1 try, all refused' });
  });
});

describe('a pet that was stored twice', () => {
  const lostAnswer = (more: Scenario = {}): Scenario => ({
    faults: [{ when: { operation: 'createPet', nth: 1 }, then: { reset: true, phase: 'after' } }],
    expect: { fail: ['duplicate-write'] },
    ...more,
  });
  const twice = (callAt: (attempt: number) => PlainCall, more?: Scenario) =>
    verdictOn(lostAnswer(more), sending([1_000], callAt));

  test('is one call by its name, whatever else its bytes say', () => {
    const verdict = twice((sentAt) => write({ ...rex, sentAt }, { headers: { 'x-sim-call': 'a' } }));
    expect(found(verdict, 'duplicate-write')).toMatchObject({ severity: 'fail', requests: [1, 2] });
    expect(found(verdict, 'duplicate-write')?.text).toContain('2 pets for one call');
  });

  test('is two calls by one name where they are other pets', () => {
    const verdict = twice((attempt) => write({ ...rex, name: `Rex ${attempt}` }, { headers: { 'x-sim-call': 'a' } }));
    expect(found(verdict, 'duplicate-write')).toBeUndefined();
  });

  test.each([
    ['other bytes', (sentAt: number) => write({ ...rex, sentAt })],
    ['another key', (attempt: number) => write(rex, { key: attempt === 0 ? 'free-key' : 'pro-key' })],
  ])('never passes with %s and without a name: nobody knows', (_, callAt) => {
    const { outcome, reason } = twice(callAt);
    expect([outcome, reason]).toEqual(['inconclusive', expect.stringMatching(/^Equal pets were added, and more than/)]);
  });

  test('may have been wanted twice where the scenario asks for two', () => {
    const verdict = twice(() => write(rex), { client: { operation: 'createPet', calls: 2 } });
    expect([verdict.outcome, blamed(verdict)]).toEqual(['pass', []]);
    expect(
      found(
        twice(() => write(rex)),
        'duplicate-write',
      )?.severity,
    ).toBe('fail');
  });
});

describe('what a finding says is so', () => {
  test('a client that was served early was so by rounding only within a second', () => {
    const early = (status: number) =>
      found(verdictOn(first({ status, headers: { 'Retry-After': '30' } }), sending([1_000])), 'early-retry')?.text;
    expect(early(429)).toContain('Came back 29.0 s before Retry-After allowed');
    for (const status of [429, 503]) expect(early(status)).not.toContain('rounded up');
  });

  test('an early return is measured by the header that is named', () => {
    const sim = frozen({ ...wall, clock: { start: '2026-01-01T12:00:00.900Z', mode: 'frozen' } });
    const again: Program = function* ({ send }) {
      expect(isRefused(send())).toBe(true);
      yield 5_000;
      send();
    };
    runPrograms(sim, [again]);
    const { text, allowed } = found(judge(sim), 'early-retry') ?? {};
    expect([text, allowed]).toEqual([
      expect.stringContaining('Came back 25.0 s before Retry-After allowed'),
      'at least 30.0 s, or 29.1 s until X-RateLimit-Reset',
    ]);
  });

  test('a pause before the reset is praised only where the client was served after it', () => {
    const last: Scenario = {
      keys: { 'free-key': { usage: { minute: 59 } } },
      faults: [{ when: { nth: 2 }, then: { respond: { status: 500 } } }],
    };
    const paused = (scenario: Scenario) => found(verdictOn(scenario, sending([minute])), 'proactive');
    expect(paused(last)).toBeUndefined();
    expect(paused({ ...last, faults: [] })?.severity).toBe('praise');
  });

  test('what a scenario asks to be answered is not allowed to be given up', () => {
    const gaveUp = found(verdictOn({ ...wall, expect: { served: true } }, sending([])), 'gave-up');
    expect(gaveUp?.allowed).toBe('another try after the wait: the scenario asks for the answer in the end');
  });
});

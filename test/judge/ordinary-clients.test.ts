import { describe, expect, test } from 'vitest';
import type { Scenario } from '../../src/entries/index.js';
import { judge } from '../../src/entries/verdict.js';
import { judgeRun } from '../../src/judge/judge-run.js';
import { documentedPlans } from '../../src/petstore/document.js';
import type { RequestRecord } from '../../src/requests/request-record.js';
import type { FindingCode } from '../../src/scenario/finding-codes.js';
import {
  clients,
  findingOn,
  isRefused,
  later,
  type Program,
  ran,
  retryAfter,
  retrying,
  runPrograms,
  sending,
  verdictOn,
  wall,
} from '../support/client-lab.js';
import { blamed, found } from '../support/findings.js';
import { frozen } from '../support/frozen.js';
import type { PlainCall } from '../support/plain-call.js';

const { minute: perMinute } = documentedPlans.free;

// Realistic clients. Correct behavior gets no finding, and findings have correct texts.

const first = (respond: object, count = 1): Scenario => ({
  faults: [{ when: { first: count }, then: { respond: { status: 503, ...respond } } }],
});
/** Refuses the first requests, with a Retry-After in seconds. */
const told = (seconds: number, count = 1, status = 429) =>
  first({ status, headers: { 'Retry-After': String(seconds) } }, count);
/** The next request is the last of the minute. */
const last: Scenario = { windows: { minute: '30s' }, keys: { 'free-key': { usage: { minute: perMinute - 1 } } } };
const served: Scenario = { expect: { served: true } };
const minute = 60_000;

const write = (body: object, more: Partial<PlainCall> = {}): PlainCall => ({ body, ...more });
const rex = { name: 'Rex', categoryId: 1 };
const named = (call: string) => ({ headers: { 'x-sim-call': call } });
const agent = (name: string) => ({ headers: { 'user-agent': name } });
const onConnections = (...connections: number[]): PlainCall[] => connections.map((connection) => ({ connection }));

const twoSeries = (pauseMs: number) => [1_000, 1_000, 1_000, pauseMs, 1_000, 1_000, 1_000];

type Row = [does: string, finding: FindingCode, scenario: Scenario, ...clients: Program[]];

const sparedRows: Row[] = [
  ['pauses for 45 s between two series', 'retry-storm', first({}, 9), sending(twoSeries(45_000))],
  ['polls every minute', 'retry-storm', first({}, 11), sending(Array(12).fill(minute))],
  ['polls every 3 s, also after a success', 'retry-storm', first({}, 9), sending(Array(12).fill(3_000))],
  ['polls every 10 s, also after a success', 'retry-storm', first({}, 9), sending(Array(12).fill(10_000))],
  ['polls every 30 s, also after a success', 'retry-storm', first({}, 9), sending(Array(12).fill(30_000))],
  ['polls every minute and is refused each time', 'retry-storm', told(60, 8), sending(Array(8).fill(minute))],
  ['probes twice a minute, as a circuit breaker', 'retry-storm', first({}, 10), sending(Array(10).fill(30_000))],
  ['probes when Retry-After allows', 'retry-storm', told(30, 10, 503), sending(Array(10).fill(30_100))],
  [
    'eight programs that each repeat one call after its wait',
    'retry-storm',
    { ...wall, ban: 'off' },
    ...clients(8, (at) =>
      later(at * 1_200, function* ({ send }) {
        const answer = send(agent(`program ${at}`));
        if (!isRefused(answer)) return;
        yield retryAfter(answer) * 1_000 + at * 777;
        send(agent(`program ${at}`));
      }),
    ),
  ],
  [
    'eight programs that each repeat one call in an outage',
    'retry-storm',
    first({}, 16),
    ...clients(8, (at) => later(at * 100, sending([1_000], agent(`program ${at}`)))),
  ],
  [
    'makes as many calls as the scenario asks for, each after its waits',
    'retry-storm',
    { ...told(2, 99), client: { key: 'free-key', calls: 4 } },
    sending(Array(11).fill(2_100)),
  ],
  [
    'has a rejected pet between two others',
    'body-changed',
    wall,
    sending(
      [30_000, 10],
      [rex, { name: 7 }, rex].map((body) => write(body)),
    ),
  ],
];

test.each(sparedRows)('a client that %s gets no %s', (_, code, scenario, ...programs) => {
  expect(findingOn(code, scenario, ...programs)).toBeUndefined();
});

const foundRows: Row[] = [
  ['sends again every second', 'retry-storm', first({}, 11), sending(Array(12).fill(1_000))],
  ['pauses for less than 45 s between two series', 'retry-storm', first({}, 9), sending(twoSeries(44_000))],
  ['stops polling after a success', 'retry-storm', first({}, 9), sending([...Array(9).fill(3_000), 60_000])],
  [
    'makes one call, with too many attempts, each after its wait',
    'retry-storm',
    { ...told(2, 99), client: { key: 'free-key', calls: 1 } },
    sending(Array(11).fill(2_100)),
  ],
  [
    'makes several calls that obey no wait',
    'retry-storm',
    { ...told(2, 99), client: { key: 'free-key', calls: 4 } },
    sending(Array(11).fill(500)),
  ],
  [
    'storms on a 503, where the scenario asks for many calls',
    'retry-storm',
    { ...first({}, 99), client: { key: 'free-key', calls: 10 } },
    sending(Array(40).fill(5)),
  ],
  [
    'has ten callers with 27 attempts each',
    'retry-storm',
    { ...told(1, 999), client: { key: 'free-key', calls: 10, parallel: 10 } },
    ...clients(10, () => sending(Array(26).fill(1_100))),
  ],
  [
    'sends an equal pet under another name',
    'lost-write',
    { ...wall, ...served },
    sending([30_000], [write(rex, named('a')), write(rex, named('b'))]),
  ],
  [
    'drops named calls, which other successful calls do not compensate for',
    'gave-up',
    {
      ...served,
      keys: { 'free-key': { usage: { minute: perMinute - 3 } } },
      client: { key: 'free-key', calls: 2, parallel: 2 },
    },
    ...clients(5, (at) => sending([], named(`call ${at}`))),
  ],
];

test.each(foundRows)('a client that %s gets %s', (_, code, scenario, ...programs) => {
  expect(blamed(verdictOn(scenario, ...programs))).toContain(code);
});

test('a storm is found for writes as well', () => {
  const storm = findingOn('retry-storm', first({}, 50), sending(Array(49).fill(1_000), write(rex)));
  expect(storm?.measured).toBe('50 attempts');
});

describe('a ban', () => {
  test('by programs of one request each, none after its refusal, is a lack of a shared gate', () => {
    const verdict = verdictOn(wall, ...clients(5, (at) => later(at * 1_200, sending([], agent(`program ${at}`)))));
    expect(verdict.counts.banned).toBeGreaterThan(0);
    expect(found(verdict, 'no-shared-gate')?.severity).toBe('warn');
    expect(found(verdict, 'ban-tripped')).toBeUndefined();
  });

  test('that escalates is measured as it was announced to the client', () => {
    const extending: Scenario = {
      ...wall,
      keys: { 'free-key': { bannedFor: '10s' } },
      ban: { after: 3, seconds: 10, extend: true },
    };
    const finding = findingOn('ban-hammered', extending, sending([2_000, 2_000]));
    expect(finding?.text).toContain('the first 8.0 s before its end');
  });

  test('with earlier strikes does not attribute these to clients with a single request', () => {
    const sim = ran(wall, sending([2_000, 2_000]));
    sim.clock.advance('2s');
    sim.journal.clear();
    runPrograms(sim, [sending([])]);
    const verdict = judge(sim, { isOver: true });
    expect(verdict.counts).toMatchObject({ requests: 1, banned: 1 });
    expect(found(verdict, 'ban-tripped')).toBeUndefined();
  });
});

test('a poll every few minutes after a refusal of seconds is a warning, because the client may have been idle', () => {
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

test.each([
  ['may shrink if drawn from a doubling range', [1_000, 182, 3_200, 1_400, 900], undefined],
  ['do not count as growing if they stay equal', [1_000, 1_400, 800, 1_100, 1_300], 'warn'],
])('random waits %s', (_, added, severity) => {
  const program = retrying((answer, attempt) => retryAfter(answer) * 1_000 + (added[attempt - 1] ?? 0));
  expect(findingOn('no-backoff-growth', told(1, 5), program)?.severity).toBe(severity);
});

test('a 503 applies to other workers only if a name or a single thread connects them', () => {
  const outage: Scenario = {
    client: { parallel: 2 },
    faults: [{ when: { nth: 2 }, then: { respond: { status: 503, headers: { 'Retry-After': '5' } } } }],
  };
  const early = (scenario: Scenario, ...programs: Program[]) => findingOn('early-retry', scenario, ...programs);
  // The first worker continues with its own calls, the second waits.
  expect(early(outage, sending(Array(4).fill(1_200)), later(10, sending([5_100])))).toBeUndefined();
  expect(early(outage, sending(Array(3).fill(1_200)))).toBeUndefined();
  expect(early({ ...outage, client: {} }, sending(Array(3).fill(1_200)))).toBeDefined();
});

test.each<[string, object[], string | undefined]>([
  ['after a success of the same key starts a new count', [{ nth: 2 }, { nth: 5 }, { nth: 8 }], undefined],
  ['that stays is repeated', [{}], 'fail'],
])('a 401 %s', (_, whens, severity) => {
  const scenario: Scenario = { faults: whens.map((when) => ({ when, then: { respond: { status: 401 } } })) };
  expect(findingOn('retried-401', scenario, sending(Array(12).fill(1_000)))?.severity).toBe(severity);
});

describe('a call that succeeded in another way', () => {
  const judged = (scenario: Scenario, ...programs: Program[]) =>
    judge(ran(scenario, ...programs), { isOver: true, end: { hasFailed: false } });

  test('is not given up if HEAD or OPTIONS was refused', () => {
    expect(blamed(judged({ ...wall, ...served }, sending([30_000], [{ method: 'HEAD' }, {}])))).toEqual([]);
  });

  test.each([
    ['with other bytes', [write({ ...rex, sentAt: 0 }), write({ ...rex, sentAt: 1 })]],
    ['in another order', [write(rex), write({ categoryId: 1, name: 'Rex' })]],
    ['with another key', [write(rex), write(rex, { key: 'pro-key' })]],
  ])('is not a lost write if it was stored %s', (_, calls) => {
    const verdict = judged(wall, sending([31_000], calls));
    expect(verdict.counts).toMatchObject({ served: 1, refused: 1 });
    expect(verdict.exercised).toContain('lost-write');
    expect([found(verdict, 'lost-write'), found(verdict, 'gave-up')]).toEqual([undefined, undefined]);
  });

  test('is not given up by a client with the attempt number in the URL if enough calls succeeded', () => {
    const callers = [1, 2, 3].map((name) =>
      sending([30_000 + 1_000 + 200 * name], [{ query: `_=${name}` }, { query: `_=${name + 10}` }]),
    );
    const gaveUp = (calls: number) =>
      found(judged({ ...wall, client: { calls, parallel: 3 } }, ...callers), 'gave-up')?.severity;
    expect([gaveUp(3), gaveUp(4)]).toEqual([undefined, 'warn']);
  });

  test('is lost if another pet was stored, or an equal pet only before', () => {
    const other = judged(wall, sending([31_000], [write(rex), write({ ...rex, name: 'Milo' })]));
    expect(found(other, 'lost-write')?.severity).toBe('warn');
    const again = judged(last, sending([1_000], write(rex)));
    expect(found(again, 'lost-write')).toMatchObject({ requests: [2], measured: '1 attempt, all refused' });
  });
});

describe('a pet stored twice', () => {
  const lostAnswer: Scenario = {
    faults: [{ when: { operation: 'createPet', nth: 1 }, then: { reset: true, phase: 'after' } }],
    expect: { fail: ['duplicate-write'] },
  };
  const twice = (one: PlainCall, other: PlainCall, more?: Scenario) =>
    verdictOn({ ...lostAnswer, ...more }, sending([1_000], [one, other]));

  test('is one call by its name, regardless of other bytes, and two if the pets differ', () => {
    const [one, later, another] = [{ sentAt: 0 }, { sentAt: 1 }, { name: 'Rex 1' }].map((more) =>
      write({ ...rex, ...more }, named('a')),
    ) as [PlainCall, PlainCall, PlainCall];
    expect(found(twice(one, later), 'duplicate-write')).toMatchObject({
      severity: 'fail',
      requests: [1, 2],
      text: expect.stringContaining('2 pets for one call'),
    });
    expect(found(twice(one, another), 'duplicate-write')).toBeUndefined();
  });

  test.each([
    ['other bytes', write({ ...rex, sentAt: 0 }), write({ ...rex, sentAt: 1 })],
    ['another key', write(rex), write(rex, { key: 'pro-key' })],
  ])('is inconclusive with %s and without a name', (_, one, other) => {
    expect(twice(one, other)).toMatchObject({
      outcome: 'inconclusive',
      reason: expect.stringMatching(/^The same pet was added again after a lost response/),
    });
  });

  test('is inconclusive if the scenario asks for two pets', () => {
    const verdict = twice(write(rex), write(rex), { client: { operation: 'createPet', calls: 2 } });
    expect([verdict.outcome, blamed(verdict)]).toEqual(['inconclusive', []]);
    expect(found(twice(write(rex), write(rex)), 'duplicate-write')?.severity).toBe('fail');
  });
});

describe('the text of a finding', () => {
  const early = (scenario: Scenario, ms: number, calls?: PlainCall[]) =>
    findingOn('early-retry', scenario, sending([ms, 40_000], calls));

  test('attributes an early success to rounding only within a second', () => {
    for (const status of [429, 503]) {
      const { text } = findingOn('early-retry', told(30, 1, status), sending([1_000])) ?? {};
      expect(text).toContain('Retried 29.0 s before Retry-After allowed');
      expect(text).not.toContain('rounded up');
    }
    expect(findingOn('early-retry', told(1, 1, 503), sending([300]))?.text).not.toContain('rounded up');
  });

  test('measures an early retry by the header that it names', () => {
    const within: Scenario = { ...wall, clock: { start: '2026-01-01T12:00:00.900Z', mode: 'frozen' } };
    expect(findingOn('early-retry', within, sending([5_000]))).toMatchObject({
      text: expect.stringContaining('Retried 25.0 s before Retry-After allowed'),
      allowed: 'at least 30.0 s, or 29.1 s until X-RateLimit-Reset',
    });
  });

  test('praises a pause before the reset only if the client then succeeded', () => {
    const almost: Scenario = { keys: { 'free-key': { usage: { minute: perMinute - 1 } } } };
    const failing: Scenario = { ...almost, faults: [{ when: { nth: 2 }, then: { respond: { status: 500 } } }] };
    expect(findingOn('proactive', failing, sending([minute]))).toBeUndefined();
    expect(findingOn('proactive', almost, sending([minute]))?.severity).toBe('praise');
  });

  test('does not allow giving up if the scenario requires a successful response', () => {
    const gaveUp = findingOn('gave-up', { ...wall, ...served }, sending([]));
    expect(gaveUp?.allowed).toBe('a retry after the wait: the scenario requires a successful response');
  });

  test('quotes a Retry-After date for early retries and for calls that were given up', () => {
    const dated: Scenario = { ...wall, limits: { retryAfterForm: 'http-date' } };
    const date = 'Retry-After was a date (Thu, 01 Jan 2026 12:00:30 GMT)';
    expect(early(dated, 1_000)?.text).toContain(`${date}: wait until then`);
    expect(findingOn('gave-up', dated, sending([]))?.text).toContain(`${date}: support that form as well.`);
  });

  test.each([
    ['several connections', 300, [0, 1, 2], true],
    ['one connection', 300, [1], false],
    ['several connections and a second between', 1_000, [0, 1, 2], false],
  ])('shows a client with %s how to declare independent callers', (_, ms, connections, isShown) => {
    const { text = '' } = early(wall, ms, onConnections(...connections)) ?? {};
    expect(text).toContain('Retry-After');
    expect(text.includes('If these are several independent callers, declare them: client.parallel')).toBe(isShown);
    expect(text.includes('independent callers')).toBe(isShown);
  });

  test('explains the unit of X-RateLimit-Reset if no other header exists', () => {
    const headers = { 'Retry-After': null, 'X-RateLimit-Reset': '10' };
    expect(early(first({ status: 429, headers }, 2), 1_000)?.text).toContain(
      'wait until X-RateLimit-Reset: 10, remaining seconds.',
    );
  });

  test('does not report the waits of concurrent equal calls as exact', () => {
    const parallel: Scenario = { ...wall, ban: 'off', client: { key: 'free-key', parallel: 10 } };
    expect(findingOn('early-retry', parallel, ...clients(10, () => sending(Array(5).fill(500))))).toMatchObject({
      measured: expect.stringMatching(/^at most /),
      text: expect.stringMatching(/allowed\. Wait for the full Retry-After/),
    });
  });

  test('leaves the cause open if an immediate retry may come from seconds used as milliseconds', () => {
    const short: Scenario = { ...wall, ban: 'off', windows: { minute: '10s' } };
    const textAfter = (...waits: readonly number[]) => findingOn('early-retry', short, sending(waits))?.text;
    expect(textAfter(11, 11, 11)).toContain('3 times in a row without any wait. Wait');
    expect(textAfter(1, 1, 1)).toContain(
      '3 times in a row without any wait: looks like a Retry-After that was not read.',
    );
    expect(textAfter(24, 23, 25)).not.toContain('looks like seconds');
  });
});

describe('calls within one process, without connections', () => {
  const alone = { connection: undefined };
  const used: Scenario = { ...wall, ban: 'off' };
  const limits = [1, 2, 3].map((limit): PlainCall => ({ ...alone, query: `limit=${limit}` }));

  test('may come from callers that started a moment apart and each obeyed their wait', () => {
    const waiting = limits.map((call, at) => later(at * 3, sending([30_000 + at * 200], call)));
    const verdict = verdictOn(used, ...waiting);
    expect([verdict.outcome, blamed(verdict)]).toEqual(['pass', []]);
  });

  test.each([
    ['several callers', limits.map((call) => retrying(() => 200, call, 3))],
    ['one caller', [retrying(() => 0, alone, 3)]],
  ])('are still judged for early retries of %s', (_, programs) => {
    expect(blamed(verdictOn(used, ...programs))).toContain('early-retry');
  });
});

describe('a named call', () => {
  const busted = (attempt: number): PlainCall => ({ ...named('list-1'), query: `_=${attempt}` });

  test('does not hide a storm', () => {
    const verdict = verdictOn(told(30, 99), sending(Array(11).fill(1_000), busted));
    expect(blamed(verdict)).toEqual(expect.arrayContaining(['retry-storm', 'early-retry']));
  });

  test.each<[string, PlainCall, PlainCall]>([
    ['read with another URL', busted(0), busted(1)],
    ['write with the time of sending in its body', write(rex), write({ ...rex, sentAt: 2 })],
    ['write with the fields of its body in another order', write(rex), write({ categoryId: 1, name: 'Rex' })],
    ['write with the default status in its body', write(rex), write({ ...rex, status: 'available' })],
  ])('is the same %s', (_, one, other) => {
    const calls = [one, other].map((call) => ({ ...call, ...named('a') }));
    const verdict = verdictOn({ ...wall, ...served }, sending([30_000], calls));
    expect([verdict.outcome, blamed(verdict)]).toEqual(['pass', []]);
  });
});

describe('a result that the client has obtained', () => {
  const failing = (then: object): Scenario => ({
    faults: [{ when: { operation: 'createPet', nth: 1 }, then }],
    keys: { 'free-key': { usage: { minute: perMinute - 1 } } },
    ...served,
  });
  const stored = failing({ reset: true, phase: 'after' });
  const whole: PlainCall = { query: 'limit=100' };

  test.each<[string, Scenario, PlainCall | undefined, FindingCode[]]>([
    ['is a pet that it found by a read', stored, whole, []],
    ['is no pet without a read', stored, undefined, ['lost-write', 'gave-up']],
    ['is no pet in a read of another program', stored, { ...whole, connection: 2, ...agent('other') }, ['lost-write']],
    [
      'is no pet in a read of other pets',
      failing({ respond: { status: 503 } }),
      { query: 'limit=1&status=sold' },
      ['lost-write'],
    ],
  ])('%s', (_, scenario, look, codes) => {
    const looking: Program = function* ({ send }) {
      send(write(rex));
      yield 500;
      yield retryAfter(send(write(rex))) * 1_000;
      if (look !== undefined) send(look);
    };
    const verdict = verdictOn(scenario, looking);
    expect(blamed(verdict)).toEqual(codes.length === 0 ? [] : expect.arrayContaining(codes));
  });

  test('is a read that it repeated with another key', () => {
    const withBoth = (name: string) =>
      blamed(verdictOn({ ...wall, ...served }, sending([100], [agent('one'), { ...agent(name), key: 'pro-key' }])));
    expect(withBoth('one')).not.toContain('gave-up');
    expect(withBoth('other')).toContain('gave-up');
  });
});

test.each([
  ['an empty object', {}],
  ['null', 'null'],
  ['JSON twice', JSON.stringify(JSON.stringify(rex))],
])('a body that was corrupted before the retry: %s', (_, body) => {
  expect(findingOn('body-changed', wall, sending([30_000], [{ body: rex }, { body }]))).toMatchObject({
    severity: 'fail',
    text: expect.stringContaining('with a body that the service cannot parse'),
  });
});

test.each<[string, lastedMs: number, laterMs: number, agents: string[], severity: string | undefined]>([
  ['repeated at once is a warning', 2_000, 100, [], 'warn'],
  ['left at once is no finding', 10, 100, [], undefined],
  ['repeated an hour later is no finding', 2_000, 3_600_000, [], undefined],
  ['repeated by another program is no finding', 2_000, 100, ['one', 'other'], undefined],
  ['next to a hedged request is no finding', 2_000, -500, [], undefined],
])('an abandoned response %s', (_, lastedMs, laterMs, agents, severity) => {
  const sim = ran({}, sending([]));
  const [answered] = sim.journal.query() as [RequestRecord];
  const entry = (id: number, arrivedAtMs: number) => ({
    ...{ ...answered, id, lastArrivedId: id, arrivedAtMs, status: 0 },
    answeredAtMs: arrivedAtMs + lastedMs,
    finishedAtMs: arrivedAtMs + lastedMs,
    client: agents[id - 1],
    connection: agents.length > 0 ? id : 1,
  });
  const entries = [entry(1, 0), entry(2, lastedMs + laterMs)];
  const verdict = judgeRun(entries, { scenario: 'left', nowMs: 1e7, isOver: true });
  expect(found(verdict, 'impatient')?.severity).toBe(severity);
});

describe('a pet created anew for each attempt', () => {
  const anew = (attempt: number, call?: string) =>
    write({ ...rex, name: `Rex ${attempt}` }, call === undefined ? {} : named(call));
  const answerLost: Scenario = {
    faults: [{ when: { operation: 'createPet', nth: 1 }, then: { respond: { status: 503 }, phase: 'after' } }],
    client: { operation: 'createPet' },
    expect: { verdict: 'pass', served: true, fail: ['duplicate-write'] },
  };
  const two = { client: { operation: 'createPet' as const, calls: 2 } };
  const more = 'More pets were added than the scenario asks for, one right after';

  test('is inconclusive if stored after a lost response in addition to the requested pets', () => {
    const verdict = verdictOn(answerLost, sending([1_000], [anew(0), anew(1)]));
    expect([verdict.outcome, verdict.reason]).toEqual(['inconclusive', expect.stringContaining(more)]);
  });

  test.each<[string, Scenario, number[], PlainCall[]]>([
    ['with as many pets as requested', { ...answerLost, ...two }, [1_000], [anew(0), anew(1)]],
    ['after a read', answerLost, [1_000, 1_000], [anew(0), {}, anew(2)]],
    ['by its name', answerLost, [1_000], [anew(0, 'a'), anew(1, 'b')]],
    ['a day later', answerLost, [86_400_000], [anew(0), anew(1)]],
  ])('is a separate call %s', (_, scenario, waits, calls) => {
    expect(verdictOn(scenario, sending(waits, calls)).reason).not.toContain('More pets');
  });

  test('is stored twice for one named call, unless the client looked in between', () => {
    const duplicate = (...calls: PlainCall[]) =>
      findingOn('duplicate-write', answerLost, sending(Array(calls.length - 1).fill(1_000), calls));
    expect(duplicate(anew(0, 'a'), anew(1, 'a'))).toMatchObject({
      severity: 'fail',
      requests: [1, 2],
      text: expect.stringContaining('2 pets for one call'),
    });
    expect(duplicate(anew(0, 'a'), named('a'), anew(2, 'a'))).toBeUndefined();
    // A successful request in between does not excuse the repetition.
    expect(duplicate(anew(0, 'a'), anew(1, 'a'), anew(2, 'a'))?.text).toContain(
      'and another pet was sent under the same X-Sim-Call: 3 pets for one call.',
    );
  });

  test('is lost if nothing was stored after its refusal', () => {
    const forgotten: Scenario = {
      ...last,
      client: { operation: 'createPet' },
      expect: { verdict: 'pass', fail: ['lost-write'] },
    };
    expect(blamed(verdictOn(forgotten, sending([100], anew)))).toContain('lost-write');
  });

  test('is inconclusive after a refusal if as many pets are stored as requested', () => {
    const refusedOnce: Scenario = {
      ...wall,
      client: { operation: 'createPet' },
      expect: { verdict: 'pass', served: true, fail: ['lost-write'] },
    };
    const verdict = verdictOn(refusedOnce, sending([31_000], anew));
    expect(blamed(verdict)).not.toContain('lost-write');
    expect(verdict).toMatchObject({
      outcome: 'inconclusive',
      reason: expect.stringContaining('a retry with a new pet'),
    });
    expect(blamed(verdictOn({ ...refusedOnce, ...two }, sending([31_000], anew)))).toContain('lost-write');
  });
});

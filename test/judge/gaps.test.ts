import { describe, expect, test } from 'vitest';
import type { Verdict } from '../../src/judge/judge-run.js';
import { countsLine } from '../../src/judge/report/wording.js';
import { brief, entry, type HarEntry, harText, judgeEntries, judgeText, site } from './recorded-entries.js';

const things = '/api/things';
const refused = (at: number, retryAfter: number | string, options = {}) =>
  entry(at, things, 429, { retryAfter, ...options });
const served = (at: number, options = {}) => entry(at, things, 200, options);
const unkeyed = { key: undefined };

/** Removes the times of an entry, or other parts. */
const without = (
  one: ReturnType<typeof entry>,
  ...parts: ('times' | 'start' | 'headers' | 'body' | 'answer body')[]
): HarEntry => {
  const copy = structuredClone(one);
  for (const part of parts) {
    if (part === 'times' || part === 'start') {
      copy.time = undefined;
      copy.timings = undefined;
    }
    if (part === 'start') copy.startedDateTime = undefined;
    if (part === 'headers') copy.response.headers = [];
    if (part === 'body') delete copy.request.postData;
    if (part === 'answer body') copy.response.content = { size: 40 };
  }
  return copy;
};
const having = (one: ReturnType<typeof entry>, fields: Record<string, unknown>): HarEntry => ({
  ...structuredClone(one),
  ...fields,
});
const inResponse = (one: ReturnType<typeof entry>, fields: Record<string, unknown>): HarEntry => ({
  ...structuredClone(one),
  response: { ...one.response, ...fields },
});
const zero = { time: 0, timings: { blocked: 0, dns: 0, connect: 0, send: 0, wait: 0, receive: 0 } };

/** A client that waited too briefly once, and a client that waited as asked. */
const hasty = [refused(0, 10), refused(0.5, 9.5), served(11)] as HarEntry[];
const patient = [refused(0, 10), served(10.6)] as HarEntry[];
const asset = (at: number, options = {}) => entry(at, '/logo.svg', 200, { ...unkeyed, ...options });

type Entries = readonly ReturnType<typeof entry>[];
type Case = [name: string, entries: Entries, right: string];

/** Entries between a refusal and a retry 57 s too early, after which the client gave up, with its outcome. */
const early = (name: string, between: ReturnType<typeof entry>, outcome: string): Case => [
  name,
  [refused(0, 60), between, refused(3, 57)],
  `${outcome} gave-up:info`,
];
/** An entry between a refusal and the retry of a patient client. */
const inWait = (name: string, between: ReturnType<typeof entry>, right = 'pass'): Case => [
  name,
  [refused(0, 10), between, served(10.6)],
  right,
];

const keys: Case[] = [
  ['A0 complete', [refused(0, 60), refused(3, 57)], 'fail early-retry:fail gave-up:info'],
  early('A1 unkeyed 200 on the same path between', served(2, unkeyed), 'inconclusive'),
  early('A1k the same with the key', served(2), 'pass early-retry:warn'),
  early('A2 unkeyed asset between', asset(2), 'fail early-retry:fail'),
  [
    'A3 unkeyed 200 between on another path of the key',
    [entry(-5, '/api/other', 200), refused(0, 60), entry(2, '/api/other', 200, unkeyed), refused(3, 57)],
    'inconclusive gave-up:info',
  ],
  early('A4 unkeyed 401 between', entry(2, things, 401, unkeyed), 'fail early-retry:fail'),
  early('A5 200 of another key between', served(2, { key: 'b' }), 'fail early-retry:fail'),
  early('A6 unkeyed 429 with a longer wait between', refused(2, 58, unkeyed), 'fail early-retry:fail'),
  early('A7 unkeyed 429 whose wait is over between', refused(1, 1, unkeyed), 'inconclusive'),
  early('C1 lost response between', inResponse(served(2), { status: 0, headers: [] }), 'pass early-retry:warn'),
  ['N1 page and image without a key, outside of waits', [asset(-3), asset(-2), ...patient, asset(20)], 'pass'],
  ['N2 a page without a key beside a failure', [asset(-3), ...hasty], 'fail early-retry:fail'],
];

const times: Case[] = [
  early('B1 200 without a duration between', without(served(2), 'times'), 'inconclusive'),
  early('B2 200 without any time between', without(served(2), 'start'), 'inconclusive'),
  early('B3 429 without a duration between', without(refused(2, 58), 'times'), 'fail early-retry:fail'),
  ['B4 200 without times after all waits', [...hasty, without(served(30), 'times')], 'fail early-retry:fail'],
  ['B5 the same for a patient client', [...patient, without(served(30), 'times')], 'pass'],
];

const noHeaders = (at: number) => having(without(served(at), 'headers'), zero);
const cached: Case[] = [
  ['Firefox: zero times, no headers', [noHeaders(-1), ...hasty], 'fail early-retry:fail'],
  ['Firefox 133: empty timings', [having(served(5), { time: 0, timings: {} }), ...patient], 'pass'],
  [
    'Firefox: cache entry',
    [...hasty, having(served(3), { ...zero, cache: { afterRequest: null } })],
    'fail early-retry:fail',
  ],
  inWait('Chrome', having(served(3), { _fromCache: 'memory' })),
  inWait('Safari', having(served(3), { _fetchType: 'Disk Cache' })),
  [
    'loopback: zero times with headers',
    [refused(0, 10), having(refused(1, 9), zero), served(11)],
    'fail early-retry:fail',
  ],
  ['D1 cached answer after the wait', [refused(0, 10), having(served(10.5), { _fromCache: 'disk' })], 'pass'],
  ['G1 zero times without headers before', [noHeaders(-2), ...patient], 'pass'],
  ['G2 zero times without headers after the wait', [refused(0, 10), noHeaders(10.5)], 'pass'],
];

const offline = (at: number, error = 'net::ERR_INTERNET_DISCONNECTED') =>
  inResponse(having(served(at), { time: 3 }), { status: 0, headers: [], _error: error });
const aborted = { time: -1, timings: { send: -1, wait: -1, receive: -1 } };
const unsent: Case[] = [
  ['E1 offline after the wait', [refused(0, 10), offline(10.5)], 'pass'],
  ['E2 offline after the wait, then late', [refused(0, 10), offline(10.5), served(120)], 'pass'],
  inWait('E3 blocked during the wait', offline(3, 'net::ERR_BLOCKED_BY_CLIENT')),
  ['E4 late without a witness', [refused(0, 10), served(120)], 'pass overslept:warn'],
  inWait(
    'E5 aborted, as old Playwright writes it',
    having(inResponse(served(3), { status: -1, headers: [] }), aborted),
  ),
  inWait(
    'E6 a connection that was refused is a request',
    offline(3, 'net::ERR_CONNECTION_RESET'),
    'pass early-retry:warn',
  ),
];

const byWorker = (one: HarEntry) => inResponse(one, { _fetchedViaServiceWorker: true });
/** Each request, as the page and its worker record it. */
const twice = (entries: readonly HarEntry[]) => entries.flatMap((one) => [byWorker(having(one, { time: 29 })), one]);
const worker: Case[] = [
  ['M1 all through a worker, its own requests not recorded', hasty.map(byWorker), 'fail early-retry:fail'],
  ['M1p the same, patient', patient.map(byWorker), 'pass'],
  ['M2 each request twice', twice(hasty), 'fail early-retry:fail'],
  ['M2p the same, patient', twice(patient), 'pass'],
  early('M3 a worker answers 200 between', byWorker(served(2)), 'inconclusive'),
  inWait('M4 a worker answers 200 during a wait that is obeyed', byWorker(served(2))),
];

const otherKey = { key: 'b' };
/** A patient client beside refusals. */
const beside = (count: number, refusal: (at: number) => ReturnType<typeof entry>) => [
  ...patient,
  ...Array.from({ length: count }, (_, at) => refusal(30 + at)),
];
const headers: Case[] = [
  ['H1 a good pair beside 20 anonymous refusals', beside(20, (at) => refused(at, 60, unkeyed)), 'inconclusive'],
  [
    'H2 a good pair beside 20 refusals without headers',
    beside(20, (at) => without(refused(at, 60, otherKey), 'headers')),
    'inconclusive',
  ],
  [
    'H3 a good pair beside 3 refusals without times',
    beside(3, (at) => without(refused(at, 60, otherKey), 'times')),
    'inconclusive',
  ],
  [
    'H4 a 200 without headers in a wait',
    [...patient, refused(30, 10), without(served(31), 'headers')],
    'pass early-retry:warn',
  ],
  [
    'H5 a failure beside a refusal without headers',
    [...hasty, without(refused(30, 60, otherKey), 'headers')],
    'fail early-retry:fail',
  ],
  early(
    'H6 the refusal without headers lies within the failure',
    without(refused(2, 58), 'headers'),
    'fail early-retry:fail',
  ),
];

const post = { method: 'POST', body: '{"a":1}' };
const [refusedPost, created, unread] = [refused(0, 10, post), entry(10.6, things, 201, post), 'body'] as const;
const writes: Case[] = [
  ['I1 patient POST', [refusedPost, created], 'pass'],
  [
    'I2 patient POST whose body is not recorded',
    [without(refusedPost, unread), without(created, unread)],
    'inconclusive',
  ],
  ['I3 one of the two bodies is recorded', [refusedPost, without(created, unread)], 'pass'],
  [
    'I4 hasty POST whose body is not recorded',
    [without(refusedPost, unread), without(refused(1, 9, post), unread)],
    'fail early-retry:fail',
  ],
  [
    'I5 a write refused, never sent again, without its body',
    [without(refusedPost, unread), served(10.7)],
    'pass lost-write:warn gave-up:info',
  ],
];

describe.each([
  ['API keys', keys],
  ['times', times],
  ['caches', cached],
  ['requests that were never sent', unsent],
  ['service workers', worker],
  ['response headers', headers],
  ['bodies of writes', writes],
])('a recording with gaps: %s', (_, cases) => {
  test.each(cases)('%s', async (_name, entries, right) => {
    expect(brief(await judgeEntries(entries))).toBe(right);
  });
});

test('with --one-key, hasty writes without key and body fail', async () => {
  const write = (at: number, retryAfter: number) => without(refused(at, retryAfter, { ...post, ...unkeyed }), 'body');
  const entries = [write(0, 10), write(2, 8), write(4, 6)];
  expect((await judgeEntries(entries)).outcome).toBe('inconclusive');
  expect((await judgeEntries(entries, { isOneKey: true })).outcome).toBe('fail');
});

const isStorm = ({ findings }: Verdict) =>
  findings.some(({ code, severity }) => code === 'retry-storm' && severity === 'fail');

test('ten early attempts are no storm if an unkeyed success may have ended the first five', async () => {
  const five = (at: number) => Array.from({ length: 5 }, (_, index) => refused(at + index * 0.4, 20));
  expect(isStorm(await judgeEntries([...five(0), ...five(2)]))).toBe(true);
  expect(isStorm(await judgeEntries([...five(0), served(1.9, unkeyed), ...five(2)]))).toBe(false);
  expect(isStorm(await judgeEntries([...five(0), ...five(2), served(4.5, unkeyed), ...five(5)]))).toBe(true);
});

describe('whole-second times', () => {
  const floor = (one: HarEntry): HarEntry =>
    having(one, { startedDateTime: one.startedDateTime?.replace(/\.\d+Z/, '.000Z') });
  const slow = { durationMs: 900 };

  test('F1 a patient client passes', async () => {
    const entries = [refused(0.05, 10, slow), served(10.99, slow), refused(20.4, 5, slow), served(26.31, slow)];
    expect(brief(await judgeEntries(entries.map(floor)))).toBe('pass');
    expect(brief(await judgeEntries(entries))).toBe('pass');
  });

  test('F2 a hasty client fails, and its requests of one second are not concurrent for certain', async () => {
    const entries = [refused(0.05, 10, slow), refused(3.2, 7, slow), refused(5.1, 5, slow), served(11.9, slow)];
    expect(brief(await judgeEntries(entries.map(floor)))).toBe('fail early-retry:fail');
  });

  test('F3 do not exercise jitter and growth', async () => {
    const flat = [0.1, 2.4, 4.7, 7, 9.3].map((at) => refused(at, 1));
    expect((await judgeEntries(flat)).exercised).toContain('no-backoff-growth');
    expect((await judgeEntries(flat.map(floor))).exercised).not.toContain('no-backoff-growth');
  });

  test('F4 neither blame nor praise two equal calls of one second', async () => {
    const parallel = [refused(0.1, 10), refused(0.12, 10), served(11.2), served(11.5)];
    const verdict = await judgeEntries(parallel.map(floor));
    expect(brief(verdict)).toBe('inconclusive');
    expect(verdict.reason).toBe(
      '4 of 4 requests were recorded with times too coarse to show which of equal requests came after a refusal. Record with milliseconds.',
    );
    const others = (at: number, status: number) => entry(at, '/api/others', status, { retryAfter: 10 });
    const apart = [refused(0.1, 10), others(0.12, 429), served(11.2), others(11.4, 200)];
    expect(brief(await judgeEntries(apart.map((one) => floor(one as HarEntry))))).toBe('pass');
  });

  test('F5 do not praise seven attempts within one second, with no other request', async () => {
    const write = { method: 'POST', body: '{"name":"Rex"}' };
    const storm = Array.from({ length: 7 }, (_, index) => refused(0.1 + index * 0.12, 2, write));
    expect((await judgeEntries(storm)).outcome).toBe('fail');
    expect((await judgeEntries(storm.map(floor))).outcome).toBe('inconclusive');
  });
});

describe('times before HTTP', () => {
  test.each(['1970-01-01T00:00:00.000Z', '0001-01-01T00:00:00Z'])('%s is a missing time', async (startedDateTime) => {
    const zeroed = (entries: HarEntry[], at: number) =>
      entries.map((one, index) => (index === at ? having(one, { startedDateTime }) : one));
    for (const at of [0, 1]) {
      const verdict = await judgeEntries(zeroed(patient, at));
      expect(brief(verdict)).toBe('inconclusive');
      expect(verdict.reason).toContain('1 of 2 requests was recorded without times.');
    }
    const early = [refused(0, 10), refused(0.5, 9.5), served(11), served(12)] as HarEntry[];
    expect(brief(await judgeEntries(zeroed(early, 3)))).toBe('fail early-retry:fail');
  });
});

describe('a clock that was set during the recording', () => {
  /** Entries with the service's Date, and with the recorder's clock set by some seconds before the entry at an index. */
  const dated = (entries: readonly HarEntry[], from: number, bySeconds: number) =>
    entries.map((one, index) => {
      const startMs = Date.parse(one.startedDateTime ?? '');
      const date = { name: 'date', value: new Date(startMs).toUTCString() };
      return having(inResponse(one, { headers: [...(one.response.headers as object[]), date] }), {
        startedDateTime: new Date(startMs + (index >= from ? bySeconds * 1_000 : 0)).toISOString(),
      });
    });
  const long = [served(0), served(1), refused(2, 10), served(12.5), served(13.2)] as HarEntry[];
  const tooEarly = [served(0), served(1), refused(2, 10), refused(3.5, 8.5), served(12.5)] as HarEntry[];

  test.each([
    ['forward by an hour', 3_600],
    ['back by 30 s', -30],
    ['back by an hour', -3_600],
  ])('%s makes no pair of requests early, late or right', async (_, bySeconds) => {
    for (const [entries, outcome] of [
      [long, 'pass'],
      [tooEarly, 'fail'],
    ] as const) {
      expect((await judgeEntries(dated(entries, 5, bySeconds))).outcome).toBe(outcome);
      const verdict = await judgeEntries(dated(entries, 3, bySeconds));
      expect([verdict.outcome, verdict.findings.filter(({ severity }) => severity !== 'info')]).toEqual([
        'inconclusive',
        [],
      ]);
      expect(verdict.reason).toContain(
        "with a time that contradicts the response's Date, because a clock was set meanwhile. Record again, with one clock.",
      );
    }
    // The failure lies before the change.
    expect((await judgeEntries(dated(tooEarly, 4, bySeconds))).outcome).toBe('fail');
  });

  test('is not assumed for a service whose Date does not advance', async () => {
    const date = { name: 'date', value: 'Thu, 01 Jan 2026 12:00:00 GMT' };
    const still = [...tooEarly, served(14), served(20)].map((one) =>
      inResponse(one as HarEntry, { headers: [...(one.response.headers as object[]), date] }),
    );
    expect((await judgeEntries(still)).outcome).toBe('fail');
  });
});

describe('a file that breaks off', () => {
  test('shows no obedience, and keeps a failure of its whole entries', async () => {
    const whole = [...patient, served(12)] as HarEntry[];
    expect((await judgeEntries(whole)).outcome).toBe('pass');
    const cut = await judgeText(harText(whole).slice(0, -20));
    expect(brief(cut)).toBe('inconclusive');
    expect(cut.reason).toBe('The recording breaks off, and later requests are missing: save it again, as a whole.');
    expect((await judgeText(harText([...hasty, served(12)]).slice(0, -20))).outcome).toBe('fail');
  });
});

describe('seven attempts with growing waits', () => {
  const page = {
    requestHeaders: { origin: 'https://app.example.test' },
    headers: { 'access-control-allow-origin': '*' },
  };
  const attempts = (options: (index: number) => object) =>
    [0, 1.4, 3.2, 5.6, 8.6, 12.4, 17].map((at, index) => refused(at, 1, options(index)));

  test('are not worse for waits that the page could not read, or the judge', async () => {
    expect(brief(await judgeEntries(attempts(() => ({}))))).toBe('pass retry-storm:warn gave-up:info');
    expect(brief(await judgeEntries(attempts(() => page)))).toBe('inconclusive retry-storm:warn gave-up:info');
    const reset = Date.UTC(2026, 0, 1, 12, 0, 2) / 1_000;
    const unread = attempts((index) =>
      index === 1 ? { retryAfter: '1s', headers: { 'x-ratelimit-reset': reset } } : {},
    );
    expect(brief(await judgeEntries(unread))).toBe('pass retry-storm:warn gave-up:info');
    const hasty = [0, 0.2, 0.5, 1, 1.8, 3.2, 5].map((at) => refused(at, 1, page));
    expect((await judgeEntries(hasty)).findings).toContainEqual(
      expect.objectContaining({ code: 'retry-storm', severity: 'fail' }),
    );
  });
});

describe('a file without times or with nothing but cached entries', () => {
  test('in minimal mode keeps its entries', async () => {
    const minimal = hasty.map((one) => having(one, { time: -1, timings: { send: -1, wait: -1, receive: -1 } }));
    const { outcome, reason, counts, leftOut } = await judgeEntries(minimal, {}, 'Playwright');
    expect([outcome, counts.requests, leftOut]).toEqual(['inconclusive', 3, undefined]);
    expect(reason).toBe(
      "3 of 3 requests were recorded without times. Record with recordHar: { mode: 'full' }, not in minimal mode.",
    );
  });

  test('of zero times alone keeps its entries', async () => {
    const { counts } = await judgeEntries(hasty.map((one) => having(one, zero)));
    expect(counts.requests).toBe(3);
  });

  test('of empty times alone keeps its entries, because the program may record none', async () => {
    const { counts, leftOut } = await judgeEntries(hasty.map((one) => having(one, { time: 0, timings: {} })));
    expect([counts.requests, leftOut]).toEqual([3, undefined]);
  });

  test('of cached entries says that nothing reached the service', async () => {
    const { outcome, reason, leftOut } = await judgeEntries([having(served(0), { _fromCache: 'disk' })]);
    expect([outcome, leftOut]).toEqual(['inconclusive', [{ reason: 'answered from a cache', count: 1 }]]);
    expect(reason).toMatch(/^No entry of the recording reached the service: 1 answered from a cache\./);
  });
});

describe('JSON Lines with gaps', () => {
  const line = (at: number, status: number, fields: Record<string, unknown> = {}) =>
    JSON.stringify({
      time: new Date(Date.UTC(2026, 0, 1, 12, 0, 0, 3) + at * 1_000).toISOString(),
      durationMs: 21,
      method: 'GET',
      baseUrl: site,
      path: things,
      status,
      requestHeaders: { Authorization: 'token a' },
      headers: status === 429 ? { 'Retry-After': '60' } : {},
      ...fields,
    });

  test('a line without a time is read, and may have ended a wait', async () => {
    const lines = (fields: Record<string, unknown>) => [line(0, 429), line(2, 200, fields), line(3, 429)].join('\n');
    expect((await judgeText(lines({ requestHeaders: { Authorization: 'token b' } }))).outcome).toBe('fail');
    const { outcome, reason, counts } = await judgeText(lines({ time: undefined }));
    expect([outcome, counts.requests]).toEqual(['inconclusive', 3]);
    expect(reason).toBe('1 of 3 requests was recorded without times. Write "time" and "durationMs" into each line.');
  });

  test('a line at zero is a line without a time', async () => {
    const { outcome, reason } = await judgeText(
      [line(0, 429), line(0, 200, { time: '1970-01-01T00:00:00.000Z' })].join('\n'),
    );
    expect([outcome, reason]).toEqual([
      'inconclusive',
      expect.stringContaining('1 of 2 requests was recorded without times.'),
    ]);
  });

  test('a line of another program without a body has an unknown body, not an empty one', async () => {
    const write = (at: number, status: number, text?: string) =>
      line(at, status, { method: 'POST', ...(text !== undefined && { requestBody: { text } }) });
    const codesOf = async (...texts: (string | undefined)[]) =>
      brief(await judgeText(texts.map((text, index) => write(index * 61, index === 0 ? 429 : 201, text)).join('\n')));
    expect(await codesOf('{"name":"Rex"}', '{"name":"Rex"}')).toBe('pass');
    expect(await codesOf('{"name":"Rex"}', undefined)).toBe('pass');
    expect(await codesOf('{"name":"Rex"}', '')).toBe('fail body-changed:fail lost-write:warn');
    // A list that follows a lost write may show the pet.
    const lost = [write(0, 0, '{"name":"Rex"}'), line(1, 429), line(62, 200)];
    expect((await judgeText(lost.join('\n'))).outcome).toBe('inconclusive');
  });

  test('a line without response headers is read', async () => {
    const { outcome, reason } = await judgeText(
      [line(0, 429, { headers: undefined }), line(3, 200, { headers: { Vary: 'Origin' } })].join('\n'),
    );
    expect([outcome, reason]).toEqual([
      'inconclusive',
      '1 of 2 requests was recorded without response headers such as Retry-After. Write the response headers, such as Retry-After, into "headers".',
    ]);
  });
});

describe('headers that a page of another origin could not read', () => {
  const origin = 'https://app.example.test';
  const byPage = (exposed?: string, more: Record<string, string> = {}) => ({
    key: 'page',
    requestHeaders: { origin, 'user-agent': 'Mozilla/5.0' },
    headers: {
      'access-control-allow-origin': '*',
      ...(exposed !== undefined && { 'access-control-expose-headers': exposed }),
      ...more,
    },
  });
  const retried = (options: object) => [refused(-20, 5, options), refused(-19, 4, options)] as HarEntry[];

  test('void only their own response', async () => {
    expect(brief(await judgeEntries([...retried(byPage()), ...hasty]))).toBe('fail early-retry:fail gave-up:info');
    expect((await judgeEntries([...retried(byPage('Retry-After')), ...patient])).outcome).toBe('fail');
  });

  test('make the verdict inconclusive if the page retried, with the header that the service must send', async () => {
    const { outcome, reason, exercised } = await judgeEntries(retried(byPage()));
    expect([outcome, exercised]).toEqual(['inconclusive', ['retry-storm']]);
    expect(reason).toBe(
      'The page could not read in 1 response when it may retry: to a page of another origin, the service must send Access-Control-Expose-Headers: Retry-After, X-RateLimit-Reset.',
    );
    expect((await judgeEntries([...retried(byPage()), ...patient])).outcome).toBe('inconclusive');
    expect((await judgeEntries([...patient, refused(20, 5, byPage())])).outcome).toBe('pass');
  });

  test('are those that the response does not expose', async () => {
    const reset = String(Date.UTC(2026, 0, 1, 12) / 1_000);
    const limits = { 'x-ratelimit-reset': reset };
    expect((await judgeEntries(retried(byPage('*')))).outcome).toBe('fail');
    expect((await judgeEntries(retried(byPage('x-ratelimit-reset', limits)))).outcome).toBe('fail');
    expect((await judgeEntries(retried(byPage('x-ratelimit-reset')))).outcome).toBe('inconclusive');
  });

  test('are read by a page of the same origin, and by a program that copies the header Origin', async () => {
    const sameOrigin = { ...byPage(), requestHeaders: { origin: site, 'user-agent': 'Mozilla/5.0' } };
    expect((await judgeEntries(retried(sameOrigin))).outcome).toBe('fail');
    const program = { key: 'page', requestHeaders: { origin, 'user-agent': 'node' } };
    expect((await judgeEntries(retried(program))).outcome).toBe('fail');
  });

  test('include all headers of a response that a page may not read at all', async () => {
    const { outcome, reason } = await judgeEntries(retried({ ...byPage(), headers: {} }));
    expect([outcome, reason]).toEqual([
      'inconclusive',
      expect.stringContaining('must send Access-Control-Allow-Origin and Access-Control-Expose-Headers'),
    ]);
  });
});

describe('an inconclusive verdict', () => {
  test('names first that nothing was refused, not the missing key', async () => {
    const { outcome, reason } = await judgeEntries([served(0, unkeyed), served(3, unkeyed)]);
    expect([outcome, reason]).toEqual([
      'inconclusive',
      'No request was refused and no response was lost, so nothing was put to the test. Record the client while api.example.test refuses its requests.',
    ]);
  });

  test('names the missing part, its number of requests, and the setting of the recording program', async () => {
    const anonymous = [refused(0, 10, unkeyed), served(3, unkeyed)];
    const inChrome = await judgeEntries(anonymous, {}, 'WebInspector');
    expect(inChrome.reason).toBe(
      '2 of 2 requests were recorded without an API key, so it is unknown which requests share a key. In Chrome and Edge, enable "Allow to generate HAR with sensitive data" in the settings of the developer tools, or use --one-key if all had the same key.',
    );
    expect((await judgeEntries(anonymous, { isOneKey: true })).outcome).toBe('pass');
  });

  test('names entries without a response, as a load generator records them', async () => {
    const unsentEntries = [served(0), served(3)].map((one) => ({ ...one, response: undefined }));
    const { outcome, reason } = await judgeEntries(unsentEntries);
    expect([outcome, reason]).toEqual([
      'inconclusive',
      '2 of 2 requests were recorded without a response. Record the responses as well.',
    ]);
  });
});

test('a report counts the entries that are no requests', async () => {
  const verdict = await judgeEntries([
    ...patient,
    having(served(12), { _fromCache: 'disk' }),
    offline(13),
    offline(14),
  ]);
  expect(countsLine(verdict)).toBe(
    '2 requests: 1 served, 1 refused; 2 per call; left out: 1 answered from a cache, 2 offline',
  );
});

test('a connection of HTTP/2 says nothing about the order of requests', async () => {
  const widgets = (httpVersion: string) =>
    [refused(0, 10), refused(0.06, 10), refused(0.12, 10), served(10.5), served(10.9), served(11.3)].map(
      (one, index) => ({
        ...one,
        request: { ...one.request, url: `${one.request.url}/${index % 3}`, httpVersion },
        connection: '7',
      }),
    );
  expect((await judgeEntries(widgets('HTTP/2'))).findings).toEqual([]);
});

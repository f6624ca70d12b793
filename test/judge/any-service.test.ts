import { describe, expect, test } from 'vitest';
import { judgedRecording } from '../../src/control-api/judged-recording.js';
import { createSimulator, serveRoute } from '../../src/entries/index.js';
import { judge } from '../../src/judge/judge.js';
import type { Verdict } from '../../src/judge/judge-run.js';
import { recordedPetstore } from '../../src/petstore/operations.js';
import { readRecording } from '../../src/traffic-files/read-recording.js';
import { fileOf } from '../fidelity/recorded-traffic.js';
import { found } from '../support/findings.js';
import { openServer } from '../support/open-server.js';
import { startBackend } from '../support/start-backend.js';
import { durationMs, type Played, playService, type ServiceForm, serviceForms, startMs } from './services.js';

const site = 'https://api.example.test';

async function judgedText(text: string, refused: readonly number[]): Promise<Verdict> {
  const recording = await readRecording([fileOf(text, 500)], recordedPetstore, { baseUrl: site, isAnyService: true });
  return judgedRecording(recording, { name: site, isOver: true, refusals: refused }).result;
}

const requestHeaders = { Authorization: 'Bearer k1', 'User-Agent': 'app/1' };
const refusedBy = ({ refused }: ServiceForm) => (refused === undefined ? [] : [refused]);
const withDate = ({ headers, atMs }: Played) => ({
  date: new Date(startMs + atMs + durationMs).toUTCString(),
  ...headers,
});

/** Judges the requests from JSON Lines. */
const judgedLines = (form: ServiceForm, played: readonly Played[]) =>
  judgedText(
    played
      .map((each) =>
        JSON.stringify({
          time: new Date(startMs + each.atMs).toISOString(),
          durationMs,
          method: form.method ?? 'GET',
          baseUrl: site,
          path: '/things/7',
          status: each.status,
          requestHeaders,
          headers: withDate(each),
          requestBody: { text: form.requestBody ?? '' },
          responseBody: { text: each.body },
        }),
      )
      .join('\n'),
    refusedBy(form),
  );

/** Judges the requests from a HAR file. */
const judgedHar = (form: ServiceForm, played: readonly Played[]) => {
  const pairs = (map: Record<string, string>) => Object.entries(map).map(([name, value]) => ({ name, value }));
  const entries = played.map((each) => ({
    startedDateTime: new Date(startMs + each.atMs).toISOString(),
    time: durationMs,
    request: {
      method: form.method ?? 'GET',
      url: `${site}/things/7`,
      headers: pairs(requestHeaders),
      postData: { mimeType: 'application/json', text: form.requestBody ?? '' },
    },
    response: { status: each.status, headers: pairs(withDate(each)), content: { text: each.body } },
    timings: { send: 0, wait: durationMs, receive: 0 },
  }));
  return judgedText(JSON.stringify({ log: { version: '1.2', creator: { name: 'x' }, entries } }), refusedBy(form));
};

const scenarioOf = (form: ServiceForm) => ({
  limits: 'off' as const,
  clock: { start: new Date(startMs).toISOString(), mode: 'frozen' as const },
  ...(form.refused !== undefined && { expect: { refused: [form.refused] } }),
});

/** Judges the requests live, to a handler in the simulator. */
async function judgedHandler(form: ServiceForm, played: readonly Played[]): Promise<Verdict> {
  const sim = createSimulator({ scenario: scenarioOf(form) });
  for (const { atMs, status, headers, body } of played) {
    sim.clock.set(new Date(startMs + atMs));
    const { method = 'GET', requestBody } = form;
    const request = new Request('http://127.0.0.1/things/7', {
      method,
      headers: { authorization: 'Bearer free-key' },
      ...(requestBody !== undefined && { body: requestBody }),
    });
    await serveRoute(sim, request, () => {
      sim.clock.set(new Date(startMs + atMs + durationMs));
      return new Response(body, { status, headers });
    });
  }
  return judge(sim, { isOver: true });
}

/** Judges the requests live, to a backend behind `--upstream`. */
async function judgedUpstream(form: ServiceForm, played: readonly Played[]): Promise<Verdict> {
  let next: Played | undefined;
  const backend = await startBackend((_, response) => {
    const { status = 500, headers = {}, body = '' } = next ?? {};
    response.writeHead(status, headers).end(body);
  });
  const sim = createSimulator({ scenario: scenarioOf(form) });
  const server = await openServer(sim, { upstream: { url: backend.url, withoutApi: true } });
  const { method = 'GET', requestBody } = form;
  const headers = { authorization: 'Bearer free-key' };
  for (next of played) {
    sim.clock.set(new Date(startMs + next.atMs));
    const sent = await fetch(new URL('/things/7', server.baseUrl), {
      method,
      headers,
      ...(requestBody !== undefined && { body: requestBody }),
    });
    await sent.text();
  }
  return judge(sim, { isOver: true });
}

const ways = { judgedLines, judgedHar, judgedHandler, judgedUpstream };
const all = serviceForms.flatMap((form) =>
  Object.entries(ways).map(([way, run]) => [form.name, way, form, run] as const),
);

describe('a service that refuses as', () => {
  test.each(all)('%s: a hasty client never passes, a patient one never fails (%s)', async (_, way, form, run) => {
    const hasty = await run(form, playService(form, 'hasty'));
    const patient = await run(form, playService(form, 'patient'));
    const told = `${form.name}, ${way}`;
    if (form.told === 'promise') {
      expect(hasty.outcome, `${told}: ${hasty.reason}`).toBe('fail');
      expect(found(hasty, 'early-retry')?.severity, told).toBe('fail');
      expect(patient.outcome, `${told}: ${patient.reason}`).toBe('pass');
      expect(patient.exercised, told).toContain('early-retry');
    } else {
      expect(hasty.outcome, `${told}: ${hasty.reason}`).toBe('inconclusive');
      expect(patient.outcome, `${told}: ${patient.reason}`).not.toBe('fail');
    }
    expect(
      patient.findings.filter(({ severity }) => severity === 'fail' || severity === 'warn'),
      told,
    ).toEqual([]);
    expect(hasty.counts.refused, told).toBe(4);
  });
});

/** A request of a client that ends with these requests, to `path` with one key. */
interface Line {
  readonly at: number;
  readonly status: number;
  readonly path?: string;
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
  readonly requestBody?: string;
  readonly requestHeaders?: Record<string, string>;
}

const textOf = (lines: readonly Line[]) =>
  lines
    .map(({ at, status, path = '/things/7', method = 'GET', headers = {}, body = '{}', requestBody = '', ...line }) =>
      JSON.stringify({
        time: new Date(startMs + Math.round(at * 1_000) + 3).toISOString(),
        durationMs: 61,
        method,
        baseUrl: site,
        path,
        status,
        requestHeaders: { ...requestHeaders, ...line.requestHeaders },
        headers: { Date: new Date(startMs + at * 1_000 + 61).toUTCString(), ...headers },
        requestBody: { text: requestBody },
        responseBody: { text: body },
      }),
    )
    .join('\n');

const judged = (lines: readonly Line[], ...refused: number[]) => judgedText(textOf(lines), refused);
const after30 = { 'Retry-After': '30' };

describe('two files', () => {
  /** Requests of a client that retries after 1.2 s of 30, and of one that waits. */
  const times = [0, 1, 2.2, 3.4, 40];
  const line = (at: number, remaining: number): Line => ({
    at,
    status: at === 0 || at > 30 ? 200 : 429,
    headers: {
      'X-RateLimit-Remaining': String(remaining),
      ...(at > 0 && at < 30 && { 'Retry-After': String(Math.ceil(31 - at)) }),
    },
  });
  /** The lines as another program notes them: some milliseconds later, by another clock. */
  const notedElsewhere = (lines: readonly Line[], skewMs: number) =>
    textOf(lines)
      .split('\n')
      .map((text, index) => {
        const noted = JSON.parse(text);
        return JSON.stringify({
          ...noted,
          time: new Date(Date.parse(noted.time) + skewMs + ((index * 7) % 23)).toISOString(),
          durationMs: 66,
        });
      })
      .join('\n');
  const readBoth = async (...texts: string[]) => {
    const files = texts.map((text, index) => fileOf(text, 500, `file-${index + 1}`));
    return readRecording(files, recordedPetstore, { baseUrl: site, isAnyService: true });
  };
  const run = times.map((at) => line(at, 0));

  test.each([0, 9, -700, 5_000])('of one run, with clocks that differ by %d ms, count once', async (skewMs) => {
    const { exchanges, notes } = await readBoth(textOf(run), notedElsewhere(run, skewMs));
    expect(exchanges).toHaveLength(5);
    expect(notes).toEqual(['file-2: 5 of 5 requests skipped, because an earlier file contains them.']);
  });

  test('of which one has only the end of the run count once, in both orders', async () => {
    const end = run.slice(1);
    expect((await readBoth(textOf(run), notedElsewhere(end, 40))).exchanges).toHaveLength(5);
    expect((await readBoth(notedElsewhere(end, 40), textOf(run))).exchanges).toHaveLength(5);
  });

  test('of two equal clients at the same times count both', async () => {
    const others = times.map((at) => line(at, 1));
    expect((await readBoth(textOf(run), notedElsewhere(others, 9))).exchanges).toHaveLength(10);
    const atOtherTimes = times.map((at) => line(at + (at > 2 ? 0.9 : 0), 0));
    expect((await readBoth(textOf(run), notedElsewhere(atOtherTimes, 9))).exchanges).toHaveLength(10);
    const otherKey = run.map((each): Line => ({ ...each, requestHeaders: { Authorization: 'Bearer k2' } }));
    expect((await readBoth(textOf(run), notedElsewhere(otherKey, 9))).exchanges).toHaveLength(10);
  });

  test('without response headers are not compared by times alone', async () => {
    const bare = (text: string) =>
      text
        .split('\n')
        .map((each) => JSON.stringify({ ...JSON.parse(each), headers: { 'Content-Type': 'application/json' } }))
        .join('\n');
    expect((await readBoth(bare(textOf(run)), bare(notedElsewhere(run, 9)))).exchanges).toHaveLength(10);
  });
});

describe('a refusal that tells no wait', () => {
  const refusals = (...times: number[]) => times.map((at): Line => ({ at, status: 429 }));
  const served = (at: number): Line => ({ at, status: 200 });
  const untold =
    'No refusal told how long to wait, and the waits show no growth, so it is unknown whether the client waited long enough.';

  test.each([
    ['one retry', [...refusals(1), served(2.2)]],
    ['flat waits', [...refusals(1, 2.2, 3.4, 4.6), served(5.8)]],
    ['flat waits before a long one', [...refusals(1, 2.361, 3.622, 4.933), served(75)]],
    ['flat waits before giving up', refusals(1, 2.2, 3.4)],
    ['a reset in the past', [{ at: 1, status: 429, headers: { 'X-RateLimit-Reset': '1767268700' } }, served(3)]],
  ] as [string, Line[]][])('%s: exercises nothing', async (_, lines) => {
    const verdict = await judged(lines);
    expect(verdict).toMatchObject({ outcome: 'inconclusive', reason: untold });
    expect(verdict.exercised).not.toContain('early-retry');
  });

  test('passes if the waits grow', async () => {
    expect(await judged([...refusals(1, 2.2, 4.6, 9.4), served(19)])).toMatchObject({ outcome: 'pass', findings: [] });
  });

  test('passes if the waits grow before the client gives up', async () => {
    expect((await judged(refusals(1, 2.2, 4.6, 9.4))).outcome).toBe('pass');
  });

  test('passes if the client stops', async () => {
    const verdict = await judged([served(0), ...refusals(1)]);
    expect(verdict.outcome).toBe('pass');
    expect(verdict.exercised).toContain('early-retry');
  });

  test('is no stop if the client retried once, although no two requests were refused', async () => {
    const verdict = await judged([...refusals(1), served(40)]);
    expect(verdict.exercised).not.toContain('early-retry');
  });
});

describe('an episode', () => {
  test.each([
    ['a 502 of the same request during the wait', 502, undefined, 'fail', 'fail'],
    ['a 500 of the same request during the wait', 500, undefined, 'fail', 'fail'],
    ['a 502 on another path during the wait', 502, '/other', 'pass', 'warn'],
    ['a success during the wait', 200, undefined, 'pass', 'warn'],
    ['a 302 during the wait', 302, undefined, 'pass', 'warn'],
  ] as const)('%s is early', async (_, status, path, outcome, severity) => {
    const lines: Line[] = [
      { at: 1, status: 429, headers: after30 },
      { at: 2.2, status, ...(path && { path }) },
      { at: 40, status: 200 },
    ];
    const verdict = await judged(lines);
    expect([verdict.outcome, found(verdict, 'early-retry')?.severity]).toEqual([outcome, severity]);
  });

  test.each([301, 302, 307, 308, 500, 502, 504])('a %d during the wait does not end it', async (status) => {
    const verdict = await judged([
      { at: 1, status: 429, headers: after30 },
      { at: 2.2, status, path: '/things/7/' },
      { at: 3.4, status: 429, headers: { 'Retry-After': '27' } },
      { at: 40, status: 200 },
    ]);
    expect(verdict.outcome).toBe('fail');
    expect(found(verdict, 'early-retry')?.requests).toContain(3);
  });

  test.each([200, 204, 304, 404])(
    'a %d during the wait ends it, because the service admits the key',
    async (status) => {
      const verdict = await judged([
        { at: 1, status: 429, headers: after30 },
        { at: 2.2, status },
        { at: 3.4, status: 429, headers: { 'Retry-After': '27' } },
        { at: 40, status: 200 },
      ]);
      expect([verdict.outcome, found(verdict, 'early-retry')?.severity]).toEqual(['pass', 'warn']);
    },
  );

  test('a 5xx after the wait is no refusal, whose retry could be late', async () => {
    const verdict = await judged([
      { at: 1, status: 429, headers: { 'Retry-After': '1' } },
      { at: 2.4, status: 502 },
      { at: 22, status: 200 },
    ]);
    expect(verdict).toMatchObject({ outcome: 'pass', findings: [] });
  });

  test.each([204, 304, 302, 404])('a %d after the wait ends it, as the usual response of a poller', async (status) => {
    const polls = Array.from({ length: 8 }, (_, round): Line[] => [
      { at: 10 * round + 1, status: 429, headers: { 'Retry-After': '1' } },
      { at: 10 * round + 2.3, status },
    ]).flat();
    // A client that was never served doesn't pass.
    const verdict = await judged([{ at: 0, status: 200 }, ...polls]);
    expect(verdict.findings).toEqual([]);
    expect(verdict.outcome).toBe('pass');
  });

  test('a lost response ends it', async () => {
    const verdict = await judged([
      { at: 1, status: 429, headers: after30 },
      { at: 40, status: 0 },
      { at: 41, status: 200 },
    ]);
    expect(verdict.findings.filter(({ severity }) => severity === 'fail')).toEqual([]);
  });

  test('of a 401 is not ended by a redirect or a gateway', async () => {
    for (const status of [308, 502]) {
      const lines = [0, 2, 4].flatMap((at): Line[] => [
        { at, status, path: '/things/7/' },
        { at: at + 0.1, status: 401 },
      ]);
      expect(found(await judged(lines), 'retried-401')?.severity, String(status)).toBe('fail');
    }
    const renewed = [0, 2, 4].flatMap((at): Line[] => [
      { at, status: 404 },
      { at: at + 0.1, status: 401 },
    ]);
    expect(found(await judged(renewed), 'retried-401')).toBeUndefined();
  });

  test('with 5xx counts each attempt once', async () => {
    const storm = [0, 1.2, 2.4, 3.6, 4.8, 6, 7.2, 8.4].map((at): Line => ({ at, status: at < 1 ? 429 : 502 }));
    const verdict = await judged(storm);
    expect(verdict.findings.filter(({ code }) => code === 'retry-storm')).toHaveLength(1);
  });
});

describe('a refused write', () => {
  const post = (at: number, status: number, headers = {}): Line => ({
    at,
    status,
    method: 'POST',
    requestBody: '{"a":1}',
    headers,
  });

  test('with a 5xx may be stored, so giving it up is right', async () => {
    const verdict = await judged([post(0, 502, { 'Retry-After': '5' }), { at: 6, status: 200 }]);
    expect(found(verdict, 'lost-write')).toBeUndefined();
    expect(verdict.outcome).not.toBe('fail');
  });

  test('with a 429 or 403 is lost', async () => {
    for (const status of [429, 403]) {
      const verdict = await judged([post(0, status, { 'Retry-After': '5' }), { at: 6, status: 200, path: '/other' }]);
      expect(found(verdict, 'lost-write')?.text, String(status)).toContain('A refused write stores nothing');
    }
  });
});

describe('--refused', () => {
  const hasty = (status: number, headers: Record<string, string>, body = '{}'): Line[] => [
    { at: 0, status, headers, body },
    { at: 1.2, status, headers, body },
    { at: 40, status: 200 },
  ];
  const empty = { 'X-RateLimit-Remaining': '0', 'X-RateLimit-Reset': String(startMs / 1_000 + 30) };

  test.each<[string, number, Record<string, string>, string, number]>([
    ['a wait', 403, after30, '{}', 2],
    ['no remaining requests', 403, empty, '{}', 2],
    ['no header', 403, {}, '{"message":"slow down"}', 2],
    ['a code of a limit', 403, { 'X-RateLimit-Remaining': '4990' }, '{"error":{"code":"rate_limited"}}', 2],
    ['remaining requests', 403, { 'X-RateLimit-Remaining': '4990' }, '{"message":"forbidden"}', 0],
    ['a 200 with the last request', 200, empty, '{"data":1}', 0],
    ['a 200 with a word of a limit', 200, {}, '{"type":"flat_rate","status":"unlimited"}', 0],
    ['a 200 with an error', 200, empty, '{"errors":[{"extensions":{"code":"THROTTLED"}}]}', 2],
    ['a 503 without a wait', 503, {}, '{}', 2],
  ])('holds unless the response denies it: %s', async (_, status, headers, body, refused) => {
    expect((await judged(hasty(status, headers, body), status)).counts.refused).toBe(refused);
  });

  test('holds live as well, unless the response denies it', async () => {
    const counted = async (headers: Record<string, string>) => {
      const form: ServiceForm = { name: 'x', status: 403, told: 'none', refused: 403 };
      const played = [0, 1_200].map(
        (atMs): Played => ({ atMs, status: 403, headers, body: '{"message":"forbidden"}' }),
      );
      return (await judgedHandler(form, played)).counts.refused;
    };
    expect(await counted({})).toBe(2);
    expect(await counted({ 'X-RateLimit-Remaining': '4990', 'X-RateLimit-Reset': '1767268830' })).toBe(0);
  });

  test('is named where responses look like refusals', async () => {
    const named = (verdict: Verdict) => /(\d+ responses? with status.*)$/.exec(verdict.reason)?.[1];
    expect(named(await judged(hasty(403, empty)))).toBe(
      '2 responses with status 403 look like refusals: --refused 403 counts them as such.',
    );
    expect(named(await judged(hasty(400, {}, '{"__type":"ThrottlingException"}')))).toContain('--refused 400');
    expect(named(await judged(hasty(200, {}, '{"errors":[{"extensions":{"code":"THROTTLED"}}]}')))).toContain(
      '--refused 200',
    );
    expect(named(await judged(hasty(404, empty)))).toBeUndefined();
    expect(named(await judged(hasty(403, { 'X-RateLimit-Remaining': '9' })))).toBeUndefined();
    expect(named(await judged(hasty(403, empty), 403))).toBeUndefined();
  });

  test('a reset with no remaining requests alone is no refusal', async () => {
    for (const status of [402, 404, 422, 500])
      expect((await judged(hasty(status, empty))).counts.refused, String(status)).toBe(0);
  });
});

test('refused preflights are named, and are no requests', async () => {
  const preflight = (at: number, status: number): Line => ({
    at,
    status,
    method: 'OPTIONS',
    requestHeaders: { 'Access-Control-Request-Method': 'GET' },
  });
  const text = textOf([preflight(0, 429), preflight(1, 429), preflight(2, 204), { at: 2.1, status: 200 }]);
  const options = { baseUrl: site, isAnyService: true };
  const { exchanges, notes } = await readRecording([fileOf(text, 500)], recordedPetstore, options);
  expect(exchanges).toHaveLength(1);
  expect(notes).toEqual([expect.stringContaining('2 preflights (OPTIONS) got a 429')]);
});

/** Line of a recording with any time; no Date unless given. */
const timed = (time: unknown, status: number, headers: Record<string, string> = {}, path = '/things/7') =>
  JSON.stringify({
    time,
    durationMs: 0,
    method: 'GET',
    baseUrl: site,
    path,
    status,
    requestHeaders,
    headers: { 'Content-Type': 'application/json', ...headers },
    requestBody: { text: '' },
    responseBody: { text: '{}' },
  });

describe('the clock of a recording', () => {
  const resetIn = (seconds: number) => ({
    'X-RateLimit-Remaining': '0',
    'X-RateLimit-Reset': String(startMs / 1_000 + seconds),
  });
  const noZone = (atSeconds: number) => new Date(startMs + atSeconds * 1_000 + 13).toISOString().replace('Z', '000');

  test('without a zone compares no reset, in every zone of the machine', async () => {
    const zone = process.env.TZ;
    try {
      for (const TZ of ['UTC', 'Asia/Tokyo', 'America/New_York']) {
        process.env.TZ = TZ;
        const retried = [
          timed(noZone(0), 429, resetIn(30)),
          timed(noZone(1.2), 429, resetIn(30)),
          timed(noZone(40), 200),
        ];
        const verdict = await judgedText(retried.join('\n'), []);
        expect(verdict.outcome, TZ).toBe('inconclusive');
        expect(verdict.reason, TZ).toContain('The recorded times have no time zone, so X-RateLimit-Reset');
        const seconds = [timed(noZone(0), 429, after30), timed(noZone(1.2), 429, after30), timed(noZone(40), 200)];
        expect((await judgedText(seconds.join('\n'), [])).outcome, TZ).toBe('fail');
        const dated = retried.map((line, index) => {
          const entry = JSON.parse(line);
          entry.headers.Date = new Date(startMs + ([0, 1, 40][index] ?? 0) * 1_000).toUTCString();
          return JSON.stringify(entry);
        });
        expect((await judgedText(dated.join('\n'), [])).outcome, TZ).toBe('fail');
      }
    } finally {
      if (zone === undefined) delete process.env.TZ;
      else process.env.TZ = zone;
    }
  });

  test.each([
    ['seconds', 1e-3],
    ['milliseconds', 1],
    ['microseconds', 1e3],
  ])('as a Unix time in %s is read', async (_, factor) => {
    const at = (seconds: number) => (startMs + seconds * 1_000 + 13) * factor;
    const lines = [timed(at(0), 429, after30), timed(at(1.2), 429, after30), timed(at(40), 200)];
    expect((await judgedText(lines.join('\n'), [])).outcome).toBe('fail');
    expect((await judgedText([timed(at(0), 429, after30), timed(at(31), 200)].join('\n'), [])).outcome).toBe('pass');
  });

  test('is not shown by the Date of a cached response', async () => {
    const cached = (at: number, age?: string): Line => ({
      at,
      status: 200,
      path: '/cached',
      headers: { Date: new Date(startMs - 60_000).toUTCString(), ...(age && { Age: age }) },
    });
    const line = (at: number, status: number): Line => ({ at, status, headers: status === 429 ? resetIn(30) : {} });
    const lines = [cached(0, '60'), cached(0.3, '60'), cached(0.6, '60'), line(1, 429), line(31.2, 200)];
    expect(await judged(lines)).toMatchObject({ outcome: 'pass', findings: [] });
    const hasty = [
      cached(0, '60'),
      cached(0.3, '60'),
      cached(0.6, '60'),
      line(1, 429),
      line(2.2, 429),
      line(31.2, 200),
    ];
    expect((await judged(hasty)).outcome).toBe('fail');
  });
});

describe('times in whole seconds', () => {
  const at = (seconds: number) => new Date(startMs + seconds * 1_000).toISOString();
  const retried = (retryAfter: number, ...times: number[]) =>
    judgedText(
      times
        .map((time, index) =>
          index < times.length - 1 ? timed(at(time), 429, { 'Retry-After': String(retryAfter) }) : timed(at(time), 200),
        )
        .join('\n'),
      [],
    );

  test('do not show whether a wait a step too short was obeyed', async () => {
    expect((await retried(2, 0, 1, 2, 3, 4)).outcome).toBe('inconclusive');
    expect((await retried(10, 0, 9, 40)).outcome).toBe('inconclusive');
  });

  test('show that waits were obeyed', async () => {
    expect((await retried(10, 0, 10, 20, 31)).outcome).toBe('pass');
    expect((await retried(2, 0, 2, 4, 7)).outcome).not.toBe('fail');
  });

  test('add up no errors: four waits of nine of ten seconds are too short', async () => {
    const verdict = await retried(10, 0, 9, 18, 27, 36);
    expect(verdict.outcome).toBe('fail');
    expect(found(verdict, 'early-retry')).toMatchObject({ measured: '36.0 s for 4 waits', allowed: 'at least 40.0 s' });
  });

  test('do not show who of a burst was refused first', async () => {
    const burst = [0, 0, 0, 1, 1, 1].map((seconds, index) =>
      timed(at(seconds), index < 2 ? 200 : 429, index < 2 ? {} : { 'Retry-After': '5' }, `/things/${index}`),
    );
    expect((await judgedText(burst.join('\n'), [])).outcome).not.toBe('fail');
  });
});

test('machines with different clocks make small differences unknown', async () => {
  const skewed = (at: number, status: number, skewMs: number, headers = {}) =>
    timed(new Date(startMs + at * 1_000 + skewMs + 11).toISOString(), status, {
      Date: new Date(startMs + at * 1_000).toUTCString(),
      ...headers,
    });
  const lines = (skewMs: number) =>
    [
      skewed(0, 200, 0),
      skewed(0.4, 429, 0, { 'Retry-After': '5' }),
      skewed(5.6, 429, -skewMs, { 'Retry-After': '5' }),
      skewed(10.9, 200, 0),
      skewed(11.95, 200, 0),
      skewed(12.1, 200, -skewMs),
    ].join('\n');
  expect((await judgedText(lines(0), [])).outcome).toBe('pass');
  expect((await judgedText(lines(900), [])).outcome).not.toBe('fail');
});

import type { RequestListener } from 'node:http';
import { HttpResponse, http } from 'msw';
import { describe, expect, test } from 'vitest';
import { createPrettyLine } from '../../src/cli/pretty-line.js';
import { createRequestLogEntries } from '../../src/cli/request-log-entry.js';
import { createControl } from '../../src/entries/control.js';
import { createSimulator, type Scenario, serveRoute } from '../../src/entries/index.js';
import { guarded } from '../../src/entries/msw.js';
import type { ListenOptions } from '../../src/entries/node.js';
import { judge } from '../../src/entries/verdict.js';
import { freePort } from '../support/free-port.js';
import { openServer } from '../support/open-server.js';
import { startBackend } from '../support/start-backend.js';

const windowSeconds = 20;

/** Starts a backend with a limit of two requests in a window, as many APIs have one. */
async function startLimited(more: RequestListener = (_, response) => response.end('[]'), limit = 2): Promise<string> {
  let left = limit;
  const resetSeconds = Math.ceil(Date.now() / 1000) + windowSeconds;
  const { url } = await startBackend((request, response) => {
    response.setHeader('X-RateLimit-Limit', 2);
    response.setHeader('X-RateLimit-Reset', resetSeconds);
    response.setHeader('RateLimit-Policy', '"own";q=2;w=20');
    response.setHeader('X-RateLimit-Remaining', Math.max(0, left - 1));
    if (left === 0) {
      response.writeHead(429, { 'Retry-After': windowSeconds, 'X-Reason': 'own' }).end('{"message":"too many"}');
      return;
    }
    left--;
    more(request, response);
  });
  return url;
}

async function start(options: ListenOptions, scenario: Scenario = {}) {
  const sim = createSimulator({ scenario, onWarning: () => {} });
  const lines: string[] = [];
  const [toEntry, toLine] = [createRequestLogEntries(), createPrettyLine()];
  const onAnswer: ListenOptions['onAnswer'] = (...request) => void lines.push(toLine(toEntry(...request)));
  const server = await openServer(sim, { holdRefusals: true, ...options, onAnswer });
  const { origin } = new URL(server.baseUrl);
  const ask = (path = '/items', headers = { authorization: 'Bearer free-key' }) => fetch(origin + path, { headers });
  return { sim, ask, control: createControl(server.controlUrl), lines };
}

/** Headers of a response about limits, in lower case. */
const limitsOf = ({ headers }: Response) =>
  Object.fromEntries([...headers].filter(([name]) => /ratelimit|retry-after|x-reason/.test(name)));

describe('a backend with limits of its own', () => {
  test('refuses with all of its headers, and none of ours', async () => {
    const url = await startLimited();
    const { sim, ask, control, lines } = await start({ upstream: url });
    const direct = await Promise.all([ask(), ask()]);
    expect(direct.map(({ headers }) => headers.get('x-ratelimit-limit'))).toEqual(['60', '60']);
    const refused = await ask();
    const itself = await fetch(url);
    expect([refused.status, await refused.text()]).toEqual([429, '{"message":"too many"}']);
    expect(limitsOf(refused)).toEqual(limitsOf(itself));
    expect(Object.keys(limitsOf(refused))).toHaveLength(6);
    expect(Math.abs(Date.parse(refused.headers.get('date') ?? '') - Date.now())).toBeLessThan(5_000);

    const [, , entry] = (await control.queryJournal()).entries;
    expect(entry).toMatchObject({ status: 429, refusedBy: 'backend', strikes: 0, episode: 0, remaining: 0 });
    expect(entry).not.toHaveProperty('refusal');
    expect(entry).not.toHaveProperty('window');
    expect(entry?.inShort).toMatch(/^refused by the backend, wait (?:19|20)/);
    expect(lines.find((line) => line.includes('  429  '))).toMatch(/0 left.*retry after 20, refused by the backend$/);
    const { why: steps = [] } = await control.getRequest({ id: 3 });
    expect(steps.map(({ step, result }) => `${step} ${result}`)).toContain('limit passed');
    expect(steps.at(-1)?.text).toBe('GET /items: 429, refused by the backend; the headers are its own');
    expect(sim.keys.get('free-key')).toMatchObject({ strikes: 0, minute: { remaining: 57 } });
  });

  test('is believed by the judge: an early retry is one, and no strike of ours', async () => {
    const { sim, ask } = await start({ upstream: await startLimited() }, { client: { parallel: 1 } });
    for (let count = 0; count < 4; count++) await ask();
    const { outcome, findings } = judge(sim, { isOver: true });
    expect(outcome).toBe('fail');
    expect(findings[0]).toMatchObject({ code: 'early-retry', text: expect.stringMatching(/ Retry-After allowed/) });
    expect(sim.keys.get('free-key')).toMatchObject({ strikes: 0 });
  });

  test('without limits of ours sends every response with its headers alone', async () => {
    const url = await startLimited();
    const { ask } = await start({ upstream: url }, { limits: 'off', assumptions: { rateLimitFields: 'legacy' } });
    const first = await ask();
    expect([first.status, limitsOf(first)]).toEqual([
      200,
      {
        'x-ratelimit-limit': '2',
        'x-ratelimit-remaining': '1',
        'x-ratelimit-reset': expect.any(String),
        'ratelimit-policy': '"own";q=2;w=20',
      },
    ]);
    await ask();
    const refused = await ask();
    expect([refused.status, limitsOf(refused)]).toEqual([429, limitsOf(await fetch(url))]);
  });

  test('without limits of ours and of its own sends no limit headers', async () => {
    const { url } = await startBackend();
    const { ask } = await start({ upstream: url }, { limits: 'off' });
    expect(limitsOf(await ask())).toEqual({});
  });

  test('refuses by 503 with Retry-After and its own headers; a 503 without is an ordinary response', async () => {
    const upstream = await startLimited(({ url }, response) =>
      response.writeHead(503, url === '/busy' ? { 'Retry-After': 7 } : {}).end(),
    );
    const { ask, control } = await start({ upstream });
    expect(limitsOf(await ask('/busy'))).toMatchObject({ 'x-ratelimit-limit': '2', 'retry-after': '7' });
    expect(limitsOf(await ask('/down'))).toMatchObject({ 'x-ratelimit-limit': '60' });
    const entries = (await control.queryJournal()).entries;
    expect(entries.map(({ refusedBy }) => refusedBy)).toEqual(['backend', undefined]);
  });

  test.each([
    ['in other headers', 429, { 'x-rate-limit-remaining': '0', 'x-rate-limit-reset': '$' }, '{}'],
    ['in milliseconds', 403, { 'retry-after-ms': '20000', 'x-rate-limit-remaining': '0' }, '{}'],
  ] as const)('%s: the log and the journal read its wait, and a page its headers', async (_, status, headers, body) => {
    const inSeconds = String(Math.floor(Date.now() / 1_000) + 20);
    const sent = Object.fromEntries(
      Object.entries(headers).map(([name, text]) => [name, text.replace('$', inSeconds)]),
    );
    const { url } = await startBackend((__, response) => response.writeHead(status, sent).end(body));
    const { ask, control, lines } = await start({ upstream: url });
    const origin = 'http://localhost:5173';
    const refused = await ask('/items', { authorization: 'Bearer free-key', origin } as { authorization: string });
    const exposed = refused.headers.get('access-control-expose-headers')?.toLowerCase().split(', ');
    expect(exposed).toEqual(expect.arrayContaining(Object.keys(headers)));
    const [entry] = (await control.queryJournal()).entries;
    expect(entry).toMatchObject({ refusedBy: 'backend', remaining: 0 });
    expect(entry?.inShort).toMatch(/^refused by the backend, wait (?:19|20)/);
    expect(lines[0]).toMatch(/0 left.*retry after (?:19|20), refused by the backend$/);
  });

  test.each([
    ['at the top', 400, '{"message":"slow down","retry_after":20}'],
    ['in parameters', 420, '{"ok":false,"parameters":{"retry_after":20}}'],
    ['of Google', 403, '{"error":{"details":[{"@type":"RetryInfo","retryDelay":"20s"}]}}'],
  ])('in the body alone, %s: is a refusal by the backend', async (_, status, body) => {
    const { url } = await startBackend((__, response) => response.writeHead(status).end(body));
    const { ask, control, lines } = await start({ upstream: url });
    expect(limitsOf(await ask())).toEqual({});
    const [entry] = (await control.queryJournal()).entries;
    expect(entry).toMatchObject({ status, refusedBy: 'backend' });
    expect(entry?.inShort).toMatch(/^refused by the backend, wait (?:19|20)/);
    expect(lines[0]).toMatch(/retry after (?:19|20), refused by the backend$/);
  });

  test('without a wait in an echo of the request: is no refusal', async () => {
    const body = '{"message":"no such thing","request":{"query":{"retry_after":"20"}}}';
    const { url } = await startBackend((_, response) => response.writeHead(404).end(body));
    const { ask, control } = await start({ upstream: url });
    expect((await ask()).headers.get('x-ratelimit-limit')).toBe('60');
    expect((await control.queryJournal()).entries[0]).not.toHaveProperty('refusedBy');
  });

  test('is not mixed up with a refusal of the simulator', async () => {
    const { ask, control } = await start(
      { upstream: await startLimited() },
      { plans: { free: { minute: 1, day: 9 } } },
    );
    await ask();
    const refused = await ask();
    expect(limitsOf(refused)).toMatchObject({ 'x-ratelimit-limit': '1', 'x-ratelimit-remaining': '0' });
    const [, entry] = (await control.queryJournal()).entries;
    expect(entry).toMatchObject({ refusal: 'limit', window: 'minute' });
    expect(entry).not.toHaveProperty('refusedBy');
  });

  test('leaves no contradiction in a recording', async () => {
    const { sim, ask } = await start({ upstream: await startLimited() }, { limits: 'off' });
    for (let count = 0; count < 3; count++) await ask();
    for (const { status, headers, arrivedAtMs } of sim.journal.query()) {
      if (status !== 429) continue;
      const resetMs = Number(headers['X-RateLimit-Reset']) * 1000;
      const untilMs = arrivedAtMs + Number(headers['Retry-After']) * 1000;
      expect(Math.abs(resetMs - untilMs)).toBeLessThan(5_000);
    }
    expect(sim.journal.query().map(({ status }) => status)).toEqual([200, 200, 429]);
  });
});

describe('a handler with limits of its own', () => {
  const refusal = () =>
    HttpResponse.json({}, { status: 429, headers: { 'X-RateLimit-Remaining': '0', 'Retry-After': '9' } });

  test('refuses with its headers alone, over HTTP', async () => {
    const { ask, control } = await start({
      handlers: (sim) => [
        http.get('*/own', guarded(sim, 'own', refusal)),
        http.get(
          '*/plain',
          guarded(sim, 'plain', () => HttpResponse.json({})),
        ),
      ],
    });
    expect(limitsOf(await ask('/own'))).toEqual({ 'x-ratelimit-remaining': '0', 'retry-after': '9' });
    expect(limitsOf(await ask('/plain'))).toMatchObject({ 'x-ratelimit-limit': '60' });
    const [entry] = (await control.queryJournal()).entries;
    expect(entry).toMatchObject({ refusedBy: 'handler', operation: 'own' });
  });

  test('refuses with its headers alone, in process', async () => {
    const sim = createSimulator();
    const request = new Request('http://a.test/v1/own', { headers: { authorization: 'Bearer free-key' } });
    expect(limitsOf(await serveRoute(sim, request, refusal))).toEqual({
      'x-ratelimit-remaining': '0',
      'retry-after': '9',
    });
  });
});

describe('a backend that does not run', () => {
  test('is named as the reason, unless it answered some requests or another response was lost', async () => {
    const closed = `http://127.0.0.1:${await freePort()}`;
    const { sim, ask } = await start({ upstream: closed }, { limits: 'off' });
    for (let count = 0; count < 3; count++) expect((await ask()).status).toBe(502);
    const { outcome, reason } = judge(sim, { isOver: true });
    expect([outcome, reason]).toEqual([
      'inconclusive',
      `The backend ${closed} did not answer 3 requests (ECONNREFUSED): start it, or correct --upstream.`,
    ]);
    sim.faults.add({ then: { respond: { status: 503 } } });
    expect((await ask()).status).toBe(503);
    expect(judge(sim, { isOver: true }).reason).toMatch(/^GET \/items was sent again after a lost response/);
  });

  test('is named beside a finding, if no request was answered', async () => {
    const scenario: Scenario = { client: { key: 'free-key' }, expect: { served: true } };
    const { sim, ask } = await start({ upstream: `http://127.0.0.1:${await freePort()}` }, scenario);
    await ask();
    const { outcome, reason } = judge(sim, { isOver: true });
    expect(outcome).toBe('fail');
    expect(reason).toMatch(/^The client gave up\. The backend http:\S+ did not answer 1 request \(ECONNREFUSED\): /);
  });
});

describe('a backend that gets no key', () => {
  const askKey: RequestListener = ({ headers }, response) => {
    response.writeHead(headers.authorization === 'Bearer free-key' ? 200 : 401).end('{}');
  };

  test('is named by the verdict, the journal and the log, with the option that sends one', async () => {
    const { sim, ask, control, lines } = await start({ upstream: await startLimited(askKey) });
    expect((await ask()).status).toBe(401);
    expect(judge(sim, { isOver: true }).reason).toMatch(
      /^Every request got a 401 from the backend, .*: use --upstream-key same or --upstream-key NAME\.$/,
    );
    const [entry] = (await control.queryJournal()).entries;
    expect(entry).toMatchObject({
      refusedBy: 'backend-without-key',
      inShort: expect.stringContaining('--upstream-key'),
    });
    expect(lines[0]).toContain('use --upstream-key same|NAME');
  });

  test('is the reason for any number of requests, and never the fault of the client', async () => {
    const { sim, ask } = await start({ upstream: await startLimited(askKey, 99) }, { limits: 'off' });
    for (let count = 0; count < 14; count++) await ask();
    const all = judge(sim, { isOver: true });
    expect([all.outcome, all.findings]).toEqual(['inconclusive', []]);
    expect(all.reason).toContain('Every request got a 401 from the backend');
    await ask('/v1/pets');
    const some = judge(sim, { isOver: true });
    expect([some.outcome, some.findings]).toEqual(['inconclusive', []]);
    expect(some.reason).toMatch(/^14 requests got a 401 from the backend, .* --upstream-key NAME\.$/);
  });

  test('is no 401 of the client in a scenario that expects one', async () => {
    const scenario: Scenario = { limits: 'off', client: { key: 'free-key' }, expect: { fail: ['retried-401'] } };
    const { sim, ask } = await start({ upstream: await startLimited(askKey, 99) }, scenario);
    for (let count = 0; count < 4; count++) await ask();
    expect(judge(sim, { isOver: true })).toMatchObject({
      outcome: 'inconclusive',
      reason: expect.stringContaining('--upstream-key'),
    });
  });

  test('a key that the scenario lacks is named by the log and the verdict, also if the backend knows it', async () => {
    const { sim, ask, lines } = await start({ upstream: { url: await startLimited(), credentials: 'same' } });
    const headers = { authorization: 'Bearer backend-key' };
    expect((await ask('/items', headers)).status).toBe(401);
    expect(judge(sim, { isOver: true }).reason).toContain('--set keys.KEY.plan=free');
    expect(lines[0]).toMatch(/The API key is unknown\., the scenario lacks it: add --set keys\.KEY\.plan=free$/);
  });

  test.each(['same', { Authorization: 'Bearer other' }])('is not meant if it gets one: %j', async (credentials) => {
    const url = await startLimited(credentials === 'same' ? (_, response) => response.writeHead(401).end() : askKey);
    const { sim, ask } = await start({ upstream: { url, credentials: credentials as 'same' } });
    expect((await ask()).status).toBe(401);
    expect(judge(sim, { isOver: true }).reason).toBe("Every request got a 401: check the client's API key.");
  });
});

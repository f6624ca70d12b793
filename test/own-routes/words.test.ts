import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createRequestLogEntries, type RequestLogEntry } from '../../src/cli/request-log-entry.js';
import { createControl } from '../../src/entries/control.js';
import { createSimulator, type Scenario } from '../../src/entries/index.js';
import { readScenario, words } from '../../src/entries/node.js';
import { unavailableResponse } from '../../src/persistence/unavailable-response.js';
import { refusingServices } from '../../src/scenario/fault-schema.js';
import { newFolder } from '../support/new-folder.js';
import { openServer } from '../support/open-server.js';

const start = '2026-01-01T12:00:00.000Z';
const resetSeconds = Date.parse(start) / 1000 + 60;

const create = (scenario: Scenario) =>
  createSimulator({
    scenario: { clock: { start, mode: 'frozen' }, plans: { free: { minute: 2 } }, ...scenario },
    onWarning: () => {},
  });

async function ask({ fetch }: Pick<ReturnType<typeof create>, 'fetch'>, path = '/pets?limit=1', key = 'free-key') {
  const response = await fetch(`http://own.test/v1${path}`, { headers: { authorization: `Bearer ${key}` } });
  return { status: response.status, headers: Object.fromEntries(response.headers), body: await response.text() };
}

const own = {
  status: 503,
  headers: { 'Wait-Ms': '{milliseconds}', 'Content-Type': 'application/xml' },
  body: '<Error><Message>{message}</Message><Left>{remaining}</Left></Error>',
  limits: {
    'Quota-Max': '{limit}',
    'Quota-Left': '{remaining}',
    'Quota-Used': '{used}',
    'Quota-Ends': '{Unix seconds}',
  },
  error: '<Error><Code>{reason}</Code><Status>{status}</Status><Message>{message}</Message></Error>',
};

describe('own words', () => {
  test('are in responses, refusals and errors, and the documented headers are not', async () => {
    const sim = create({ words: own });
    const [first, , refused] = [await ask(sim), await ask(sim), await ask(sim)];
    expect(first).toMatchObject({
      status: 200,
      headers: { 'quota-max': '2', 'quota-left': '1', 'quota-used': '1', 'quota-ends': String(resetSeconds) },
    });
    expect(first.headers['content-type']).toBe('application/json');
    expect(refused).toMatchObject({
      status: 503,
      headers: {
        'wait-ms': '60000',
        'quota-left': '0',
        'content-type': 'application/xml',
        'cache-control': 'no-store',
      },
      body: '<Error><Message>The free plan allows 2 requests a minute; retry in 60 seconds.</Message><Left>0</Left></Error>',
    });
    const missing = await ask(sim, '/nothing', 'pro-key');
    expect(missing).toMatchObject({ status: 404, headers: { 'content-type': 'application/xml' } });
    expect(missing.body).toContain('<Code>not_found</Code><Status>404</Status>');
    const unknown = await ask(sim, '/pets', 'x');
    expect([unknown.status, unknown.body]).toEqual([
      401,
      '<Error><Code>unauthorized</Code><Status>401</Status><Message>The API key is unknown.</Message></Error>',
    ]);
    for (const { headers } of [first, refused, missing, unknown])
      expect(Object.keys(headers)).toEqual(
        expect.not.arrayContaining([expect.stringMatching(/ratelimit|retry-after/)]),
      );
  });

  test('are those of a ban, whose status a scenario may set, and of a fault that sets only a status', async () => {
    const banned = create({ words: own, keys: { 'free-key': { bannedFor: '90s' } } });
    expect(await ask(banned)).toMatchObject({ status: 503, headers: { 'wait-ms': '90000' } });
    const forbidden = create({ words: own, keys: { 'free-key': { bannedFor: '90s' } }, ban: { status: 403 } });
    expect(await ask(forbidden)).toMatchObject({ status: 403, headers: { 'wait-ms': '90000' } });
    const failing = create({ words: own, faults: [{ name: 'f', then: { respond: { status: 500 } } }] });
    expect((await ask(failing)).body).toContain('<Code>internal_server_error</Code>');
    const written = create({ words: own, faults: [{ then: { respond: { status: 500, body: 'as written' } } }] });
    expect((await ask(written)).body).toBe('as written');
  });

  test('of two sources of headers are a mistake', () => {
    for (const other of [
      { hostileHeaders: { retryAfter: 'zero' } },
      { assumptions: { rateLimitFields: 'legacy' } },
      { assumptions: { retryAfterForm: 'http-date' } },
    ] as Scenario[])
      expect(() => create({ words: own, ...other })).toThrow(/words: expected all headers about limits in words/);
    expect(() => create({ words: 'openai' as never })).toThrow('see words of petstore-sim/node');
  });

  test('escape messages in JSON', async () => {
    const sim = create({ words: { error: '{"error":"{message}"}' } });
    const response = await sim.fetch('http://own.test/v1/pets');
    expect(JSON.parse(await response.text())).toEqual({
      error: 'The Authorization header is missing; send "Authorization: Bearer <API_KEY>".',
    });
  });
});

test.each(refusingServices)('%s: no placeholder is left, and errors are JSON, of S3 XML', async (name) => {
  const sim = create({ words: words[name] });
  const answers = [await ask(sim), await ask(sim), await ask(sim), await ask(sim, '/pets', 'unknown')];
  expect(answers.map(({ status }) => status)).toEqual([200, 200, words[name].status, 401]);
  expect(JSON.stringify(answers)).not.toMatch(/\{[A-Za-z]/);
  for (const { body, status } of answers) {
    if (name !== 's3' || status === 200) expect(() => JSON.parse(body)).not.toThrow();
    else expect(body).toMatch(/^<Error><Code>\w+<\/Code><Message>[^<]+<\/Message><\/Error>$/);
  }
  expect(sim.journal.query({ status: words[name].status as number })).toMatchObject([
    { refusal: 'limit', promisedAtMs: resetSeconds * 1000, rate: { limit: 2, remaining: 0 } },
  ]);
});

test('the request log, the page and CORS read the words', async () => {
  const sim = create({ words: words.x });
  const entries: RequestLogEntry[] = [];
  const toEntry = createRequestLogEntries();
  const server = await openServer(sim, { onAnswer: (...of) => void entries.push(toEntry(...of)) });
  const headers = { authorization: 'Bearer free-key', origin: 'http://localhost:5173' };
  for (let nth = 0; nth < 3; nth++) {
    const response = await fetch(`${server.baseUrl}/pets`, { headers });
    await response.text();
    const exposed = response.headers.get('access-control-expose-headers');
    for (const field of ['limit', 'remaining', 'reset']) expect(exposed).toContain(`x-rate-limit-${field}`);
  }
  expect(entries.map(({ status, remaining }) => [status, remaining])).toEqual([
    [200, 1],
    [200, 0],
    [429, 0],
  ]);
  expect(entries[2]).toMatchObject({ retryAfter: '60', servedAgainAt: '2026-01-01T12:01:00.000Z' });
  const why = await fetch(`${server.controlUrl}/journal/3`);
  expect(JSON.stringify(await why.json())).toContain('the response asks to wait 1:00');
});

test('a scenario file names a service, and may change its words', async () => {
  const folder = newFolder();
  const file = join(folder, 'own.yaml');
  const refusedBy = async (text: string) => {
    writeFileSync(file, `words: ${text}\nclock: { start: "${start}", mode: frozen }\nplans: { free: { minute: 1 } }\n`);
    const sim = createSimulator({ scenario: await readScenario(file), onWarning: () => {} });
    await ask(sim);
    return ask(sim);
  };
  expect(await refusedBy('openai')).toMatchObject({ status: 429, headers: { 'retry-after-ms': '60000' } });
  expect(
    await refusedBy('{ like: openai, status: 503, headers: { retry-after-ms: null, X-A: "{seconds}" } }'),
  ).toMatchObject({
    status: 503,
    headers: { 'x-a': '60', 'retry-after': '60', 'x-ratelimit-limit-requests': '1' },
  });
  await expect(refusedBy('opnai')).rejects.toThrow('did you mean openai?');
});

test('the description has the headers, the status and the bodies of the words', async () => {
  const describeService = async (scenario: Scenario): Promise<unknown> =>
    createControl(create(scenario)).getServiceDescription();
  const { components, paths } = (await describeService({ words: words['github-secondary'] })) as Described;
  const { TooManyRequests, Unauthorized } = components.responses;
  expect(Object.keys(TooManyRequests?.headers ?? {}).sort()).toEqual([
    'Cache-Control',
    'Retry-After',
    'X-RateLimit-Limit',
    'X-RateLimit-Remaining',
  ]);
  expect(Object.keys(Unauthorized?.headers ?? {})).toEqual(['WWW-Authenticate']);
  expect(TooManyRequests?.content).toEqual({
    'application/json': { schema: {}, 'x-words': words['github-secondary'].body },
  });
  expect(paths['/pets']?.get?.responses['403']).toEqual({ $ref: '#/components/responses/TooManyRequests' });
  expect(Object.keys(paths['/pets']?.get?.responses['200']?.headers ?? {})).toEqual(['Link']);
  const named = (await describeService({ words: words.openai })) as Described;
  expect(Object.keys(named.paths['/pets']?.get?.responses['200']?.headers ?? {})).toContain(
    'x-ratelimit-reset-requests',
  );
});

interface Described {
  components: { responses: Record<string, { headers: object; content: object }> };
  paths: Record<string, Record<string, { responses: Record<string, { headers: object }> }>>;
}

test.each([
  ['openai', 429, 'rate limit exceeded'],
  ['slack', 401, 'unauthorized'],
  ['salesforce', 401, 'unauthorized'],
  ['stripe', 401, 'api error'],
] as const)('the list shows the code in the body of %s', async (name, status, text) => {
  const sim = create({ words: words[name], plans: { free: { minute: 1 } } });
  if (status === 401) await ask(sim, '/pets', 'unknown');
  else for (let nth = 0; nth < 2; nth++) await ask(sim);
  const { entries } = await createControl(sim).queryJournal({ status });
  expect(entries[0]?.code?.replaceAll('_', ' ')).toBe(text);
});

test('the 503 of a log that cannot be written is in the words', async () => {
  const sim = create({ words: own });
  const call = { method: 'GET', path: '/pets', query: '', baseUrl: '', body: undefined };
  const headers: Record<string, string> = { authorization: 'Bearer free-key' };
  const answer = unavailableResponse(sim, { ...call, header: (name) => headers[name] });
  expect(answer).toMatchObject({
    status: 503,
    headers: { 'Retry-After': '1', 'Quota-Left': '2', 'Content-Type': 'application/xml' },
    body: expect.stringContaining('<Code>service_unavailable</Code><Status>503</Status><Message>The simulator cannot'),
  });
  expect(Object.keys(answer.headers)).not.toContain('X-RateLimit-Limit');
});

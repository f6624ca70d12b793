import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { RequestHandler } from 'msw';
import { setupServer } from 'msw/node';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createSimulator, type Scenario, type Simulator } from '../../src/index.js';
import { handlers } from '../../src/msw.js';
import { startServer } from '../support/command-line.js';
import { noon } from '../support/frozen.js';
import { copyPackage, type PackageCopy } from '../support/package-copy.js';

const example = join(import.meta.dirname, '../../examples/extend');
const scenario: Scenario = {
  clock: { start: noon, mode: 'frozen' },
  ids: { start: 9007199254740993n },
  pets: [
    { id: 1, name: 'Rex', categoryId: 1, status: 'available' },
    { id: 2, name: 'Milo', categoryId: 2, status: 'available' },
  ],
  keys: { 'free-key': {}, 'used-up-key': { usage: { minute: 60 } } },
};

const refused = (status: number, code: string, message: unknown = expect.any(String)) => ({ code, message, status });

interface Call {
  request: string;
  key?: string | null;
  body?: string;
  status: number;
  /** The body; text where `JSON.parse` would round it. */
  answer: unknown;
}

/** Made one after the other, in one service, on the server and in-process. */
const calls: Call[] = [
  { request: 'GET /categories', status: 200, answer: expect.arrayContaining([{ id: 2, name: 'Cats' }]) },
  { request: 'POST /categories', body: '{"name":"Fish"}', status: 201, answer: { id: 6, name: 'Fish' } },
  { request: 'GET /categories?x=1', status: 200, answer: expect.arrayContaining([{ id: 6, name: 'Fish' }]) },
  {
    request: 'POST /categories',
    body: '{"name":""}',
    status: 400,
    answer: refused(400, 'invalid_request', expect.stringMatching(/^name: /)),
  },
  {
    request: 'POST /categories',
    body: '{',
    status: 400,
    answer: refused(400, 'invalid_request', expect.stringContaining('not valid JSON')),
  },
  { request: 'GET /categories', key: null, status: 401, answer: refused(401, 'unauthorized') },
  {
    request: 'PATCH /pets/1',
    key: 'nobody',
    body: '{}',
    status: 401,
    answer: refused(401, 'unauthorized', 'The API key is unknown.'),
  },
  { request: 'DELETE /pets/1', key: 'used-up-key', status: 429, answer: refused(429, 'rate_limit_exceeded') },
  {
    request: 'PATCH /pets/1',
    body: '{"status":"sold"}',
    status: 200,
    answer: { id: 1, name: 'Rex', categoryId: 1, status: 'sold' },
  },
  { request: 'GET /pets?status=sold', status: 200, answer: [{ id: 1, name: 'Rex', categoryId: 1, status: 'sold' }] },
  {
    request: 'PATCH /pets/1',
    body: '{"categoryId":9223372036854775807}',
    status: 200,
    answer: '{"id":1,"name":"Rex","categoryId":9223372036854775807,"status":"sold"}',
  },
  {
    request: 'PATCH /pets/1',
    body: '{"categoryId":9223372036854775808}',
    status: 400,
    answer: refused(400, 'invalid_request', 'categoryId: Invalid int64.'),
  },
  { request: 'PATCH /pets/1', body: '{"status":"lost"}', status: 400, answer: refused(400, 'invalid_request') },
  { request: 'PATCH /pets/3', body: '{"status":"sold"}', status: 404, answer: refused(404, 'not_found') },
  { request: 'PATCH /pets/x', body: '{"status":"sold"}', status: 404, answer: refused(404, 'not_found') },
  {
    request: 'POST /pets',
    body: '{"name":"Zoë","categoryId":6}',
    status: 201,
    answer: '{"id":9007199254740993,"name":"Zoë","categoryId":6,"status":"available"}',
  },
  { request: 'DELETE /pets/9007199254740993', status: 204, answer: '' },
  { request: 'GET /pets/9007199254740993', status: 404, answer: refused(404, 'not_found') },
  { request: 'DELETE /pets/9007199254740993', status: 404, answer: refused(404, 'not_found') },
  { request: 'PUT /pets/1', body: '{}', status: 405, answer: refused(405, 'method_not_allowed') },
  {
    request: 'GET /pets',
    status: 200,
    answer:
      '[{"id":1,"name":"Rex","categoryId":9223372036854775807,"status":"sold"},{"id":2,"name":"Milo","categoryId":2,"status":"available"}]',
  },
];

const shownHeaders = [
  'content-type',
  'date',
  'x-ratelimit-limit',
  'x-ratelimit-remaining',
  'x-ratelimit-reset',
  'retry-after',
  'www-authenticate',
  'allow',
];

async function makeCalls(baseUrl: string) {
  const seen = [];
  for (const { request, key = 'free-key', body } of calls) {
    const [method = '', path = ''] = request.split(' ');
    const headers = new Headers(key === null ? {} : { authorization: `Bearer ${key}` });
    if (body !== undefined) headers.set('content-type', 'application/json');
    const response = await fetch(`${baseUrl}${path}`, { method, headers, ...(body !== undefined && { body }) });
    const shown = shownHeaders.map((name) => [name, response.headers.get(name)]);
    seen.push({ request, status: response.status, headers: Object.fromEntries(shown), text: await response.text() });
  }
  return seen;
}
type Seen = Awaited<ReturnType<typeof makeCalls>>;

/** The project of the example, with the packages that it asks for and no others. */
let project: PackageCopy;
const seen: Record<string, Seen> = {};

beforeAll(async () => {
  const { dependencies } = JSON.parse(await readFile(join(example, 'package.json'), 'utf8'));
  const packages = Object.keys(dependencies).filter((name) => name !== 'petstore-sim' && name !== 'msw');
  project = await copyPackage({ msw: 2, packages });
  for (const file of ['handlers.js', 'package.json']) await cp(join(example, file), join(project.folder, file));
  seen.server = await onTheServer();
  seen.setupServer = await inProcess();
}, 60_000);
afterAll(() => project?.remove());

async function onTheServer(): Promise<Seen> {
  const { clock, pets, keys } = scenario;
  // A bigint has no place in JSON.stringify.
  const text = JSON.stringify({ clock, pets, keys, ids: { start: 0 } }).replace(
    '"start":0',
    '"start":9007199254740993',
  );
  await writeFile(join(project.folder, 'scenario.json'), text);
  const main = join(project.folder, 'node_modules/petstore-sim/dist/cli/main.cjs');
  const flags = ['--scenario', 'scenario.json', '--handlers', 'handlers.js'];
  const { baseUrl, stop } = await startServer(flags, { cwd: project.folder, main });
  try {
    return await makeCalls(baseUrl);
  } finally {
    await stop();
  }
}

async function inProcess(): Promise<Seen> {
  const path = join(project.folder, 'handlers.js');
  const extension = (await import(path)) as { handlers: (sim: Simulator) => RequestHandler[] };
  const sim = createSimulator({ scenario });
  const server = setupServer(...extension.handlers(sim), ...handlers(sim));
  server.listen({ onUnhandledRequest: 'error' });
  try {
    return await makeCalls('https://api.petstore.example/v1');
  } finally {
    server.close();
  }
}

describe.each(['server', 'setupServer'])('the extension of examples/extend, on the %s', (adapter) => {
  test.each(
    calls.map((call, index) => [`${call.request} ${call.body ?? ''}`.trim(), call.status, index, call] as const),
  )('%s is answered with %i', (_title, status, index, { answer }) => {
    const { status: seenStatus, text } = seen[adapter]?.[index] ?? { status: 0, text: '' };
    expect(seenStatus).toBe(status);
    expect(typeof answer === 'string' ? text : JSON.parse(text)).toEqual(answer);
  });
});

test('the server and setupServer give the same answers, their headers included', () => {
  expect(seen.setupServer).toEqual(seen.server);
});

test('every answer carries the rate-limit headers, and the windows are those of the API', () => {
  const remaining = seen.server
    ?.filter((_, index) => calls[index]?.key === undefined)
    .map(({ headers }) => Number(headers['x-ratelimit-remaining']));
  expect(remaining).toEqual(remaining?.map((_, index) => 59 - index));
});

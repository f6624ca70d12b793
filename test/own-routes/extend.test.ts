import { cp, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Validator } from '@seriousme/openapi-schema-validator';
import type { RequestHandler } from 'msw';
import { setupServer } from 'msw/node';
import { beforeAll, describe, expect, test } from 'vitest';
import { createSimulator, type Scenario, type Simulator } from '../../src/entries/index.js';
import { handlers } from '../../src/entries/msw.js';
import { runCommandLine, startServer } from '../support/command-line.js';
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
  seed: 7,
};

const refused = (status: number, code: string, message: unknown = expect.any(String)) => ({ code, message, status });

/** Calls in sequence to one service, on the server and in-process. An answer is text if `JSON.parse` would round a number. */
const calls: [call: string, status: number, answer: unknown, key?: string | null][] = [
  ['GET /categories', 200, [1, 2, 3, 4, 5].map((id) => ({ id, name: expect.stringMatching(/^[a-z ]{2,}$/) }))],
  ['POST /categories {"name":"Fish"}', 201, { id: 6, name: 'Fish' }],
  ['GET /categories/6?x=1', 200, { id: 6, name: 'Fish' }],
  ['GET /categories/7', 404, refused(404, 'not_found')],
  ['POST /categories {"name":""}', 400, refused(400, 'invalid_request', expect.stringMatching(/^name: /))],
  ['POST /categories {', 400, refused(400, 'invalid_request', expect.stringContaining('JSON'))],
  ['GET /categories', 401, refused(401, 'unauthorized'), null],
  ['PATCH /pets/1 {}', 401, refused(401, 'unauthorized', 'The API key is unknown.'), 'nobody'],
  ['DELETE /pets/1', 429, refused(429, 'rate_limit_exceeded'), 'used-up-key'],
  ['PATCH /pets/1 {"status":"sold"}', 200, { id: 1, name: 'Rex', categoryId: 1, status: 'sold' }],
  ['GET /pets?status=sold', 200, [{ id: 1, name: 'Rex', categoryId: 1, status: 'sold' }]],
  [
    'GET /orders/20',
    200,
    expect.objectContaining({ id: 20, petId: expect.toBeOneOf([1, 2]), customer: expect.stringMatching(/ /) }),
  ],
  [
    'POST /orders {"petId":2,"reference":"mine"}',
    201,
    { id: 21, petId: 2, quantity: 1, reference: 'mine', customer: '', status: 'placed' },
  ],
  ['POST /orders {"petId":3}', 404, refused(404, 'not_found')],
  ['POST /orders {"petId":2,"quantity":0}', 400, refused(400, 'invalid_request', expect.stringMatching(/^quantity: /))],
  ['GET /orders?reference=mine', 200, [expect.objectContaining({ id: 21, reference: 'mine' })]],
  ['PATCH /orders/21 {"status":"approved"}', 200, expect.objectContaining({ id: 21, status: 'approved' })],
  ['GET /orders/21', 200, expect.objectContaining({ id: 21, status: 'approved' })],
  ['PATCH /orders/21 {"status":"lost"}', 400, refused(400, 'invalid_request')],
  ['DELETE /orders/21', 204, ''],
  ['GET /orders/21', 404, refused(404, 'not_found')],
  ['DELETE /orders/21', 429, refused(429, 'rate_limit_exceeded'), 'used-up-key'],
  [
    'PATCH /pets/1 {"categoryId":9223372036854775807}',
    200,
    '{"id":1,"name":"Rex","categoryId":9223372036854775807,"status":"sold"}',
  ],
  [
    'PATCH /pets/1 {"categoryId":9223372036854775808}',
    400,
    refused(400, 'invalid_request', 'categoryId: Invalid int64.'),
  ],
  ['PATCH /pets/1 {"status":"lost"}', 400, refused(400, 'invalid_request')],
  ['PATCH /pets/3 {"status":"sold"}', 404, refused(404, 'not_found')],
  ['PATCH /pets/x {"status":"sold"}', 404, refused(404, 'not_found')],
  [
    'POST /pets {"name":"Zoë","categoryId":6}',
    201,
    '{"id":9007199254740993,"name":"Zoë","categoryId":6,"status":"available"}',
  ],
  ['DELETE /pets/9007199254740993', 204, ''],
  ['GET /pets/9007199254740993', 404, refused(404, 'not_found')],
  ['DELETE /pets/9007199254740993', 404, refused(404, 'not_found')],
  ['PUT /pets/1 {}', 405, refused(405, 'method_not_allowed')],
  [
    'GET /pets',
    200,
    '[{"id":1,"name":"Rex","categoryId":9223372036854775807,"status":"sold"},{"id":2,"name":"Milo","categoryId":2,"status":"available"}]',
  ],
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
  for (const [call, , , key = 'free-key'] of calls) {
    const [method = '', path = '', body] = call.split(' ');
    const headers = new Headers(key === null ? {} : { authorization: `Bearer ${key}` });
    if (body !== undefined) headers.set('content-type', 'application/json');
    const response = await fetch(`${baseUrl}${path}`, { method, headers, ...(body !== undefined && { body }) });
    const shown = shownHeaders.map((name) => [name, response.headers.get(name)]);
    seen.push({ call, status: response.status, headers: Object.fromEntries(shown), text: await response.text() });
  }
  return seen;
}
type Seen = Awaited<ReturnType<typeof makeCalls>>;

/** Project of the example, with only the packages that the example requires. */
let project: PackageCopy;
const seen: Record<string, Seen> = {};
/** Responses to the same calls on the server, after a reset. */
let afterReset: Seen;
/** Descriptions of the service and of the control API, from the server. */
let service: Description;
let control: Description;
const main = () => join(project.folder, 'node_modules/petstore-sim/dist/cli/main.cjs');

interface Description {
  servers: { url: string }[];
  paths: Record<string, Record<string, { operationId?: string; security?: unknown }>>;
  components: { schemas: Record<string, unknown> };
}

beforeAll(async () => {
  const { dependencies } = JSON.parse(await readFile(join(example, 'package.json'), 'utf8'));
  const packages = Object.keys(dependencies).filter((name) => name !== 'petstore-sim' && name !== 'msw');
  project = await copyPackage({ msw: 2, packages });
  const files = await readdir(example);
  for (const file of files) if (file !== 'README.md') await cp(join(example, file), join(project.folder, file));
  seen.server = await onTheServer();
  seen.setupServer = await inProcess();
}, 60_000);

async function onTheServer(): Promise<Seen> {
  const { clock, pets, keys, seed } = scenario;
  // JSON.stringify accepts no bigint.
  const text = JSON.stringify({ clock, pets, keys, seed, ids: { start: 0 } }).replace(
    '"start":0',
    '"start":9007199254740993',
  );
  await writeFile(join(project.folder, 'scenario.json'), text);
  const flags = ['--scenario', 'scenario.json', '--handlers', 'handlers.js'];
  const { baseUrl, stop } = await startServer(flags, { cwd: project.folder, main: main() });
  const controlUrl = new URL('/__sim', baseUrl).href;
  try {
    const calls = await makeCalls(baseUrl);
    service = (await (await fetch(`${controlUrl}/service.json`)).json()) as Description;
    control = (await (await fetch(`${controlUrl}/openapi.json`)).json()) as Description;
    await fetch(`${controlUrl}/reset`, { method: 'POST' });
    afterReset = await makeCalls(baseUrl);
    return calls;
  } finally {
    await stop();
  }
}

const loadExtension = async () =>
  (await import(join(project.folder, 'handlers.js'))) as { handlers: (sim: Simulator) => Promise<RequestHandler[]> };

async function inProcess(): Promise<Seen> {
  const extension = await loadExtension();
  const sim = createSimulator({ scenario });
  const server = setupServer(...(await extension.handlers(sim)), ...handlers(sim));
  server.listen({ onUnhandledRequest: 'error' });
  try {
    return await makeCalls('https://api.petstore.example/v1');
  } finally {
    server.close();
  }
}

describe('the extension of examples/extend', () => {
  test.each(calls.map(([call, status, answer], index) => [call, status, answer, index] as const))(
    '%s gets status %i',
    (_, status, answer, index) => {
      const { status: seenStatus, text } = seen.server?.[index] ?? { status: 0, text: '' };
      expect(seenStatus).toBe(status);
      expect(typeof answer === 'string' ? text : JSON.parse(text)).toEqual(answer);
    },
  );
});

test('the server and setupServer send the same responses, including headers', () => {
  expect(seen.setupServer).toEqual(seen.server);
});

test('every response has rate-limit headers, and custom routes share the windows of the API', () => {
  const remaining = seen.server
    ?.filter((_, index) => calls[index]?.[3] === undefined)
    .map(({ headers }) => Number(headers['x-ratelimit-remaining']));
  expect(remaining).toEqual(remaining?.map((_, index) => 59 - index));
});

test('a reset restores the initial data with the same seeded values', () => {
  expect(afterReset).toEqual(seen.server);
});

test('another seed generates other data', async () => {
  const { handlers: extend } = await loadExtension();
  const namesFor = async (seed: number) => {
    const sim = createSimulator({ scenario: { ...scenario, seed } });
    const server = setupServer(...(await extend(sim)));
    server.listen({ onUnhandledRequest: 'error' });
    try {
      const headers = { authorization: 'Bearer free-key' };
      return await (await fetch('https://api.petstore.example/v1/categories', { headers })).text();
    } finally {
      server.close();
    }
  };
  expect(await namesFor(7)).toBe(seen.setupServer?.[0]?.text);
  expect(await namesFor(8)).not.toBe(seen.setupServer?.[0]?.text);
});

describe('the descriptions of the server', () => {
  const operations = (of: Description) =>
    Object.values(of.paths).flatMap((item) => Object.values(item).flatMap(({ operationId }) => operationId ?? []));
  const own = [
    ...['listCategories', 'createCategory', 'getCategory', 'listOrders', 'placeOrder', 'getOrder', 'updateOrder'],
    ...['cancelOrder', 'updatePet', 'deletePet'],
  ];

  test('contain the routes of the example and the routes of the API', () => {
    expect(operations(service).sort()).toEqual([...own, 'listPets', 'createPet', 'getPet'].sort());
    expect(operations(control)).toEqual(expect.arrayContaining([...own, 'getHealth']));
  });

  test('contain the base URL and the authentication of the API for custom routes', () => {
    const { servers, get } = control.paths['/categories'] as unknown as Pick<Description, 'servers'> & {
      get: { security?: unknown };
    };
    expect(servers[0]?.url).toMatch(/\/v1$/);
    expect(get.security).toEqual([{ bearer: [] }]);
  });

  test.each([
    ['service', () => service],
    ['control', () => control],
  ])('are valid OpenAPI without dangling references: %s', async (_name, description) => {
    expect(await new Validator().validate(JSON.parse(JSON.stringify(description())))).toEqual({ valid: true });
    const references = JSON.stringify(description()).match(/(?<="\$ref":"#\/)[^"]+/g) ?? [];
    // biome-ignore lint/suspicious/noExplicitAny: plain JSON
    const follow = (path: string) => path.split('/').reduce<any>((value, step) => value?.[step], description());
    expect(references.filter((path) => follow(path) === undefined)).toEqual([]);
    expect(references).toContain('components/schemas/PetStatus');
  });
});

describe('exec with --handlers', () => {
  const words = 'exec --handlers handlers.js --scenario lost-order.yaml --json --'.split(' ');
  const exec = (...client: string[]) =>
    runCommandLine([...words, process.execPath, ...client], { cwd: project.folder, main: main() });

  test('passes a client that checks for the order after a lost response', async () => {
    const { code, out, err } = await exec('place-order.js');
    expect([code, out]).toEqual([0, 'order 21 is placed\n']);
    expect(JSON.parse(err)).toMatchObject({ outcome: 'pass', findings: [], counts: { requests: 2, lost: 1 } });
  });

  test('fails a client that repeats the order without a check, and does not mention pets', async () => {
    const { code, err } = await exec('place-order.js', '--blindly');
    const { findings, outcome, next } = JSON.parse(err);
    expect([code, outcome]).toEqual([1, 'fail']);
    expect(findings).toMatchObject([{ code: 'duplicate-write', measured: '2 resources stored (21, 22)' }]);
    expect(findings[0].text).toMatch(/^POST \/orders was stored/);
    expect(findings[0].text).not.toMatch(/pet/i);
    expect(next[0]).toContain('--handlers handlers.js');
  });
});

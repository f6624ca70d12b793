import { describe, expect, test } from 'vitest';
import { createSimulator, type Scenario, type Settings, type Simulator } from '../../src/entries/index.js';
import { documentedPlans } from '../../src/petstore/document.js';
import { operationTable } from '../../src/petstore/operations.js';
import type { OperationRow } from '../../src/requests/service.js';
import { depot } from '../support/depot.js';
import { frozen } from '../support/frozen.js';
import { openServer } from '../support/open-server.js';

const { minute: perMinute } = documentedPlans.free;

// cors is the one assumption that only the HTTP adapter knows: in a page, the msw and fetch adapters are of the page's own origin.

const page = 'http://localhost:5173';
const app = 'https://app.example';
const exposed = 'X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, Retry-After, Date, Link';

const rows: readonly OperationRow[] = Object.values(operationTable.rows);
const methodsOf = (isMeant: (row: OperationRow) => boolean) =>
  [...new Set(rows.filter(isMeant).map(({ method }) => method))].join(', ');
const petstoreMethods = methodsOf(() => true);

/** Starts a server for requests of a page, and returns the parts of a response that concern the page. */
async function open(cors: Settings['cors'] | undefined, scenario: Scenario = {}) {
  const assumptions = { ...scenario.assumptions, ...(cors !== undefined && { cors }) };
  const sim: Simulator = frozen({ ...scenario, assumptions });
  const { baseUrl } = await openServer(sim);
  const call = async (
    origin: string | undefined,
    { method = 'GET', path = '/pets', key = 'free-key', headers = {} } = {},
  ) => {
    const sent = { ...(origin !== undefined && { Origin: origin }), Authorization: `Bearer ${key}`, ...headers };
    const response = await fetch(`${baseUrl}${path}`, { method, headers: sent });
    const cors = [...response.headers].filter(([name]) => name.startsWith('access-control-') || name === 'vary');
    const { status, headers: received } = response;
    return { status, cors: Object.fromEntries(cors), body: await response.text(), headers: received };
  };
  const preflight = (origin: string) =>
    call(origin, {
      method: 'OPTIONS',
      key: 'no-such-key',
      headers: {
        'Access-Control-Request-Method': 'POST',
        'Access-Control-Request-Headers': 'authorization,content-type,x-trace',
      },
    });
  return { sim, call, preflight };
}

/** The parts that any page could see: the status and the CORS headers. */
const shown = ({ status, cors }: { status: number; cors: object }) => [status, cors];
const readable = (origin: string) => ({
  'access-control-allow-origin': origin,
  'access-control-expose-headers': exposed,
  vary: 'Origin',
});

describe('cors: loopback, the default', () => {
  test.each([
    page,
    'https://localhost',
    'http://127.0.0.1:3000',
    'http://[::1]:8080',
    'http://shop.localhost:3000',
    'http://localhost.:3000',
  ])('lets a page of %s read the response and its rate-limit headers', async (origin) => {
    const { call } = await open(undefined);
    const answer = await call(origin);
    expect(shown(answer)).toEqual([200, readable(origin)]);
    expect(JSON.parse(answer.body)).toHaveLength(20);
  });

  test.each([
    undefined,
    app,
    'null',
    'http://localhost.evil.example',
    'http://evil.example/localhost',
    'http://localhost@evil.example',
    'http://127.0.0.1.evil.example',
    'file://localhost',
    'http://192.168.0.7',
    'http://evil.test/?.localhost',
    'http://evil.test#.localhost',
    'http://evil.test:80.localhost',
    'http://evil.test\\.localhost',
    'http://evil.test?@localhost',
    'http://localhost/',
    'http://localhost:80',
    'http://LOCALHOST',
    'http://[::1',
    'javascript://localhost',
    'http://localhost http://evil.test',
  ])('does not let a page of %s read it, and sends no such header', async (origin) => {
    const { call } = await open(undefined);
    expect(shown(await call(origin))).toEqual([200, {}]);
  });

  test('lets a page read refusals and errors too', async () => {
    const { call } = await open(undefined, { keys: { spent: { usage: { minute: 'all' } } } });
    for (const [status, options] of [
      [429, { key: 'spent' }],
      [401, { key: 'no-such-key' }],
      [404, { path: '/pets/999' }],
      [405, { method: 'DELETE' }],
      [400, { path: '/pets?limit=0' }],
    ] as const) {
      const answer = await call(page, options);
      expect(shown(answer)).toEqual([status, readable(page)]);
      expect(JSON.parse(answer.body).status).toBe(status);
    }
  });

  test.each([
    ['legacy', 'RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset'],
    ['structured-rt', 'RateLimit, RateLimit-Policy'],
    ['structured-aw', 'RateLimit, RateLimit-Policy'],
  ] as const)('lets a page read the draft fields of the shape %s, which it sends', async (rateLimitFields, fields) => {
    const { call } = await open(undefined, { assumptions: { rateLimitFields } });
    const answer = await call(page);
    expect(answer.cors['access-control-expose-headers']).toBe(`${exposed}, ${fields}`);
    for (const field of fields.split(', ')) expect(answer.headers.has(field), field).toBe(true);
  });

  test('responds to a preflight without a key, never counts it, and permits a foreign page nothing', async () => {
    const { preflight, sim } = await open(undefined);
    const answer = await preflight(page);
    const permitted = {
      'access-control-allow-methods': petstoreMethods,
      'access-control-allow-headers': 'authorization,content-type,x-trace',
      'access-control-max-age': '600',
    };
    expect([...shown(answer), answer.body]).toEqual([204, { ...readable(page), ...permitted }, '']);
    expect(shown(await preflight(app))).toEqual([204, {}]);
    expect(sim.keys.get('free-key').minute.remaining).toBe(perMinute);
  });

  test('treats OPTIONS that is no preflight as any other method', async () => {
    const { call } = await open(undefined);
    const answer = await call(page, { method: 'OPTIONS' });
    expect(answer.status).toBe(405);
    expect(answer.headers.get('allow')).toBe(methodsOf(({ path }) => path === '/pets'));
    expect(answer.headers.get('x-ratelimit-remaining')).toBe(String(perMinute - 1));
  });
});

describe('cors: hidden', () => {
  test('lets a page read the response, but not its rate-limit headers', async () => {
    const { call, preflight } = await open('hidden');
    const answer = await call(page);
    expect(shown(answer)).toEqual([200, { 'access-control-allow-origin': page, vary: 'Origin' }]);
    expect(answer.headers.get('x-ratelimit-remaining')).toBe(String(perMinute - 1));
    expect((await preflight(page)).cors).not.toHaveProperty('access-control-expose-headers');
  });
});

describe('cors: off', () => {
  test('has no headers for any page, and treats a preflight as any other request', async () => {
    const { call, preflight } = await open('off');
    expect(shown(await call(page))).toEqual([200, {}]);
    const answer = await preflight(page);
    expect(shown(answer)).toEqual([401, {}]);
    expect(JSON.parse(answer.body).code).toBe('unauthorized');
  });
});

describe('cors: a list of origins', () => {
  test('adds to the pages of this machine, and contains exactly these origins', async () => {
    const { call, preflight } = await open([app]);
    for (const origin of ['https://app.example:444', 'http://app.example', 'https://app.example.evil.example']) {
      expect(shown(await call(origin)), origin).toEqual([200, {}]);
    }
    for (const origin of [app, page]) {
      expect(shown(await call(origin)), origin).toEqual([200, readable(origin)]);
      expect((await preflight(origin)).cors).toMatchObject({ 'access-control-allow-origin': origin });
    }
  });

  test('accepts the origin of a file, and rejects a text that no browser sends', async () => {
    expect(shown(await (await open(['null'])).call('null'))).toEqual([200, readable('null')]);
    for (const wrong of ['https://app.example/', 'app.example', '*', 'https://APP.example', '', 'https://a.example\n'])
      expect(() => createSimulator({ scenario: { assumptions: { cors: [wrong] } } }), wrong).toThrow(
        'assumptions.cors[0]: expected an origin such as "https://app.example"',
      );
  });
});

test('a page whose base URL lacks the path of the API may read where that is', async () => {
  const { call } = await open(undefined);
  const asked = await call(page, {
    method: 'OPTIONS',
    path: '/../pets',
    headers: { 'Access-Control-Request-Method': 'GET' },
  });
  expect([asked.status, asked.cors['access-control-allow-origin']]).toEqual([204, page]);
  const { status, cors, body } = await call(page, { path: '/../pets' });
  expect([status, cors['access-control-allow-origin']]).toEqual([404, page]);
  expect(body).toContain('the API is under /v1');
  for (const origin of [app, undefined]) {
    expect((await call(origin, { path: '/../pets' })).cors).not.toHaveProperty('access-control-allow-origin');
  }
});

test("serves the dashboard's files behind a proxy that changes the Host, and nothing more", async () => {
  const { call } = await open(undefined);
  const headers = { 'Sec-Fetch-Site': 'same-origin' };
  for (const file of ['page.js', 'page.css']) {
    expect((await call(page, { path: `/../__sim/page/${file}`, headers })).status).toBe(200);
  }
  expect((await call(page, { path: '/../__sim/keys', headers })).status).toBe(403);
});

describe('the methods of a preflight', () => {
  /** Asks whether a page may send a request with the method DELETE. */
  const methodsAt = async (url: string, method = 'DELETE') => {
    const headers = { Origin: page, 'Access-Control-Request-Method': method };
    const answer = await fetch(url, { method: 'OPTIONS', headers });
    return [answer.status, answer.headers.get('access-control-allow-methods')];
  };

  test('are those of the Petstore, or the requested one of a service that lists none', async () => {
    const store: typeof depot = { ...depot, name: 'store', basePath: '/store', methods: ['PUT'] };
    const sim = createSimulator({ services: [depot, store] });
    const { origin } = new URL((await openServer(sim)).baseUrl);
    const seen = await Promise.all(
      ['/v1/pets', '/depot/parcels/1', '/store/1'].flatMap((path) => [
        methodsAt(origin + path),
        methodsAt(`${origin}/s/blue${path}`),
      ]),
    );
    expect(seen.map(([, methods]) => methods)).toEqual([
      petstoreMethods,
      petstoreMethods,
      'DELETE',
      'DELETE',
      'PUT',
      'PUT',
    ]);
    expect(seen.map(([status]) => status)).toEqual([204, 204, 204, 204, 204, 204]);
  });

  test('are the requested one if one of two services under the same path lists none', async () => {
    const sameBase: typeof depot = { ...depot, basePath: '/v1' };
    const { baseUrl } = await openServer(createSimulator({ services: [sameBase] }));
    expect(await methodsAt(`${baseUrl}/parcels/1`, 'PATCH')).toEqual([204, 'PATCH']);
  });

  test('are the requested one outside every API, so that the page reads the 404', async () => {
    const { baseUrl } = await openServer(createSimulator());
    expect(await methodsAt(`${new URL(baseUrl).origin}/pets/1`, 'PUT')).toEqual([204, 'PUT']);
  });
});

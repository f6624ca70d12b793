import { STATUS_CODES } from 'node:http';
import fc from 'fast-check';
import ky from 'ky';
import { describe, expect, test } from 'vitest';
import type { Scenario } from '../../src/entries/index.js';
import { reasonPhrase } from '../../src/requests/reason-phrase.js';
import { type Adapter, adapters, type CallOptions, openService, type Service } from '../support/adapters.js';
import { fuzz } from '../support/prove.js';
import { bodyOf, rawRequest, statusOf } from '../support/raw-request.js';

/** A request that adapters treat differently, and the part of the response that shows it. */
interface Difference {
  what: string;
  observe(service: Service, adapter: Adapter['name']): Promise<unknown>;
  expected: Record<Adapter['name'], unknown>;
}

const authorization = 'Bearer free-key';

/** Sends a request through the client of an adapter. */
const sender = ({ sim }: Service, adapter: Adapter['name']): typeof fetch => (adapter === 'fetch' ? sim.fetch : fetch);

/**
 * A request as sent by the adapter's client, not through `call`: outside the base path, no response comes from the API.
 */
async function send(service: Service, adapter: Adapter['name'], address: string, init: RequestInit = {}) {
  const url = address.startsWith('/') ? new URL(service.baseUrl).origin + address : address;
  try {
    return await sender(service, adapter)(url, { headers: { authorization }, ...init });
  } catch (error) {
    return error as TypeError;
  }
}

/**
 * Status, and whether the headers of the limits are present; `refused` if the adapter's client cannot send the request.
 */
async function outcome(service: Service, adapter: Adapter['name'], address: string, init?: RequestInit) {
  const answer = await send(service, adapter, address, init);
  if (answer instanceof Error) return 'refused';
  await answer.arrayBuffer();
  return `${answer.status}${answer.headers.has('x-ratelimit-limit') ? '' : ' without X-RateLimit'}`;
}

/** Requests as bytes on a socket, for the HTTP adapter alone. */
async function rawOutcome(
  { baseUrl }: Service,
  target: string,
  { method = 'GET', headers = '', host = 'localhost', body = '' } = {},
) {
  const head = `${method} ${target} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: ${authorization}\r\n${headers}\r\n${body}`;
  const answer = await rawRequest(Number(new URL(baseUrl).port), head);
  return `${statusOf(answer)}${/^x-ratelimit-limit:/im.test(answer) ? '' : ' without X-RateLimit'}`;
}

/** Sends through the socket on the HTTP adapter, through the client on the others. */
const rawOrClient =
  (target: string, raw: Parameters<typeof rawOutcome>[2] = {}, init: RequestInit = {}) =>
  (service: Service, adapter: Adapter['name']) =>
    adapter === 'http' ? rawOutcome(service, target, raw) : outcome(service, adapter, target, init);

const headerNames =
  (names: string[], init: RequestInit = {}) =>
  async (service: Service, adapter: Adapter['name']) => {
    const answer = await send(service, adapter, '/v1/pets', init);
    return answer instanceof Error ? 'refused' : names.filter((name) => answer.headers.has(name));
  };

const origin = 'http://localhost:5173';

const differences: Difference[] = [
  {
    what: 'an address outside the base path: the msw adapter leaves it to the network',
    observe: (service, adapter) => outcome(service, adapter, '/v2/pets'),
    expected: { fetch: '404 without X-RateLimit', msw: 'refused', http: '404 without X-RateLimit' },
  },
  {
    what: 'a base path that only starts alike',
    observe: (service, adapter) => outcome(service, adapter, '/v10/pets'),
    expected: { fetch: '404 without X-RateLimit', msw: 'refused', http: '404 without X-RateLimit' },
  },
  {
    what: 'the control API: only the HTTP adapter has it',
    observe: (service, adapter) => outcome(service, adapter, '/__sim/nothing'),
    expected: { fetch: '404 without X-RateLimit', msw: 'refused', http: '404 without X-RateLimit' },
  },
  {
    what: '/v1/../v1/pets: a URL loses its dots before it is sent, a raw target does not',
    observe: rawOrClient('/v1/../v1/pets'),
    expected: { fetch: '200', msw: '200', http: '404' },
  },
  {
    what: '/v1/%2e%2e/v1/pets: encoded dots are dots to a URL',
    observe: rawOrClient('/v1/%2e%2e/v1/pets'),
    expected: { fetch: '200', msw: '200', http: '404' },
  },
  {
    what: '/v1\\pets: a backslash is a slash to a URL',
    observe: rawOrClient('/v1\\pets'),
    expected: { fetch: '200', msw: '200', http: '404 without X-RateLimit' },
  },
  {
    what: '/v1/pets#top: a fragment is never sent, and no target',
    observe: rawOrClient('/v1/pets#top'),
    expected: { fetch: '200', msw: '200', http: '400 without X-RateLimit' },
  },
  {
    what: 'TRACE: fetch refuses to send it, but not the one that msw puts in its place',
    observe: rawOrClient('/v1/pets', { method: 'TRACE' }, { method: 'TRACE' }),
    expected: { fetch: 'refused', msw: '405', http: '405' },
  },
  {
    what: 'get: fetch writes the method in capitals, HTTP knows none in lower case',
    observe: rawOrClient('/v1/pets', { method: 'get' }, { method: 'get' }),
    expected: { fetch: '200', msw: '200', http: '400 without X-RateLimit' },
  },
  {
    what: 'GET with a body: fetch refuses to send it, but not the one that msw puts in its place; listPets reads none',
    observe: rawOrClient('/v1/pets', { headers: 'Content-Length: 2\r\n', body: '{}' }, { body: '{}' }),
    expected: { fetch: 'refused', msw: '200', http: '200' },
  },
  {
    what: 'headers over 16 KiB: the HTTP parser refuses them',
    observe: (service, adapter) =>
      adapter === 'http'
        ? rawOutcome(service, '/v1/pets', { headers: `X-Long: ${'x'.repeat(20_000)}\r\n` })
        : outcome(service, adapter, '/v1/pets', { headers: { authorization, 'x-long': 'x'.repeat(20_000) } }),
    expected: { fetch: '200', msw: '200', http: '431 without X-RateLimit' },
  },
  {
    what: 'a foreign host name: the HTTP adapter answers only to its own',
    observe: (service, adapter) =>
      adapter === 'http'
        ? rawOutcome(service, '/v1/pets', { host: 'petstore.example' })
        : outcome(service, adapter, 'https://petstore.example/v1/pets'),
    expected: { fetch: '200', msw: '200', http: '403 without X-RateLimit' },
  },
  {
    what: 'headers of the connection',
    observe: headerNames(['connection', 'keep-alive', 'content-length', 'transfer-encoding']),
    expected: { fetch: [], msw: [], http: ['connection', 'keep-alive', 'content-length'] },
  },
  {
    what: 'CORS headers for a page of a loopback origin',
    observe: headerNames(['access-control-allow-origin', 'access-control-expose-headers', 'vary'], {
      headers: { authorization, origin },
    }),
    expected: {
      fetch: [],
      msw: [],
      http: ['access-control-allow-origin', 'access-control-expose-headers', 'vary'],
    },
  },
  {
    what: 'a CORS preflight: only a server is asked one',
    observe: (service, adapter) =>
      outcome(service, adapter, '/v1/pets', {
        method: 'OPTIONS',
        headers: { origin, 'access-control-request-method': 'GET' },
      }),
    expected: { fetch: '401', msw: '401', http: '204 without X-RateLimit' },
  },
];

describe.each(adapters.map((adapter) => [adapter.name, adapter] as const))(
  'what the %s adapter does its own way',
  (name, adapter) => {
    test.each(differences.map((difference) => [difference.what, difference] as const))('%s', async (_, difference) => {
      expect(await difference.observe(await openService(adapter), name)).toEqual(difference.expected[name]);
    });
  },
);

describe.each(adapters.map((adapter) => [adapter.name, adapter] as const))(
  'a Response of the %s adapter',
  (name, adapter) => {
    const statuses = [200, 204, 205, 299, 304, 413, 418, 422, 429, 451, 503, 507, 599];

    test('has statusText and url, and so have its clones', async () => {
      const faults = statuses.map((status) => ({ when: { times: 1 }, then: { respond: { status } } }));
      const service = await openService(adapter, { faults });
      const seen: unknown[] = [];
      for (const _ of statuses) {
        const url = `${service.baseUrl}/pets?limit=2`;
        const answer = await sender(service, name)(`${url}#part`, { headers: { authorization } });
        // msw itself creates the Response that its client sees. In Node 26, its URL has the fragment, and clones have none.
        if (name === 'msw') expect(answer.url.replace('#part', '')).toBe(url);
        else
          for (const { url: own, type, redirected } of [answer, answer.clone(), answer.clone().clone()])
            expect([own, type, redirected]).toEqual([url, 'basic', false]);
        seen.push([answer.status, answer.clone().statusText]);
      }
      expect(seen).toEqual(statuses.map((status) => [status, STATUS_CODES[status] ?? 'unknown']));
    });

    test('gives the errors of ky the same message', async () => {
      const service = await openService(adapter, { keys: { 'free-key': { usage: { minute: 'all' } } } });
      const url = `${service.baseUrl}/pets`;
      const asked = ky(url, { fetch: sender(service, name), headers: { authorization }, retry: 0 });
      await expect(asked).rejects.toThrow(`Request failed with status code 429 Too Many Requests: GET ${url}`);
    });

    test('has statusText outside the API', async () => {
      if (name === 'msw') return;
      const service = await openService(adapter);
      const answer = await sender(service, name)(new URL('/elsewhere', service.baseUrl));
      expect([answer.status, answer.statusText]).toEqual([404, 'Not Found']);
    });
  },
);

test('reasonPhrase has the texts of this Node', () => {
  for (let status = 200; status < 600; status++)
    expect(reasonPhrase(status), `${status}`).toBe(STATUS_CODES[status] ?? 'unknown');
});

describe('a separate server', () => {
  test('returns the same body for a URL outside the base path as sim.fetch', async () => {
    const [viaFetch, , viaHttp] = adapters as [Adapter, Adapter, Adapter];
    const [inProcess, http] = [await openService(viaFetch), await openService(viaHttp)];
    const answer = await rawRequest(Number(new URL(http.baseUrl).port), 'GET /v2 HTTP/1.1\r\nHost: localhost\r\n\r\n');
    expect(bodyOf(answer)).toBe(await (await inProcess.sim.fetch('http://petstore.test/v2')).text());
  });
});

/** Headers that belong to a connection or to pages, not to the API. */
const ofTheAdapter = /^(?:connection|keep-alive|content-length|transfer-encoding|vary|access-control-.*)$/;

interface Step {
  /** Moves the clock first. */
  advanceMs: number;
  method: string;
  path: string;
  options: CallOptions;
}

const petId = fc.oneof(
  fc.integer({ min: 1, max: 6 }).map(String),
  fc.bigInt({ min: -(2n ** 64n), max: 2n ** 64n }).map(String),
  fc.constantFrom('9007199254740993', '01', '1.0', '%31', '%2531', '%201', 'rex', '%E0', '1;2', '1,2', '-0'),
);
const queryValue = fc.oneof(
  fc.constantFrom(
    '1',
    '2',
    '0',
    '101',
    '',
    'available',
    'sold',
    'lost',
    '%73old',
    'a+b',
    '%',
    '"',
    'é',
    '小',
    "'",
    '|',
  ),
  fc.string({ unit: 'grapheme', maxLength: 6 }).map(encodeURIComponent),
);
const query = fc
  .array(fc.tuple(fc.constantFrom('limit', 'status', 'page', 'offset', 'cursor', '%73tatus', 'x', ''), queryValue), {
    maxLength: 3,
  })
  .map((pairs) => pairs.map(([name, value]) => `${name}=${value}`).join('&'));
const path = fc.oneof(
  { weight: 3, arbitrary: fc.constant('/pets') },
  { weight: 3, arbitrary: query.map((text) => `/pets?${text}`) },
  { weight: 3, arbitrary: petId.map((id) => `/pets/${id}`) },
  {
    weight: 1,
    arbitrary: fc.constantFrom('', '/', '/pets/', '/pets//1', '//pets', '/nowhere?x', '/pets%2f1', '/pétș'),
  },
);

const newPet = fc
  .record(
    {
      name: fc.oneof(fc.string({ unit: 'grapheme', maxLength: 8 }), fc.constant('\ud800'), fc.constant(7)),
      categoryId: fc.oneof(fc.integer(), fc.double(), fc.constant('1'), fc.constant(null)),
      status: fc.constantFrom('available', 'pending', 'sold', 'lost', null),
      color: fc.string({ maxLength: 3 }),
    },
    { requiredKeys: [] },
  )
  .map((pet) => JSON.stringify(pet));
const exactPet = fc
  .bigInt({ min: -(2n ** 63n) - 2n, max: 2n ** 63n + 1n })
  .map((categoryId) => `{"name":"Rex","categoryId":${categoryId}}`);
const body = fc.oneof(
  { weight: 4, arbitrary: newPet },
  { weight: 4, arbitrary: exactPet },
  { weight: 1, arbitrary: fc.json() },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 12 }).map((bytes) => new Uint8Array(bytes)) },
  { weight: 1, arbitrary: fc.constantFrom('', '[]', '{"name":', '['.repeat(40), ' '.repeat(65_537)) },
);

const key = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom('free-key', 'pro-key') },
  { weight: 1, arbitrary: fc.constantFrom('spent-key', 'revoked-key', 'no-such-key') },
);
const method = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom('GET', 'POST') },
  { weight: 1, arbitrary: fc.constantFrom('PUT', 'DELETE', 'PATCH', 'OPTIONS', 'HEAD') },
);
const headers = fc.record(
  {
    'Content-Type': fc.constantFrom(
      'application/json; charset=utf-8',
      'Application/JSON',
      'text/plain',
      'text/plain, application/json',
      'text/é',
      '',
    ),
    'Content-Encoding': fc.constantFrom('gzip', 'identity'),
    Accept: fc.constantFrom('text/html', '*/*'),
  },
  { requiredKeys: [] },
) as fc.Arbitrary<Record<string, string>>;
const oddAuthorization = fc.constantFrom(
  'Basic x',
  'bearer free-key',
  'Bearer  free-key',
  'Bearer free-key, x',
  'Bearer Free-Key',
  'Bearer é',
);

const step: fc.Arbitrary<Step> = fc
  .record({
    advanceMs: fc.constantFrom(0, 0, 0, 1, 400, 2_000, 15_000, 60_000),
    method,
    path,
    key: fc.option(key, { nil: undefined, freq: 12 }),
    odd: fc.option(oddAuthorization, { nil: undefined, freq: 12 }),
    body: fc.option(body, { nil: undefined, freq: 8 }),
    headers: fc.oneof({ weight: 4, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: headers }),
  })
  .map(({ advanceMs, method, path, key, odd, body, headers }) => {
    const mayHaveBody = method !== 'GET' && method !== 'HEAD';
    const options: CallOptions = { headers: { ...headers, ...(key === undefined && odd && { authorization: odd }) } };
    if (key !== undefined) options.key = key;
    if (mayHaveBody && body !== undefined) options.body = body;
    return { advanceMs, method, path, options };
  });

const scenarios: Scenario[] = [
  {},
  { assumptions: { unknownFields: 'echo', paging: 'cursor', listOrder: 'newest-first', deprecation: 'headers' } },
  { ban: 'binance', assumptions: { unauthorizedHeaders: 'omit', retryAfterForm: 'http-date', contentType: 'accept' } },
  { limits: { algorithm: 'token-bucket' }, assumptions: { limitOutOfRange: 'clamp', unknownMethod: 'not-found' } },
  {
    limits: { algorithm: 'sliding-log' },
    assumptions: { paging: 'page', unknownQuery: 'reject', defaultStatus: 'absent' },
  },
];

/** What every adapter must give alike for the same steps. */
async function play(adapter: Adapter, scenario: Scenario, steps: readonly Step[]): Promise<unknown[]> {
  const service = await openService(adapter, {
    plans: { free: { minute: 5, day: 12 } },
    keys: { 'spent-key': { usage: { minute: 5 } } },
    ids: { start: 9007199254740991n },
    ...scenario,
  });
  const seen = [];
  try {
    for (const { advanceMs, method, path, options } of steps) {
      service.sim.clock.advance(advanceMs);
      const { status, headers, bodyText } = await service.call(method, path, options);
      const own = [...headers].filter(([name]) => !ofTheAdapter.test(name));
      const shown = own.map(([name, value]) => `${name}: ${value.replace(service.baseUrl, 'BASE')}`).sort();
      seen.push({ request: `${method} ${path}`, status, headers: shown, bodyText });
    }
    seen.push(service.sim.keys.list(), service.sim.pets.list());
  } finally {
    await service.close();
  }
  return seen;
}

describe('all adapters', () => {
  test('return the same responses to the same calls, and end in the same state', async () => {
    const [first, ...others] = adapters as [Adapter, Adapter, Adapter];
    const sequence = fc.array(step, { minLength: 1, maxLength: 16, size: 'max' });
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...scenarios), sequence, async (scenario, steps) => {
        const expected = await play(first, scenario, steps);
        for (const adapter of others) expect(await play(adapter, scenario, steps)).toEqual(expected);
      }),
      fuzz(50, 2_000),
    );
  });
});

import { once } from 'node:events';
import nodeHttp, { createServer, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import axios from 'axios';
import { HttpResponse, http } from 'msw';
import { setupServer } from 'msw/node';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createSimulator, type Simulator } from '../../src/entries/index.js';
import { guarded, type HandlersOptions, handlers } from '../../src/entries/msw.js';
import { documentedPlans } from '../../src/petstore/document.js';
import { listenLocally } from '../support/listen-locally.js';
import { addresses, calls, callsScenario, makeCalls } from './calls.js';

const { minute: perMinute } = documentedPlans.free;

// On msw 2 as it stands; msw-3.test.ts runs this file again, on Node 22 with `msw` being version 3.

/** The option has another name in msw 3, which ignores the name of msw 2. */
const unhandled = (strategy: 'error' | 'bypass') => ({ onUnhandledRequest: strategy, onUnhandledFrame: strategy });

const authorization = { authorization: 'Bearer free-key' };
const production = 'https://api.petstore.example/v1';
const theirs = http.all('*', () => HttpResponse.text('not ours'));

let sim: Simulator;
const server = setupServer();

/** Puts the handlers of the simulator in place, and behind them a handler that takes all other requests. */
function mock(options: HandlersOptions = {}) {
  server.resetHandlers(...handlers(sim, options), theirs);
}

const isOurs = async (url: string) => (await (await fetch(url)).text()) !== 'not ours';

beforeAll(() => server.listen(unhandled('error')));
afterAll(() => server.close());
beforeEach(() => {
  sim = createSimulator({ scenario: callsScenario });
});

describe('setupServer(...handlers(sim))', () => {
  test('is here of the msw that it should be', () => {
    expect('readyState' in server).toBe(process.env.MSW_MAJOR === '3');
  });

  test('gives for every call of the table the expected status, and the headers and body of sim.fetch', async () => {
    server.resetHandlers(...handlers(sim));
    const seen = await makeCalls(fetch, sim);
    expect(seen.map(({ title, status }) => ({ title, status }))).toEqual(
      calls.map(({ title, status }) => ({ title, status })),
    );
    const other = createSimulator({ scenario: callsScenario });
    expect(seen).toEqual(await makeCalls(other.fetch, other));
  });

  test('keeps the services of two simulators apart', async () => {
    const other = createSimulator({ scenario: { pets: [] } });
    server.resetHandlers(
      ...handlers(sim, { baseUrl: 'https://one.test/v1' }),
      ...handlers(other, { baseUrl: 'https://other.test/v1' }),
    );
    const list = async (base: string) => (await fetch(`${base}/pets`, { headers: authorization })).json();
    expect(await list('https://one.test/v1')).toHaveLength(3);
    expect(await list('https://other.test/v1')).toEqual([]);
  });
});

describe('the addresses of handlers(sim, { baseUrl })', () => {
  describe.each(addresses)('with baseUrl $baseUrl', ({ baseUrl, ours, notOurs }) => {
    beforeEach(() => mock(baseUrl === undefined ? {} : { baseUrl }));
    test.each(ours)('%s is answered by the simulator', async (url) => {
      expect(await isOurs(url)).toBe(true);
    });
    test.each(notOurs)('%s is left to others', async (url) => {
      expect(await isOurs(url)).toBe(false);
    });
  });

  test('a base URL below another receives its own requests, in any order of the handlers', async () => {
    for (const baseUrl of [
      ['https://x.test', 'https://x.test/v1'],
      ['https://x.test/v1', 'https://x.test'],
    ]) {
      mock({ baseUrl });
      expect((await fetch('https://x.test/v1/pets', { headers: authorization })).status).toBe(200);
      expect((await fetch('https://x.test/pets', { headers: authorization })).status).toBe(200);
    }
  });

  test.each([
    '//api.petstore.example/v1',
    '/v1?key=1',
    '/v1/*',
    'api.petstore.example/v1',
    'localhost:4010/v1',
    '',
    'ftp://x.test/v1',
    'https://x.test/v1?key=1',
    'https://x.test/v1#top',
    'https://user:secret@x.test/v1',
    'https://x.test/v1/*',
    undefined as unknown as string,
    7 as unknown as string,
  ])('the base URL %j is refused with a sentence that says what is expected', (baseUrl) => {
    const attempt = () => handlers(sim, { baseUrl: [production, baseUrl] });
    expect(attempt).toThrow(TypeError);
    expect(attempt).toThrow(/^Failed to read the base URL: expected .*, got /);
  });

  test('an empty list of base URLs is refused too', () => {
    expect(() => handlers(sim, { baseUrl: [] })).toThrow(
      /^Failed to read the base URL: expected .*, got an empty list/,
    );
  });
});

describe('unexpected requests', () => {
  test.each(['/v1/;x', '/v1/*'])('GET %s is answered with the Error body of a 404', async (path) => {
    mock();
    const response = await fetch(`http://x.test${path}`, { headers: authorization });
    expect(response.status).toBe(404);
    expect(await response.json()).toEqual({ code: 'not_found', message: expect.any(String), status: 404 });
  });

  test.each([
    ['status=%E0%A4%A', 400],
    ['limit[]=5', 200],
  ])('the query ?%s is answered without an exception', async (query, status) => {
    mock();
    const response = await fetch(`http://x.test/v1/pets?${query}`, { headers: authorization });
    expect(response.status).toBe(status);
  });

  test('an address with credentials in it is answered by its own kind of 401', async () => {
    mock();
    const { status } = await axios.get('http://user:secret@x.test/v1/pets', { validateStatus: null });
    expect(status).toBe(401);
  });
});

describe('next to other handlers and the network', () => {
  let origin: string;
  let hits: string[];
  beforeAll(async () => {
    const real = createServer((request, response) => {
      hits.push(request.url ?? '');
      response.end('the real network');
    });
    ({ url: origin } = await listenLocally(real));
  });
  beforeEach(() => {
    hits = [];
  });
  afterEach(() => {
    server.close();
    server.listen(unhandled('error'));
  });

  test('an unknown path under the base URL never reaches the network', async () => {
    server.resetHandlers(...handlers(sim, { baseUrl: `${origin}/v1` }));
    for (const path of ['/v1', '/v1/orders', '/v1/%ff']) {
      expect((await fetch(`${origin}${path}`, { headers: authorization })).status).toBe(404);
    }
    expect(hits).toEqual([]);
  });

  test('other addresses pass through untouched', async () => {
    server.close();
    server.listen(unhandled('bypass'));
    server.resetHandlers(...handlers(sim, { baseUrl: `${origin}/v1` }));
    expect(await (await fetch(`${origin}/v1extra?x=1`)).text()).toBe('the real network');
    expect(hits).toEqual(['/v1extra?x=1']);
  });

  test('other addresses are unhandled requests to msw, which may refuse them', async () => {
    const printed = console.error;
    console.error = () => {};
    try {
      server.resetHandlers(...handlers(sim));
      await expect(fetch(`${origin}/other`)).rejects.toThrow();
    } finally {
      console.error = printed;
    }
    expect(hits).toEqual([]);
  });

  test('a handler that the user adds comes first, and only for what it takes', async () => {
    server.resetHandlers(...handlers(sim));
    server.use(http.get('*/v1/pets', () => new HttpResponse('down', { status: 503 })));
    const get = async (path: string) => (await fetch(`${production}${path}`, { headers: authorization })).status;
    expect(await get('/pets')).toBe(503);
    expect(await get('/pets/1')).toBe(200);
    server.resetHandlers(...handlers(sim));
    expect(await get('/pets')).toBe(200);
  });

  test('a handler that falls through leaves the request, body and all, to the simulator', async () => {
    server.resetHandlers(...handlers(sim));
    const bodies: string[] = [];
    server.use(
      http.all('*', async ({ request }) => {
        bodies.push(await request.clone().text());
      }),
    );
    const body = '{"name":"Rex","categoryId":9223372036854775807}';
    const headers = { ...authorization, 'content-type': 'application/json' };
    const response = await fetch(`${production}/pets`, { method: 'POST', headers, body });
    expect(bodies).toEqual([body]);
    expect(await response.text()).toContain('"categoryId":9223372036854775807');
  });
});

describe('guarded(sim, resolver)', () => {
  const own = `${production}/categories`;
  const call = async (key?: string) => {
    const response = await fetch(own, { headers: key === undefined ? {} : { authorization: `Bearer ${key}` } });
    return { status: response.status, headers: response.headers, text: await response.text() };
  };
  const use = (resolver: Parameters<typeof guarded>[1]) =>
    server.resetHandlers(http.get(own, guarded(sim, resolver)), ...handlers(sim));

  test('adds the headers of the API to the resolver response and counts the request', async () => {
    use(() => HttpResponse.json(['dogs'], { status: 203, headers: { 'X-Own': 'yes' } }));
    const { status, headers, text } = await call('free-key');
    expect([status, text]).toEqual([203, '["dogs"]']);
    expect([headers.get('x-own'), headers.get('content-type')]).toEqual(['yes', 'application/json']);
    expect([headers.get('x-ratelimit-limit'), headers.get('x-ratelimit-remaining')]).toEqual([
      String(perMinute),
      String(perMinute - 1),
    ]);
    expect(headers.get('date')).toMatch(/GMT$/);
    expect(sim.keys.get('free-key').minute.remaining).toBe(perMinute - 1);
  });

  test('responds with 401 without a valid key and does not run the resolver', async () => {
    let runs = 0;
    use(() => HttpResponse.text(`run ${++runs}`));
    const { status, headers, text } = await call();
    expect(status).toBe(401);
    expect(JSON.parse(text)).toEqual({ code: 'unauthorized', message: expect.any(String), status: 401 });
    expect(headers.get('www-authenticate')).toBe('Bearer realm="petstore"');
    expect((await call('revoked-key')).status).toBe(401);
    expect(runs).toBe(0);
  });

  test('responds with 429 over the limit and does not run the resolver', async () => {
    let runs = 0;
    use(() => HttpResponse.text(`run ${++runs}`));
    sim.keys.setUsage('free-key', { minute: perMinute - 1 });
    const statuses = [await call('free-key'), await call('free-key')].map(({ status }) => status);
    expect([statuses, runs]).toEqual([[200, 429], 1]);
    expect((await call('free-key')).headers.get('retry-after')).toBe('60');
  });

  test.each([
    ['a bare Response', () => new Response('bare', { status: 202 }), 202],
    ['a Response that is thrown', () => Promise.reject(HttpResponse.text('thrown', { status: 409 })), 409],
    ['a Response that cannot be changed', () => Response.redirect('https://x.test/', 307), 307],
    ['a Response without a body', () => new HttpResponse(null, { status: 204 }), 204],
  ] as const)('adds the headers to %s', async (_name, resolver, expected) => {
    use(resolver);
    const response = await fetch(own, { headers: authorization, redirect: 'manual' });
    expect([response.status, response.headers.get('x-ratelimit-remaining')]).toEqual([expected, String(perMinute - 1)]);
  });

  test('leaves a network error a network error', async () => {
    use(() => HttpResponse.error());
    await expect(call('free-key')).rejects.toThrow(TypeError);
  });
});

describe('a body', () => {
  test('that never ends is read no further than it takes to refuse it', async () => {
    mock();
    let sent = 0;
    const body = new ReadableStream({
      pull(stream) {
        sent += 16_384;
        stream.enqueue(new Uint8Array(16_384).fill(0x20));
      },
    });
    const headers = { ...authorization, 'content-type': 'application/json' };
    const init = { method: 'POST', headers, body, duplex: 'half' };
    expect((await fetch(`${production}/pets`, init)).status).toBe(413);
    expect(sent).toBeLessThan(2 ** 20);
  });
});

describe('an abort signal', () => {
  test('that was aborted before rejects the call, which is not counted', async () => {
    mock();
    const signal = AbortSignal.abort();
    await expect(fetch(`${production}/pets`, { headers: authorization, signal })).rejects.toThrow(/abort/i);
    expect(sim.keys.get('free-key').minute.remaining).toBe(perMinute);
  });

  test('that is aborted while the body is on its way rejects the call, which is not counted', async () => {
    mock();
    const abort = new AbortController();
    const body = new ReadableStream({
      start: (stream) => stream.enqueue(new TextEncoder().encode('{"name":')),
      // Asked for more, the client gives up instead; the body never ends.
      pull: () => abort.abort(),
    });
    const headers = { ...authorization, 'content-type': 'application/json' };
    const init = { method: 'POST', headers, body, signal: abort.signal, duplex: 'half' };
    await expect(fetch(`${production}/pets`, init)).rejects.toThrow(/abort/i);
    expect(sim.pets.size).toBe(3);
    expect(sim.keys.get('free-key').minute.remaining).toBe(perMinute);
  });
});

describe('other clients than fetch', () => {
  const body = '{"name":"Žofie","categoryId":9223372036854775807}';
  const created = '{"id":9007199254740992,"name":"Žofie","categoryId":9223372036854775807,"status":"available"}';
  const headers = { ...authorization, 'content-type': 'application/json' };

  test('node:http gets the status, the headers and the exact body', async () => {
    mock();
    const request = nodeHttp.request('http://x.test/v1/pets', { method: 'POST', headers });
    const [response] = (await once(request.end(body), 'response')) as [IncomingMessage];
    const { statusCode, headers: received } = response;
    expect([statusCode, received['x-ratelimit-limit'], await text(response)]).toEqual([
      201,
      String(perMinute),
      created,
    ]);
  });

  test.each(['http', 'fetch'] as const)('axios gets them over its %s adapter', async (adapter) => {
    mock();
    const response = await axios.post(`${production}/pets`, body, { adapter, headers, responseType: 'text' });
    expect([response.status, response.headers['x-ratelimit-remaining']]).toEqual([201, String(perMinute - 1)]);
    expect(response.data).toBe(created);
  });

  test.each(['http', 'fetch'] as const)('axios sees Retry-After of a 429 over its %s adapter', async (adapter) => {
    mock();
    sim.keys.setUsage('free-key', { minute: perMinute });
    const response = await axios.get(`${production}/pets`, { adapter, headers, validateStatus: null });
    expect(response.status).toBe(429);
    expect(response.headers).toMatchObject({ 'retry-after': '60', 'x-ratelimit-remaining': '0' });
    expect(response.data).toMatchObject({ code: 'rate_limit_exceeded', status: 429 });
  });
});

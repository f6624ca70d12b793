import { request as httpRequest } from 'node:http';
import { HttpResponse, http, passthrough, ws } from 'msw';
import { beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Answer } from '../../src/entries/index.js';
import { guarded } from '../../src/entries/msw.js';
import { type ListenOptions, listen, type RunningServer } from '../../src/entries/node.js';
import type { Simulator } from '../../src/simulator/simulator.js';
import { deferred } from '../support/deferred.js';
import { frozen } from '../support/frozen.js';
import { openServer } from '../support/open-server.js';
import { patience } from '../support/patience.js';

let sim: Simulator;
let server: RunningServer | undefined;
let origin: string;
const told: Pick<Answer, 'status' | 'body'>[] = [];
const errors = vi.spyOn(console, 'error');

beforeEach(() => {
  sim = frozen();
  told.length = 0;
  errors.mockReset();
});

/** Starts a server with mounted handlers. */
const mount = (...handlers: ReturnType<typeof http.get>[]) => mountSource(handlers);

async function mountSource(handlers: ListenOptions['handlers'] & {}): Promise<void> {
  server = await openServer(sim, { handlers, onAnswer: (_request, { status, body }) => told.push({ status, body }) });
  origin = new URL(server.baseUrl).origin;
}

const authorization = { authorization: 'Bearer free-key' };
const json = { ...authorization, 'content-type': 'application/json' };

const call = async (path: string, init: RequestInit = {}) => {
  const response = await fetch(`${origin}${path}`, { headers: authorization, ...init });
  return { status: response.status, headers: response.headers, text: await response.text() };
};

/** Handlers that remove a pet. */
const removing = (each: Simulator) => [
  http.delete(
    '*/v1/pets/:petId',
    guarded(
      each,
      ({ params }) => new HttpResponse(null, { status: each.pets.remove(Number(params.petId)) ? 204 : 404 }),
    ),
  ),
];

/** Expects that the API still responds. */
const expectAlive = async () => expect((await call('/v1/pets?limit=1')).status).toBe(200);

describe('handlers on the server', () => {
  test('take precedence over the API, inside and outside the base URL', async () => {
    await mount(
      http.get('*/v1/pets', () => HttpResponse.text('not the API')),
      http.post('/auth/token', async ({ request }) => HttpResponse.json({ sent: await request.text() })),
    );
    expect((await call('/v1/pets')).text).toBe('not the API');
    expect((await call('/auth/token', { method: 'POST', body: 'who=me' })).text).toBe('{"sent":"who=me"}');
    expect((await call('/v1/pets/1')).text).toContain('"id":1');
    expect((await call('/auth/other')).status).toBe(404);
  });

  test('refuse another method of their path like the API, with the methods that they have', async () => {
    await mount(
      http.get('*/v1/own/:id', () => HttpResponse.text('own')),
      http.put(
        '*/v1/own/:id',
        guarded(sim, 'replaceOwn', () => HttpResponse.text('replaced')),
      ),
      http.patch('*/v1/pets/:petId', () => HttpResponse.text('changed')),
    );
    const refused = await call('/v1/own/7', { method: 'POST', headers: json, body: '{}' });
    expect(refused.status).toBe(405);
    expect(refused.headers.get('allow')).toBe('GET, PUT');
    expect(refused.headers.get('x-ratelimit-remaining')).toBe('59');
    expect(JSON.parse(refused.text)).toEqual({
      code: 'method_not_allowed',
      message: 'Method POST is not supported here; use GET or PUT.',
      status: 405,
    });
    expect((await call('/v1/own/7', { method: 'POST', headers: {} })).status).toBe(401);
    expect((await call('/v1/own/7', { method: 'HEAD' })).status).toBe(404);
    expect((await call('/v1/owner', { method: 'POST' })).status).toBe(404);
    // The path of an operation of the API.
    const ofApi = await call('/v1/pets/7', { method: 'PUT' });
    expect([ofApi.status, ofApi.headers.get('allow')]).toEqual([405, 'GET']);
  });

  test.each(['*/v1/own', '/v1/own', /\/v1\/own$/])('match the path %s', async (path) => {
    await mount(http.get(path, () => HttpResponse.text('own')));
    expect((await call('/v1/own?with=query')).text).toBe('own');
  });

  test('match an absolute URL at any address of the server', async () => {
    await mount();
    const { port } = server as RunningServer;
    await server?.close();
    server = await openServer(sim, { port, handlers: [http.get(`${origin}/v1/own`, () => HttpResponse.text('own'))] });
    expect((await call('/v1/own')).text).toBe('own');
    expect((await fetch(`http://localhost:${port}/v1/own`)).status).toBe(200);
  });

  test('receive path parameters and the query', async () => {
    await mount(
      http.get('*/v1/own/:name', ({ params, request }) =>
        HttpResponse.json([params.name, new URL(request.url).searchParams.get('q')]),
      ),
    );
    expect((await call('/v1/own/a%20b?q=%26')).text).toBe('["a b","&"]');
  });

  test.each([
    ['returns nothing', () => undefined],
    ['reads the body and returns nothing', async ({ request }: { request: Request }) => void (await request.text())],
    ['passes through', () => passthrough()],
  ])('pass a request with its body on to the API if the resolver %s', async (_name, resolver) => {
    await mount(http.all('*', resolver));
    const body = '{"name":"Žofie","categoryId":9223372036854775807}';
    const created = await call('/v1/pets', { method: 'POST', headers: json, body });
    expect(created.status).toBe(201);
    expect(created.text).toContain('"name":"Žofie","categoryId":9223372036854775807');
    expect((await call('/v1/pets?limit=1')).headers.get('x-ratelimit-remaining')).toBe('58');
    expect((await call('/elsewhere')).status).toBe(404);
    expect(told.map(({ status }) => status)).toEqual([201, 200, 404]);
  });

  test.each([() => {}, {}, null, 'GET /own', ws.link('ws://x.test')])('%s is rejected as a handler', async (value) => {
    await expect(listen(sim, { port: 0, handlers: [value as never] })).rejects.toThrow(
      'expected request handlers of msw',
    );
  });

  test('do not receive requests to the control API', async () => {
    await mount(http.all('*', () => HttpResponse.text('mine')));
    expect((await call('/__sim/health', { headers: {} })).text).toContain('"status":"ok"');
  });

  test('respond only once with the option once', async () => {
    await mount(http.get('*/v1/pets', () => HttpResponse.text('once'), { once: true }));
    expect((await call('/v1/pets')).text).toBe('once');
    await expectAlive();
  });

  test('do not add the cookies of one client to requests of another', async () => {
    await mount(
      http.get('*/v1/cookies', ({ cookies, request }) =>
        HttpResponse.json(
          { cookies, header: request.headers.get('cookie') },
          {
            headers: [
              ['Set-Cookie', 'who=alice'],
              ['Set-Cookie', 'b=2'],
            ],
          },
        ),
      ),
    );
    const first = await call('/v1/cookies', { headers: { cookie: 'a=1' } });
    expect(first.headers.getSetCookie()).toEqual(['who=alice', 'b=2']);
    expect(JSON.parse(first.text)).toEqual({ cookies: { a: '1' }, header: 'a=1' });
    expect(JSON.parse((await call('/v1/cookies')).text)).toEqual({ cookies: {}, header: null });
  });

  test('share keys, limits and pets with the API', async () => {
    await mount(...removing(sim));
    expect((await call('/v1/pets/1', { method: 'DELETE', headers: {} })).status).toBe(401);
    const deleted = await call('/v1/pets/1', { method: 'DELETE' });
    expect([deleted.status, deleted.headers.get('x-ratelimit-remaining')]).toEqual([204, '59']);
    const after = await call('/v1/pets/1');
    expect([after.status, after.headers.get('x-ratelimit-remaining')]).toEqual([404, '58']);
  });
});

describe('a function that creates handlers', () => {
  const statuses = async (...requests: [method: string, path: string][]) => {
    const found: number[] = [];
    for (const [method, path] of requests) found.push((await call(path, { method })).status);
    return found;
  };

  test.each([
    ['synchronously', removing],
    ['asynchronously', async (each: Simulator) => removing(each)],
  ])('creates them %s for each sandbox, with separate pets and limits', async (_, source) => {
    await mountSource(source);
    expect(
      await statuses(
        ['DELETE', '/s/one/v1/pets/5'],
        ['GET', '/s/one/v1/pets/5'],
        ['GET', '/v1/pets/5'],
        ['GET', '/s/two/v1/pets/5'],
        ['DELETE', '/v1/pets/6'],
        ['GET', '/s/one/v1/pets/6'],
        ['DELETE', '/s/bad%20name/v1/pets/6'],
      ),
    ).toEqual([204, 404, 200, 200, 204, 200, 400]);
    const left = (each: Simulator | undefined) => each?.keys.get('free-key').minute.remaining;
    expect([left(sim), left(server?.sandboxes.find('one')?.sim)]).toEqual([58, 57]);
  });

  test('stores nothing if the sandbox is removed while a handler runs', async () => {
    const [asked, waiting] = [deferred(), deferred()];
    await mountSource(() => [
      http.post('*/v1/pets', async () => {
        asked.resolve();
        await waiting.promise;
      }),
    ]);
    const posted = call('/s/one/v1/pets', { method: 'POST', body: '{"name":"Rex","categoryId":1}', headers: json });
    const cut = expect(posted).rejects.toThrow('fetch failed');
    await asked.promise;
    server?.sandboxes.remove('one');
    waiting.resolve();
    await cut;
    expect(await statuses(['GET', '/s/one/v1/pets/41'], ['GET', '/v1/pets/41'])).toEqual([404, 404]);
  });

  test('causes a 500 only in the sandbox for which it fails', async () => {
    errors.mockImplementation(() => {});
    await mountSource((each) => {
      if (each !== sim) throw new Error('boom');
      return removing(each);
    });
    expect(await statuses(['GET', '/s/one/v1/pets'], ['DELETE', '/v1/pets/5'])).toEqual([500, 204]);
    const headers = { origin: 'http://localhost:5173', 'access-control-request-method': 'DELETE' };
    const asked = await call('/s/one/v1/pets/5', { method: 'OPTIONS', headers });
    expect([asked.status, asked.headers.get('access-control-allow-origin')]).toEqual([204, 'http://localhost:5173']);
    expect(errors).toHaveBeenCalledWith(new Error('boom'));
  });
});

describe('a response of a handler on the server', () => {
  test('is logged, and has the Date of the simulated clock', async () => {
    await mount(http.get('*/v1/own', () => HttpResponse.text('own', { status: 203 })));
    expect((await call('/v1/own')).headers.get('date')).toBe('Thu, 01 Jan 2026 12:00:00 GMT');
    await vi.waitFor(() => expect(told).toEqual([{ status: 203, body: '' }]), patience);
  });

  test('can be a stream, which is canceled when the client disconnects', async () => {
    const cancel = vi.fn();
    const events = () =>
      new ReadableStream({
        start: (stream) => stream.enqueue(new TextEncoder().encode('data: tick\n\n')),
        cancel,
      });
    await mount(
      http.get('*/v1/events', () => new HttpResponse(events(), { headers: { 'Content-Type': 'text/event-stream' } })),
    );
    const abort = new AbortController();
    const { body } = await fetch(`${origin}/v1/events`, { signal: abort.signal });
    expect(new TextDecoder().decode((await body?.getReader().read())?.value)).toContain('data: tick');
    abort.abort();
    await vi.waitFor(() => expect(cancel).toHaveBeenCalled(), patience);
    await expectAlive();
  });

  test('is discarded with its stream if the client disconnected earlier', async () => {
    const cancel = vi.fn();
    const arrived = deferred();
    const left = deferred();
    await mount(
      http.get('*/v1/slow', async () => {
        arrived.resolve();
        await left.promise;
        return new HttpResponse(new ReadableStream({ cancel }));
      }),
    );
    const abort = new AbortController();
    const answer = fetch(`${origin}/v1/slow`, { signal: abort.signal });
    await arrived.promise;
    abort.abort();
    await expect(answer).rejects.toThrow(/abort/i);
    // After another request, the server has detected the disconnect.
    await expectAlive();
    left.resolve();
    await vi.waitFor(() => expect(cancel).toHaveBeenCalled(), patience);
    await expectAlive();
  });

  test('has no body for HEAD', async () => {
    await mount(http.head('*/v1/own', () => new HttpResponse(null, { headers: { 'X-Own': 'yes' } })));
    const { status, headers, text } = await call('/v1/own', { method: 'HEAD' });
    expect([status, headers.get('x-own'), text]).toEqual([200, 'yes', '']);
  });

  const used = HttpResponse.text('x');
  beforeAll(() => void used.text());
  const failures: [name: string, resolver: Parameters<typeof http.get>[1]][] = [
    ['throws', () => Promise.reject(new Error('boom'))],
    ['returns something other than a Response', () => 'text' as never],
    ['returns a header that node:http rejects', () => new HttpResponse('x', { headers: { 'X-A': 'a\u0001b' } })],
    ['returns a body that was already read', () => used],
  ];
  test.each(failures)('is a logged 500 with the Error body if the handler %s', async (_name, resolver) => {
    errors.mockImplementation(() => {});
    await mount(http.get('*/v1/own', resolver));
    const { status, headers, text } = await call('/v1/own', { headers: { origin: 'http://localhost:3000' } });
    expect(status).toBe(500);
    expect(JSON.parse(text)).toEqual({
      code: 'internal_error',
      message: expect.stringContaining('log'),
      status: 500,
    });
    expect(headers.get('access-control-allow-origin')).toBe('http://localhost:3000');
    expect(told.map(({ status }) => status)).toEqual([500]);
    expect(errors).toHaveBeenCalledOnce();
    await expectAlive();
  });

  test('HttpResponse.error() closes only the connection of the request', async () => {
    await mount(http.get('*/v1/own', () => HttpResponse.error()));
    await expect(call('/v1/own')).rejects.toThrow(TypeError);
    expect(told.map(({ status }) => status)).toEqual([0]);
    expect(errors).not.toHaveBeenCalled();
    await expectAlive();
  });

  test.each([
    ['an error', () => new Error('boom')],
    ['a chunk that is not bytes', () => 7],
  ])('a body that fails with %s closes only the connection of the request', async (_name, chunk) => {
    errors.mockImplementation(() => {});
    const body = () => {
      let pulls = 0;
      return new ReadableStream({
        pull(stream) {
          if (pulls++ === 0) return stream.enqueue(new TextEncoder().encode('first'));
          const value = chunk();
          if (value instanceof Error) stream.error(value);
          else stream.enqueue(value);
        },
      });
    };
    await mount(http.get('*/v1/own', () => new HttpResponse(body())));
    await expect(call('/v1/own')).rejects.toThrow(TypeError);
    expect(errors).toHaveBeenCalledOnce();
    await expectAlive();
  });
});

describe('a body for a handler on the server', () => {
  test('is rejected with 413 if larger than 64 KiB, and the handler does not run', async () => {
    let runs = 0;
    await mount(http.post('*/v1/own', () => HttpResponse.text(`run ${++runs}`)));
    const post = (bytes: number) => call('/v1/own', { method: 'POST', body: new Uint8Array(bytes) });
    expect((await post(65_536)).status).toBe(200);
    const { status, text } = await post(65_537);
    expect([status, JSON.parse(text)]).toEqual([
      413,
      { code: 'payload_too_large', message: expect.any(String), status: 413 },
    ]);
    expect(runs).toBe(1);
  });

  test('can remain unread, and the connection stays usable', async () => {
    await mount(http.post('*/v1/own', () => HttpResponse.text('own')));
    for (let n = 0; n < 3; n++) expect((await call('/v1/own', { method: 'POST', body: 'unread' })).text).toBe('own');
    await expectAlive();
  });
});

describe('CORS of handlers on the server', () => {
  const preflight = (method: string, path: string, from: string) =>
    new Promise<{ status: number | undefined; headers: Record<string, unknown> }>((resolve, reject) => {
      const headers = {
        Origin: from,
        'Access-Control-Request-Method': method,
        'Access-Control-Request-Headers': 'authorization',
      };
      httpRequest(`${origin}${path}`, { method: 'OPTIONS', headers }, (response) => {
        response.resume();
        resolve({ status: response.statusCode, headers: response.headers });
      })
        .on('error', reject)
        .end();
    });

  beforeEach(() =>
    mount(
      http.patch('*/v1/pets/:petId', () => HttpResponse.text('own')),
      http.get('/own', () => HttpResponse.text('own', { headers: { Vary: 'Accept' } })),
    ),
  );

  test('allows requests and preflights from a loopback page', async () => {
    const { status, headers } = await preflight('PATCH', '/v1/pets/1', 'http://localhost:5173');
    expect(status).toBe(204);
    expect(headers).toMatchObject({
      'access-control-allow-origin': 'http://localhost:5173',
      'access-control-allow-methods': 'PATCH',
      'access-control-allow-headers': 'authorization',
    });
    const answer = await call('/own', { headers: { origin: 'http://localhost:5173' } });
    expect(answer.headers.get('access-control-allow-origin')).toBe('http://localhost:5173');
    expect(answer.headers.get('access-control-expose-headers')).toContain('Retry-After');
    expect(answer.headers.get('vary')).toBe('Accept, Origin');
  });

  test('allows no requests from a foreign page', async () => {
    const { headers } = await preflight('PATCH', '/v1/pets/1', 'https://evil.test');
    expect(headers).not.toHaveProperty('access-control-allow-origin');
    expect(
      (await call('/own', { headers: { origin: 'https://evil.test' } })).headers.has('access-control-allow-origin'),
    ).toBe(false);
  });

  test('does not change the preflight response for an operation of the API', async () => {
    const { headers } = await preflight('POST', '/v1/pets', 'http://localhost:5173');
    expect(headers['access-control-allow-methods']).toBe('GET, POST');
  });
});

import { type ServerResponse, request as sendRequest } from 'node:http';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createControl } from '../../src/entries/control.js';
import { createSimulator, type Scenario } from '../../src/entries/index.js';
import { listen, serve } from '../../src/entries/node.js';
import { judge } from '../../src/entries/verdict.js';
import type { UpstreamOptions } from '../../src/own-routes/node/upstream.js';
import { freePort } from '../support/free-port.js';
import { newFolder } from '../support/new-folder.js';
import { openServer } from '../support/open-server.js';
import { patience } from '../support/patience.js';
import { rawRequest, statusOf } from '../support/raw-request.js';
import { startBackend } from '../support/start-backend.js';

async function start(upstream: string | UpstreamOptions, scenario: Scenario = {}) {
  const sim = createSimulator({ scenario, onWarning: () => {} });
  const server = await openServer(sim, { upstream, holdRefusals: true });
  const origin = new URL(server.baseUrl).origin;
  const ask = (path: string, init: RequestInit = {}) =>
    fetch(origin + path, {
      redirect: 'manual',
      ...init,
      headers: { authorization: 'Bearer free-key', ...init.headers },
    });
  return { sim, server, origin, ask, control: createControl(server.controlUrl) };
}

describe('a backend behind the simulator', () => {
  test('receives method, path, query, end-to-end headers and body unchanged, and returns its response', async () => {
    const { url, received } = await startBackend((_, response) => {
      response.writeHead(203, {
        ...{ 'Content-Type': 'text/plain', 'X-Own': 'a', 'Set-Cookie': ['a=1', 'b=2'] },
        ...{ 'X-RateLimit-Remaining': '4999', 'Retry-After': '1' },
      });
      response.end('from the backend');
    });
    const { ask, sim } = await start(`${url}/base`);
    const body = Uint8Array.of(0, 255, 7);
    const response = await ask('/repos/o/r/issues/12?state=open&x=%2F', {
      method: 'POST',
      body,
      headers: { 'x-mine': 'yes' },
    });
    expect([response.status, await response.text()]).toEqual([203, 'from the backend']);
    expect([response.headers.get('x-own'), response.headers.getSetCookie()]).toEqual(['a', ['a=1', 'b=2']]);
    expect(response.headers.get('x-ratelimit-remaining')).toBe('59');
    const [got] = received;
    expect(got).toMatchObject({
      method: 'POST',
      url: '/base/repos/o/r/issues/12?state=open&x=%2F',
      headers: { 'x-mine': 'yes', host: new URL(url).host },
    });
    expect(got?.headers.authorization).toBeUndefined();
    expect(got?.body).toEqual(Buffer.from(body));
    expect(sim.journal.query()).toMatchObject([
      {
        operation: 'POST /repos/o/r/issues/{}',
        path: '/repos/o/r/issues/12',
        status: 203,
        responseBody: 'from the backend',
        requestBody: { base64: 'AP8H' },
      },
    ]);
  });

  test('receives requests to the API only if withoutApi is set', async () => {
    const { url, received } = await startBackend();
    const with_ = await start(url);
    expect(await (await with_.ask('/v1/pets?limit=1')).json()).toHaveLength(1);
    expect(await (await with_.ask('/v1/orders')).text()).toBe('ok');
    expect((await fetch(`${with_.server.controlUrl}/health`)).status).toBe(200);
    const without = await start({ url, withoutApi: true });
    expect(await (await without.ask('/v1/pets?limit=1')).text()).toBe('ok');
    expect(received.map(({ url: target }) => target)).toEqual(['/v1/orders', '/v1/pets?limit=1']);
    expect(without.sim.journal.query()).toMatchObject([{ operation: 'GET /v1/pets' }]);
  });

  test('receives exactly 60 of 200 concurrent requests, and no request without a key', async () => {
    const { url, received } = await startBackend();
    const { ask, origin, sim } = await start(url);
    expect((await fetch(`${origin}/x`)).status).toBe(401);
    const answers = await Promise.all(Array.from({ length: 200 }, () => ask('/x')));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(60);
    expect(received).toHaveLength(60);
    expect(sim.journal.pending).toBe(0);
  });

  test('exchanges streams of any length with the client, chunk by chunk', async () => {
    const megabytes = 5;
    let push: ServerResponse | undefined;
    const { url, received } = await startBackend((request, response) => {
      if (request.method === 'POST') return response.end('stored');
      response.writeHead(200, { 'Content-Type': 'text/event-stream' });
      response.write('data: 1\n\n');
      push = response;
    });
    const { ask, sim } = await start(url);
    const events = await ask('/events');
    const reader = (events.body as ReadableStream<Uint8Array>).getReader();
    expect(new TextDecoder().decode((await reader.read()).value)).toBe('data: 1\n\n');
    push?.end('data: 2\n\n');
    expect(new TextDecoder().decode((await reader.read()).value)).toBe('data: 2\n\n');
    expect((await reader.read()).done).toBe(true);
    const body = Buffer.alloc(megabytes * 1024 * 1024, 'x');
    expect(await (await ask('/upload', { method: 'POST', body })).text()).toBe('stored');
    expect(received[1]?.body.equals(body)).toBe(true);
    await vi.waitFor(() => expect(sim.journal.query()[0]?.responseBody).toBe('data: 1\n\ndata: 2\n\n'), patience);
  });

  test.each([
    [204, 'GET'],
    [304, 'GET'],
    [302, 'GET'],
    [200, 'HEAD'],
    [500, 'DELETE'],
  ])('can respond with status %i to %s', async (status, method) => {
    const { url } = await startBackend((_, response) => response.writeHead(status, { Location: '/there' }).end());
    const { ask } = await start(url);
    const response = await ask('/x', { method });
    expect([response.status, response.headers.get('location'), await response.text()]).toEqual([status, '/there', '']);
  });

  test.each([204, 205, 304])('sends a %i with the Content-Type of the backend, or with none', async (status) => {
    const { url } = await startBackend(({ url }, response) => {
      response.writeHead(status, url === '/typed' ? { 'Content-Type': 'text/plain' } : {}).end();
    });
    const { ask, sim } = await start(url);
    const types = [(await ask('/bare')).headers.get('content-type'), (await ask('/typed')).headers.get('content-type')];
    expect(types).toEqual([null, 'text/plain']);
    expect(sim.journal.query().map(({ headers }) => headers['Content-Type'])).toEqual([undefined, 'text/plain']);
  });

  test.each(['PUT', 'PATCH', 'DELETE'])(
    'permits a page of another origin to send %s, as the backend decides',
    async (method) => {
      const { url, received } = await startBackend();
      const { origin } = await start(url);
      const headers = { Origin: 'http://localhost:5173', 'Access-Control-Request-Method': method };
      for (const path of ['/orders/7', '/v1/pets/7', '/s/blue/orders/7']) {
        const { status, headers: sent } = await fetch(origin + path, { method: 'OPTIONS', headers });
        expect([status, sent.get('access-control-allow-methods'), sent.get('access-control-allow-origin')]).toEqual([
          204,
          method,
          'http://localhost:5173',
        ]);
      }
      expect(received).toEqual([]);
    },
  );

  test('causes a 502 if unreachable and a closed connection if the body fails, and the server continues', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => {});
    const { ask, sim } = await start('http://127.0.0.1:9');
    const away = await ask('/x');
    expect([away.status, await away.json()]).toEqual([
      502,
      { code: 'bad_gateway', message: 'The upstream http://127.0.0.1:9 did not respond: ECONNREFUSED.', status: 502 },
    ]);
    expect(sim.journal.query()).toMatchObject([{ status: 502, storedId: undefined }]);
    const { url } = await startBackend((request, response) => {
      if (request.url === '/ok') return response.end('ok');
      response.writeHead(200, { 'Content-Length': 1000 });
      response.write('start');
      setTimeout(() => response.destroy(), 20);
    });
    const other = await start(url);
    await expect(other.ask('/x').then((response) => response.text())).rejects.toThrow();
    expect(await (await other.ask('/ok')).text()).toBe('ok');
    expect(other.sim.journal.pending).toBe(0);
    vi.restoreAllMocks();
  });

  test('receives no credential of the client unless all are forwarded, and the configured headers', async () => {
    const { url, received } = await startBackend();
    const sent = { 'X-Api-Key': 'sk-1', 'Private-Token': 'gl-1', Cookie: 'id=1', 'X-Other': '1' };
    const target = '/x?a=1&api_key=sk-2&key=short&key=AIzaSyD-abcdefghijklmnopqrstuv';
    for (const credentials of [
      undefined,
      'same',
      { Authorization: 'Bearer its-own' },
      { 'x-api-key': 'its-own' },
    ] as const)
      await (await start({ url, credentials })).ask(target, { headers: sent });
    await (await start({ url })).ask('/x?access_token=sk-3');
    const names = ['authorization', 'x-api-key', 'private-token', 'cookie', 'x-other'];
    expect(received.map(({ url, headers }) => [url, ...names.map((name) => headers[name])])).toEqual([
      ['/x?a=1&key=short', undefined, undefined, undefined, undefined, '1'],
      [target, 'Bearer free-key', 'sk-1', 'gl-1', 'id=1', '1'],
      ['/x?a=1&key=short', 'Bearer its-own', undefined, undefined, undefined, '1'],
      ['/x?a=1&key=short', undefined, 'its-own', undefined, undefined, '1'],
      ['/x', undefined, undefined, undefined, undefined, undefined],
    ]);
  });

  test('is affected by fault rules before and after its response', async () => {
    const { url, received } = await startBackend((_, response) => response.writeHead(201).end('{"id":7}'));
    const { ask, sim } = await start(url, {
      faults: [
        { name: 'lost', when: { method: 'PUT', nth: 1 }, then: { reset: true, phase: 'after' } },
        { name: 'down', when: { operation: 'GET /x' }, then: { respond: { status: 503 } } },
      ],
    });
    await expect(ask('/x', { method: 'PUT', body: '1' })).rejects.toThrow();
    expect((await ask('/x', { method: 'PUT', body: '1' })).status).toBe(201);
    expect((await ask('/x')).status).toBe(503);
    expect(received).toHaveLength(2);
    expect(sim.journal.query().map(({ fault }) => fault)).toEqual(['lost', undefined, 'down']);
  });

  test('receives two long bodies with an equal start, which are two writes', async () => {
    const { url } = await startBackend((_, response) => response.writeHead(201).end(`{"id":"${++count}"}`));
    let count = 0;
    const { ask, sim } = await start(url, { faults: [{ when: { nth: 1 }, then: { reset: true, phase: 'after' } }] });
    const history = 'x'.repeat(70_000);
    const post = (question: string) => ask('/chat', { method: 'POST', body: `${history}${question}` });
    await expect(post('one')).rejects.toThrow();
    await post('two');
    expect(judge(sim, { isOver: true }).findings).toEqual([]);
    await post('one');
    expect(judge(sim, { isOver: true }).findings).toMatchObject([{ code: 'duplicate-write', requests: [1, 3] }]);
    expect(sim.journal.query()[0]?.requestBody).toHaveLength(64 * 1024);
  });

  test('is judged, so that a client that retries at once fails', async () => {
    const { url } = await startBackend();
    const { ask, sim } = await start(url, { keys: { 'free-key': { usage: { minute: 58 } } } });
    for (let n = 0; n < 5; n++) await ask('/repos/o/r');
    const verdict = judge(sim, { isOver: true });
    expect([verdict.outcome, verdict.findings[0]?.code]).toEqual(['fail', 'early-retry']);
    expect(JSON.stringify(verdict)).not.toMatch(/\bpets?\b/);
  });

  test('is reachable through a sandbox, with a separate journal', async () => {
    const { url, received } = await startBackend();
    const { ask, control } = await start(url);
    expect(await (await ask('/s/box/repos/o/r?a=1')).text()).toBe('ok');
    expect(received[0]?.url).toBe('/repos/o/r?a=1');
    expect((await control.sandbox('box').queryJournal({})).entries).toMatchObject([{ operation: 'GET /repos/o/r' }]);
    expect((await control.queryJournal({})).entries).toEqual([]);
  });

  test('delays a 429 by the server’s own simulator only, as for operations of the API', async () => {
    const { url } = await startBackend((_, response) => response.end());
    const { ask, control } = await start(url, { keys: { 'free-key': { usage: { minute: 60 } } } });
    await control.createSandbox({ name: 'box' });
    for (const path of ['/repos', '/s/box/repos']) expect((await ask(path)).status).toBe(429);
    const [own] = (await control.queryJournal()).entries;
    const [inSandbox] = (await control.sandbox('box').queryJournal()).entries;
    expect(own?.heldMs).toBeGreaterThan(15);
    expect(inSandbox).not.toHaveProperty('heldMs');
  });

  test('receives no request again when a server with data restarts', async () => {
    const { url, received } = await startBackend();
    const options = { data: newFolder(), port: 0, upstream: url };
    const first = await serve(options);
    const ask = async (base: string) =>
      (await fetch(`${base}/orders`, { headers: { authorization: 'Bearer free-key' } })).text();
    expect(await ask(first.baseUrl)).toBe('ok');
    await first.close({ graceMs: 0 });
    const again = await serve(options);
    onTestFinished(() => again.close({ graceMs: 0 }));
    expect((await again.control.queryJournal({})).entries).toMatchObject([
      { operation: 'GET /v1/orders', status: 200 },
    ]);
    expect([received.length, again.notices]).toEqual([1, []]);
  });

  test('causes a 502 if its URL points to the simulator', async () => {
    const port = await freePort();
    const sim = createSimulator({ onWarning: () => {} });
    await openServer(sim, { port, upstream: { url: `http://127.0.0.1:${port}`, credentials: 'same' } });
    const response = await fetch(`http://127.0.0.1:${port}/x`, { headers: { authorization: 'Bearer free-key' } });
    expect([response.status, (await response.json()).message]).toEqual([
      502,
      expect.stringContaining('leads back to this simulator'),
    ]);
  });

  test.each([
    ['nonsense', 'expected upstream to be a URL such as "http://127.0.0.1:3000", got "nonsense"'],
    ['ftp://127.0.0.1', 'expected upstream to be a URL'],
    ['http://user:secret@127.0.0.1', 'without a user or password'],
    ['https://api.github.com', 'expected upstream on this machine, got api.github.com'],
  ])('is rejected at the URL %s', async (url, message) => {
    const listening = listen(createSimulator(), { port: 0, upstream: url });
    await expect(listening).rejects.toThrow(message);
  });

  test('never receives a path with dot segments, by which a request would leave the base path', async () => {
    const { url, received } = await startBackend();
    const { server, sim } = await start(`${url}/base`);
    const send = async (path: string) => {
      const head = `GET ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer free-key\r\n\r\n`;
      return statusOf(await rawRequest(server.port, head));
    };
    for (const path of [
      '/v1/../../../x',
      '/v1/%2e%2e/%2E%2e/x',
      '/x/.',
      '/./x',
      '/..',
      '/x/..%2fy',
      '/x/%2e%2e%5Cy',
      '/s/blue/../x',
    ])
      expect(await send(path), path).toBe(400);
    expect([received, sim.journal.size]).toEqual([[], 0]);
    for (const path of ['/x/...', '/.well-known/x', '/a..b', '/x?next=/../y']) expect(await send(path), path).toBe(200);
    expect(received.map((each) => each.url)).toEqual([
      '/base/x/...',
      '/base/.well-known/x',
      '/base/a..b',
      '/base/x?next=/../y',
    ]);
  });

  test('receives header lines and request targets as sent', async () => {
    const { url, received } = await startBackend();
    const { origin } = await start(url);
    // RFC 9110, section 7.6.1: fields of one connection, and those that proxies consume.
    const ofConnection = 'keep-alive proxy-connection proxy-authenticate proxy-authorization te upgrade'.split(' ');
    await new Promise<void>((resolve, reject) => {
      const { port } = new URL(origin);
      const request = sendRequest(
        {
          port,
          path: '/a/%7Eb//c?x=1&&y',
          headers: {
            authorization: 'Bearer free-key',
            connection: 'close, X-Hop',
            'X-Hop': '1',
            'X-Two': ['a', 'b'],
            ...Object.fromEntries(ofConnection.map((name) => [name, '1'])),
          },
        },
        (response) => {
          response.resume().on('end', resolve);
        },
      );
      request.on('error', reject).end();
    });
    // %7E is equivalent to ~ (RFC 3986 section 2.3), and the guard decodes it.
    expect(received[0]?.url).toBe('/a/~b//c?x=1&&y');
    expect(received[0]?.headers['x-two']).toBe('a, b');
    for (const name of ['x-hop', 'transfer-encoding', ...ofConnection])
      expect(received[0]?.headers[name], name).toBeUndefined();
  });
});

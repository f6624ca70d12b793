import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { createSimulator } from '../../src/entries/index.js';
import { listen } from '../../src/entries/node.js';

// Statements of docs/own-service.md. One that becomes false fails here.

async function inFront(scenario: object, withoutApi: boolean) {
  const backend = createServer(({ url }, response) =>
    response.writeHead(url === '/v1/pets' ? 404 : 200, { 'X-Own': 'yes' }).end(url),
  );
  await once(backend.listen(0, '127.0.0.1'), 'listening');
  const url = `http://127.0.0.1:${(backend.address() as AddressInfo).port}`;
  const server = await listen(createSimulator({ scenario }), { port: 0, upstream: { url, withoutApi } });
  const origin = server.baseUrl.replace('/v1', '');
  const close = async () => {
    await server.close({ graceMs: 0 });
    backend.close();
  };
  return { get: (path: string, headers: Record<string, string>) => fetch(origin + path, { headers }), close };
}

const bearer = { authorization: 'Bearer free-key' };

test('a backend has any path, windows of a second and an hour, and the usual names of headers', async () => {
  const { get, close } = await inFront(
    {
      windows: { second: '1s', hour: '1h' },
      plans: { free: { second: 10, hour: 1000, minute: null, day: null } },
      keys: { 'free-key': { usage: { hour: 1000 } } },
    },
    true,
  );
  const refused = await get('/orders/7', bearer);
  expect(refused.status).toBe(429);
  expect(refused.headers.get('X-RateLimit-Limit')).toBe('1000');
  expect(Number(refused.headers.get('Retry-After'))).toBeGreaterThan(3_000);
  expect(Object.keys(await refused.json())).toEqual(['code', 'message', 'status']);
  await close();
});

test('with withoutApi, the backend also gets the paths of the Petstore', async () => {
  const own = await inFront({}, true);
  expect((await own.get('/v1/pets', bearer)).status).toBe(404);
  await own.close();
  const beside = await inFront({}, false);
  expect((await beside.get('/v1/pets', bearer)).status).toBe(200);
  await beside.close();
});

// --key-from, or keyFrom of a scenario, names these places; test/own-routes/key-from.test.ts tries each.
test.each([
  ['another header', { 'x-api-key': 'free-key' }],
  ['Basic', { authorization: `Basic ${btoa('free-key:')}` }],
])('without keyFrom, a key in %s is a 401', async (_where, headers) => {
  const { get, close } = await inFront({}, true);
  expect((await get('/orders/7', headers)).status).toBe(401);
  await close();
});

import { expect, test } from 'vitest';
import { createSimulator } from '../../src/entries/index.js';
import { openServer } from '../support/open-server.js';
import { startBackend } from '../support/start-backend.js';

// Statements of docs/own-service.md. One that becomes false fails here.

async function inFront(scenario: object, withoutApi: boolean) {
  const { url } = await startBackend(({ url }, response) =>
    response.writeHead(url === '/v1/pets' ? 404 : 200, { 'X-Own': 'yes' }).end(url),
  );
  const server = await openServer(createSimulator({ scenario }), { upstream: { url, withoutApi } });
  const origin = server.baseUrl.replace('/v1', '');
  return (path: string, headers: Record<string, string>) => fetch(origin + path, { headers });
}

const bearer = { authorization: 'Bearer free-key' };

test('a backend has any path, windows of a second and an hour, and the usual names of headers', async () => {
  const get = await inFront(
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
});

test('with withoutApi, the backend also gets the paths of the Petstore', async () => {
  const own = await inFront({}, true);
  expect((await own('/v1/pets', bearer)).status).toBe(404);
  const beside = await inFront({}, false);
  expect((await beside('/v1/pets', bearer)).status).toBe(200);
});

// --key-from, or keyFrom of a scenario, names these places; test/own-routes/key-from.test.ts tries each.
test.each([
  ['another header', { 'x-api-key': 'free-key' }],
  ['Basic', { authorization: `Basic ${btoa('free-key:')}` }],
])('without keyFrom, a key in %s is a 401', async (_where, headers) => {
  const get = await inFront({}, true);
  expect((await get('/orders/7', headers)).status).toBe(401);
});

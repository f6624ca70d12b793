import { afterEach, expect, test } from 'vitest';
import { createSimulator } from '../../src/entries/index.js';
import type { ListenOptions } from '../../src/entries/node.js';
import { openServer } from '../support/open-server.js';
import { type RawClient, rawClient } from '../support/raw-client.js';
import { startBackend } from '../support/start-backend.js';

let client: RawClient | undefined;
afterEach(() => client?.leave());

/** Sends the head of a request that expects 100, and no body. */
async function ask(length: string, { path = '/v1/pets', key = 'free-key', method = 'POST', ...options } = {}) {
  const sim = createSimulator({ scenario: { pets: [] } });
  const { port } = await openServer(sim, options as ListenOptions);
  client = await rawClient(port);
  client.write(
    `${method} ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\n${length}\r\nExpect: 100-continue\r\n\r\n`,
  );
  return { client, sim };
}
const continued = 'HTTP/1.1 100 Continue\r\n\r\n';
const tooLong = 'Content-Length: 65537';

test.each([
  ['a write that is too large', 413, {}],
  ['a write that is too large, in a sandbox', 413, { path: '/s/blue/v1/pets' }],
  ['a write without a key', 401, { key: 'no-such-key' }],
  ['a read with a body', 200, { method: 'GET' }],
  ['a path outside the API', 404, { path: '/elsewhere' }],
])('%s gets its %i at once, without a 100', async (_, status, options) => {
  const { client, sim } = await ask(tooLong, options);
  await client.over();
  expect(client.received).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  expect(client.received).toContain('\r\nConnection: close\r\n');
  expect(client.received).not.toContain('100 Continue');
  if (status === 413) expect(client.received).toContain('"message":"The body is larger than 65536 bytes."');
  const [record] = sim.journal.query();
  if (record !== undefined) expect(record.requestBody).toMatch(/^\(65537 bytes, not sent\) *$/);
});

test('the limit itself is accepted', async () => {
  const { client } = await ask('Content-Length: 65536');
  await client.until(({ received }) => received === continued);
  client.write('{"name":"Ada","categoryId":1}'.padEnd(65_536));
  await client.until(({ received }) => received.includes('"name":"Ada"'));
  expect(client.received).toMatch(/^HTTP\/1.1 100 Continue\r\n\r\nHTTP\/1.1 201 Created\r\n/);
  expect(client.received).toContain('\r\nConnection: keep-alive\r\n');
});

test('a chunked body is accepted, as its length is unknown', async () => {
  const { client } = await ask('Transfer-Encoding: chunked');
  await client.until(({ received }) => received === continued);
  client.write('1d\r\n{"name":"Ada","categoryId":1}\r\n0\r\n\r\n');
  await client.until(({ received }) => received.includes('HTTP/1.1 201 Created\r\n'));
});

test('a control operation accepts a larger body, and the connection stays open', async () => {
  const { client } = await ask('Content-Length: 100000', { path: '/__sim/scenario' });
  await client.until(({ received }) => received === continued);
  client.write('{"scenario":{"seed":1}}'.padEnd(100_000), 'GET /v1/pets HTTP/1.1\r\nHost: localhost\r\n\r\n');
  await client.until(({ received }) => received.includes('HTTP/1.1 401 Unauthorized\r\n'));
  expect(client.received).toContain('HTTP/1.1 200 OK\r\n');
});

test('a backend accepts a larger body', async () => {
  const { url: upstream } = await startBackend((_, response, body) => response.end(`${body.length} bytes`));
  const { client } = await ask('Content-Length: 100000', { path: '/upload', ...{ upstream } });
  await client.until(({ received }) => received === continued);
  client.write('x'.repeat(100_000));
  await client.until(({ received }) => received.includes('100000 bytes'));
});

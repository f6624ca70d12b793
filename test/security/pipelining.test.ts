import { createServer } from 'node:http';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createSimulator, type Simulator } from '../../src/entries/index.js';
import type { RunningServer } from '../../src/entries/node.js';
import { handleInOrder } from '../../src/server/handle-in-order.js';
import { listenLocally } from '../support/listen-locally.js';
import { openServer } from '../support/open-server.js';
import { patience } from '../support/patience.js';
import { type RawClient, rawClient, rawRequestText, readAnswers } from '../support/raw-client.js';

let sim: Simulator;
let server: RunningServer;
let client: RawClient;
beforeEach(async () => {
  sim = createSimulator({ scenario: { pets: [{ id: 1, name: 'Rex', categoryId: 1 }] } });
  server = await openServer(sim);
  client = await rawClient(server.port);
});
afterEach(() => {
  client.leave();
});

const business = { Authorization: 'Bearer business-key' };
const get = (path: string) => rawRequestText('GET', path, '', business);
const post = (name: string) => rawRequestText('POST', '/pets', JSON.stringify({ name, categoryId: 1 }), business);
const answers = (count: number) => client.until(({ received }) => readAnswers(received).length >= count);

// RFC 9112 section 9.3.2.
describe('requests on one connection are served one after another', () => {
  test('a GET finds the pet of the POST before it', async () => {
    client.write(post('Milo'), get('/pets/2'), post('Luna'), get('/pets/3'), get('/pets?limit=5'));
    await answers(5);
    const found = readAnswers(client.received);
    expect(found.map(({ status }) => status)).toEqual([201, 200, 201, 200, 200]);
    expect(found.map(({ body }) => JSON.parse(body).id)).toEqual([2, 2, 3, 3, undefined]);
    expect(JSON.parse(found[4]?.body ?? '')).toHaveLength(3);
  });

  test('even if the body of the first comes in chunks, and the others with its end', async () => {
    const text = post('Milo');
    client.write(text.slice(0, -10));
    await new Promise((resolve) => setTimeout(resolve, 30));
    client.write(text.slice(-10), get('/pets/2'));
    await answers(2);
    expect(readAnswers(client.received).map(({ status }) => status)).toEqual([201, 200]);
  });

  test('Remaining falls by one with each response, for any requests', async () => {
    const mixed = Array.from({ length: 60 }, (_, n) => [
      post(`Pet ${n}`),
      get('/pets/1'),
      get('/nothing'),
      get('/pets'),
    ]);
    client.write(...mixed.flat());
    await answers(240);
    const remaining = readAnswers(client.received).map(({ headers }) => Number(headers.get('x-ratelimit-remaining')));
    expect(remaining).toEqual(Array.from({ length: 240 }, (_, n) => 999 - n));
  });

  test('a control request waits for earlier calls, and later calls wait for the control request', async () => {
    const head = 'Host: localhost\r\nContent-Type: application/json\r\n';
    const reset = `POST /__sim/reset HTTP/1.1\r\n${head}Content-Length: 2\r\n\r\n{}`;
    client.write(post('Milo'), get('/pets/2'), reset, get('/pets/2'));
    await answers(4);
    expect(readAnswers(client.received).map(({ status }) => status)).toEqual([201, 200, 200, 404]);
  });

  test('thousands at once all get responses, in order', async () => {
    sim.load({ limits: 'off' });
    const count = 5_000;
    client.write(...Array.from({ length: count }, (_, n) => get(`/pets/${n + 1}`)));
    let seen = '';
    await client.until(({ received }) => {
      seen = received;
      return received.split('HTTP/1.1 ').length > count && received.endsWith('}');
    });
    // Pet 1 existed, the others did not; 40 KiB of requests arrived before the first response.
    expect(seen.startsWith('HTTP/1.1 200 ')).toBe(true);
    expect(seen.split('HTTP/1.1 404 ').length - 1).toBe(count - 1);
  });
});

test.each([99, 100, 101, 102, 103])('%i at once leave the connection open for more', async (count) => {
  sim.load({ limits: 'off' });
  client.write(...Array.from({ length: count }, () => get('/pets/1')));
  await answers(count);
  client.write(get('/pets/2'));
  await answers(count + 1);
  expect(readAnswers(client.received).at(-1)?.status).toBe(404);
});

test('a connection with many waiting requests is not read further until they are served', async () => {
  let arrived = 0;
  let end = () => {};
  const serve = handleInOrder((_request, response) => {
    if (arrived === 1) end = () => response.end();
    else response.end();
  });
  const plain = createServer((request, response) => {
    arrived++;
    serve(request, response);
  });
  const eager = await rawClient((await listenLocally(plain)).port);
  const count = 20_000;
  eager.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(count));
  for (let before = -1; before < arrived; await new Promise((resolve) => setTimeout(resolve, 300))) before = arrived;
  // One chunk of the socket's reads.
  expect(arrived).toBeLessThan(4_000);
  end();
  await eager.until(({ received }) => received.split('HTTP/1.1 200 ').length > count);
  expect(arrived).toBe(count);
  eager.leave();
});

test('waiting requests are dropped with their connection, and use no quota', async () => {
  sim.load({ faults: [{ when: { operation: 'getPet' }, then: { delay: '1h' } }] });
  client.write(get('/pets/1'), ...Array.from({ length: 300 }, () => post('Milo')));
  await vi.waitUntil(() => sim.keys.get('business-key').minute.remaining === 999, patience);
  client.leave();
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(sim.pets.size).toBe(1);
  expect(sim.keys.get('business-key').minute.remaining).toBe(999);
});

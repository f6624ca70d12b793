// @module-tag slow
import { once } from 'node:events';
import { Agent, get } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { RunningServer } from '../../src/entries/node.js';
import { createSimulator } from '../../src/petstore/create-simulator.js';
import { openServer } from '../support/open-server.js';
import { tries } from '../support/prove.js';
import { rawClient, rawRequestText, readAnswers } from '../support/raw-client.js';

let server: RunningServer;
let sockets: Socket[] = [];
beforeEach(async () => {
  server = await openServer(createSimulator({ scenario: { limits: 'off' } }));
});
afterEach(() => {
  for (const socket of sockets) socket.destroy();
  sockets = [];
});

/** A connection that reads nothing and stays open on its side, regardless of the server. */
async function hold(bytes = ''): Promise<Socket> {
  const socket = connect({ port: server.port, host: '127.0.0.1', allowHalfOpen: true });
  sockets.push(socket);
  socket.on('error', () => {});
  await once(socket, 'connect');
  if (bytes !== '') socket.write(bytes);
  return socket;
}

/** Opens one connection after another: those that a busy server has not accepted yet wait a second for a free place. */
async function holdMany(count: number, bytes?: string): Promise<Socket[]> {
  const held: Socket[] = [];
  while (held.length < count) held.push(await hold(bytes));
  return held;
}

/** Waits until the server has answered the connection, or closed it. Reads no more than the socket's buffer. */
const answered = (socket: Socket) =>
  new Promise<void>((resolve) => {
    if (socket.destroyed) resolve();
    socket.once('readable', resolve).once('close', () => resolve());
  });

/** Status of a request on a separate connection. Fails if it gets no response before the others time out. */
async function newClient(): Promise<number> {
  const { status } = await fetch(`${server.baseUrl}/pets?limit=1`, {
    headers: { authorization: 'Bearer free-key', connection: 'close' },
    signal: AbortSignal.timeout(9_000),
  });
  return status;
}

const body = JSON.stringify({ name: 'Rex', categoryId: 1 });
const halfBody = `POST /v1/pets HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer free-key\r\nContent-Type: application/json\r\nContent-Length: ${body.length + 9}\r\n\r\n${body}`;

test('a later connection gets the number of a closed one', async () => {
  for (let n = 0; n < 20; n++) expect(await newClient()).toBe(200);
  const { entries } = await (await fetch(`${server.controlUrl}/journal`)).json();
  const numbers = entries.map(({ connection }: { connection: number }) => connection);
  expect(numbers).toHaveLength(20);
  // A server can learn of the end of a connection after the next one.
  expect(Math.max(...numbers)).toBeLessThan(10);
});

describe('a new client is served', () => {
  test.each([
    ['say nothing', '', false],
    ['have begun a request', 'GET /v1/pets HTTP/1.1\r\nHost: loc', false],
    ['have sent half a body', halfBody, false],
    ['got a 400 and stay', 'BAD\r\n\r\n', false],
    ['got a 405 to CONNECT and stay', 'CONNECT evil.test:443 HTTP/1.1\r\nHost: localhost\r\n\r\n', false],
    ['are idle after an answer', rawRequestText('GET', '/pets?limit=1'), true],
  ])('while 1,500 connections that %s are open', async (_, bytes, isIdle) => {
    const held = await holdMany(1_500, bytes);
    // A server that computes a response for each of its 1,000 connections accepts no other.
    if (isIdle) await Promise.all(held.map(answered));
    // The first waits until this process has served all others as well.
    expect(await newClient()).toBe(200);
    expect(await newClient()).toBe(200);
  });

  test('while 1,000 dashboards are open, of which a further one is refused', async () => {
    const dashboard = rawRequestText('GET', '/updates').replace('/v1/', '/__sim/');
    await Promise.all((await holdMany(1_000, dashboard)).map(answered));
    const refused = await fetch(`${server.controlUrl}/updates`);
    expect(refused.status).toBe(503);
    expect(await refused.json()).toMatchObject({
      message: 'Expected at most 1000 dashboards of this server; close one first.',
    });
    await holdMany(1_200);
    expect(await newClient()).toBe(200);
  });

  test('while silent connections keep arriving', async () => {
    const flood = holdMany(tries(2_000, 10_000));
    for (let n = 0; n < 10; n++) expect(await newClient()).toBe(200);
    await flood;
    expect(await newClient()).toBe(200);
  });
});

test('silent connections do not displace a keep-alive connection between requests', async () => {
  const client = await rawClient(server.port);
  client.write(rawRequestText('GET', '/pets?limit=1'));
  await client.until(({ received }) => readAnswers(received).length === 1);
  await holdMany(1_200);
  client.write(rawRequestText('GET', '/pets?limit=2'));
  await client.until(({ received, state }) => readAnswers(received).length === 2 || state !== 'open');
  expect(readAnswers(client.received).map(({ status }) => status)).toEqual([200, 200]);
  client.leave();
});

describe('the server frees a connection soon after it has rejected it', () => {
  /** Rejects a connection with a status, and checks 1.5 s later that it is free. */
  async function isFreed(status: string, bytes: string) {
    const client = await rawClient(server.port, { stays: true });
    client.write(bytes);
    await client.over();
    expect(client.received).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    // A socket that the server has freed responds with a reset.
    client.socket.write('x');
    await new Promise((resolve) => setTimeout(resolve, 100));
    client.socket.write('x');
    await client.until(({ state, socket }) => state === 'reset' || socket.destroyed);
  }

  test('with 400, 431 and 405', async () => {
    await Promise.all([
      isFreed('400', 'BAD\r\n\r\n'),
      isFreed('431', `GET / HTTP/1.1\r\nHost: localhost\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`),
      isFreed('405', 'CONNECT evil.test:443 HTTP/1.1\r\nHost: localhost\r\n\r\n'),
    ]);
  });

  test('but not while the client reads the response and still sends', async () => {
    const client = await rawClient(server.port, { stays: true });
    const errors: unknown[] = [];
    client.socket.on('error', (error) => errors.push(error));
    for (let n = 0; n < 20; n++) {
      client.write('BAD\r\n\r\n', 'x'.repeat(10_000));
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    await client.over();
    expect(readAnswers(client.received)).toMatchObject([{ status: 400 }]);
    expect([client.state, errors]).toEqual(['end', []]);
    client.leave();
  });
});

test('a connection to many sandboxes prints no warning', async () => {
  const warnings: string[] = [];
  const note = (warning: Error) => warnings.push(warning.name);
  process.on('warning', note);
  const client = await rawClient(server.port);
  for (let n = 1; n <= 30; n++) {
    client.write(rawRequestText('GET', '/pets?limit=1').replace('/v1/', `/s/box-${n}/v1/`));
    await client.until(({ received }) => readAnswers(received).length === n);
  }
  await new Promise((resolve) => setImmediate(resolve));
  process.off('warning', note);
  client.leave();
  expect(warnings).toEqual([]);
  expect(server.sandboxes.list()).toHaveLength(30);
});

test('requests of many clients on one connection of a declared proxy are distinguished', async () => {
  const sim = createSimulator();
  const proxied = await openServer(sim);
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  const list = (headers: object) =>
    new Promise((resolve, reject) => {
      const options = { agent, headers: { authorization: 'Bearer free-key', ...headers } };
      get(`${proxied.baseUrl}/pets`, options, (response) => response.resume().on('end', resolve)).on('error', reject);
    });
  for (const headers of [{}, {}, { 'x-forwarded-for': '10.0.0.1' }, { forwarded: 'for=10.0.0.1' }, {}])
    await list(headers);
  const connections = sim.journal.query().map(({ connection }) => connection);
  expect(connections).toEqual([1, 1, 2, 3, 1]);
});

import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { Front } from '../../src/server/front.js';
import { atEnd } from '../support/at-end.js';
import { listenLocally } from '../support/listen-locally.js';

/** Port of a TCP server whose connections end with the test. */
const listen = async (onSocket: (socket: Socket) => void) =>
  (await listenLocally(createServer({ allowHalfOpen: true }, onSocket))).port;

/** A server that repeats what it receives, and one whose front passes connections on to it. */
async function start(front: Front) {
  const echo = await listen((socket) => socket.on('error', () => {}).pipe(socket));
  const port = await listen((socket) => front.accept(socket, () => void socket.end('here')));
  atEnd(() => front.closeAll());
  return { echo: { host: '127.0.0.1', port: echo }, port };
}

/** A client's connection, with the text that it has received. */
async function client(port: number) {
  const socket = connect(port, '127.0.0.1');
  let text = '';
  let isReset = false;
  socket.on('data', (bytes) => {
    text += bytes;
  });
  socket.on('error', (error: NodeJS.ErrnoException) => {
    isReset = error.code === 'ECONNRESET';
  });
  await once(socket, 'connect');
  atEnd(() => void socket.destroy());
  // Unlike `once` of node:events, which rejects after a reset.
  const closed = new Promise((resolve) => socket.once('close', resolve));
  return {
    socket,
    async says(line: string) {
      socket.write(line);
      while (!text.endsWith(line)) await once(socket, 'data');
    },
    async closed() {
      await closed;
      return isReset ? 'reset' : text;
    },
  };
}

test('a held connection is passed on with what it has sent, as soon as an active server is known', async () => {
  const front = new Front();
  const { echo, port } = await start(front);
  const held = await client(port);
  const said = held.says('early');
  front.passTo(echo);
  await said;
  held.socket.end('bye');
  expect(await held.closed()).toBe('earlybye');
});

test('a held connection is handled here, if this server becomes the active one', async () => {
  const front = new Front();
  const { port } = await start(front);
  const held = await client(port);
  front.serveHere('fence');
  expect(await held.closed()).toBe('here');
});

test('connections to a lost active server are reset, and new ones wait', async () => {
  const front = new Front();
  const { echo, port } = await start(front);
  front.passTo(echo);
  const passed = await client(port);
  await passed.says('one');
  front.reset();
  expect(await passed.closed()).toBe('reset');
  const next = await client(port);
  front.serveHere('fence');
  expect(await next.closed()).toBe('here');
});

test('beyond its maximum a standby resets the connection without traffic for the longest time', async () => {
  const front = new Front(2);
  const { echo, port } = await start(front);
  front.passTo(echo);
  const [first, second] = [await client(port), await client(port)];
  await first.says('one');
  await second.says('two');
  await first.says('three');
  const third = await client(port);
  expect(await second.closed()).toBe('reset');
  await first.says('four');
  await third.says('five');
});

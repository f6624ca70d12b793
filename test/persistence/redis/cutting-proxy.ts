import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import type { RedisServer } from './redis-server.js';

/** A proxy in front of a store, which can cut connections when a command has gone through and its reply has not. */
export interface CuttingProxy {
  readonly port: number;
  /** Number of cut connections. */
  readonly cuts: number;
  /**
   * From now on the reply to each n-th XADD is lost, with all connections, and who connects again reads a little later than
   * he writes; 0: to none.
   */
  dropReplies(every: number): void;
  /** Delay of all bytes from clients, in milliseconds. */
  delayMs: number;
  /** Whether no bytes pass in either direction, while connections stay open. */
  isFrozen: boolean;
  /** Whether bytes from the store are dropped. */
  isDeaf: boolean;
  /** Lets connections through again; those that lost something are cut. */
  thaw(): void;
}

export async function startProxy({ port: storePort, context }: RedisServer): Promise<CuttingProxy> {
  const sockets = new Set<Socket>();
  let every = 0;
  let isCutting = false;
  let count = 0;
  const proxy = { port: 0, cuts: 0, delayMs: 0, isFrozen: false, isDeaf: false };
  const server = createServer((client) => {
    const store = connect(storePort, '127.0.0.1');
    for (const socket of [client, store]) {
      sockets.add(socket);
      socket.setNoDelay(true).on('error', () => {});
      socket.once('close', () => {
        sockets.delete(socket);
        client.destroy();
        store.destroy();
      });
    }
    let isFirstRead = true;
    client.on('data', (data) => {
      if (proxy.isFrozen) return;
      const forward = () => store.write(data);
      if (every > 0 && data.includes('XADD') && ++count % every === 0) {
        isCutting = true;
        proxy.cuts++;
        forward();
        // The store has it by then; its reply is thrown away.
        setTimeout(() => {
          isCutting = false;
          for (const socket of sockets) socket.destroy();
        }, 20);
      } else if (every > 0 && isFirstRead && data.includes('XREAD')) {
        isFirstRead = false;
        setTimeout(forward, 150);
      } else if (proxy.delayMs > 0) setTimeout(forward, proxy.delayMs);
      else forward();
    });
    store.on('data', (data) => {
      if (!isCutting && !proxy.isFrozen && !proxy.isDeaf) client.write(data);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  context.onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  proxy.port = (server.address() as { port: number }).port;
  return Object.assign(proxy, {
    thaw() {
      proxy.isFrozen = false;
      proxy.isDeaf = false;
      for (const socket of sockets) socket.destroy();
    },
    dropReplies(newEvery: number) {
      every = newEvery;
      count = 0;
    },
  });
}

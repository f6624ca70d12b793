import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { atEnd } from '../support/at-end.js';

/** The network between replicas and their store: a TCP proxy that can be slow, lose answers, and be cut. */
export interface Wire {
  readonly port: number;
  url(name?: string): string;
  /** Delay of all bytes in each direction, in milliseconds. */
  delayMs: number;
  /** Whether what the store sends is lost from now on. A connection that has lost something stays open, and dumb for ever. */
  losesReplies: boolean;
  /** Whether connections are rejected. */
  isDown: boolean;
  /**
   * Called with each chunk to the store. If it returns true, replies are dropped, and all connections are cut after the
   * store has processed the chunk.
   */
  cutsAfter: (bytes: Buffer) => boolean;
  /** Number of cuts because of `cutsAfter`. */
  readonly cuts: number;
  /** Cuts all connections. */
  cut(): void;
}

/** @param to the port of the store */
export async function startWire(to: number): Promise<Wire> {
  const open = new Set<Socket>();
  const server = createServer((near) => {
    if (wire.isDown) {
      near.resetAndDestroy();
      return;
    }
    const far = connect(to, '127.0.0.1');
    const both = [near, far];
    const end = () => {
      for (const socket of both) socket.destroy();
      for (const socket of both) open.delete(socket);
      if (cutting === far) cutting = undefined;
    };
    for (const socket of both) open.add(socket.setNoDelay(true).on('error', end).on('close', end));
    let isDumb = false;
    inOrder(near, (bytes) => {
      if (cutting === undefined && wire.cutsAfter(bytes)) cutting = far;
      if (!far.destroyed) far.write(bytes);
    });
    inOrder(far, (bytes) => {
      if (cutting === far) {
        cuts++;
        wire.cut();
      }
      if (cutting !== undefined) return;
      isDumb ||= wire.losesReplies;
      if (!isDumb && !near.destroyed) near.write(bytes);
    });
  });
  /** Passes on what a socket sends when its delay is over, one piece after the other. */
  const inOrder = (from: Socket, pass: (bytes: Buffer) => void) => {
    let before = Promise.resolve();
    from.on('data', (bytes) => {
      const { delayMs } = wire;
      const isOver = delayMs === 0 ? undefined : new Promise((resolve) => setTimeout(resolve, delayMs));
      before = before.then(() => isOver).then(() => pass(bytes));
    });
  };
  let cuts = 0;
  /** The connection to the store after whose next answer all are cut. */
  let cutting: Socket | undefined;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const wire: Wire = {
    port,
    url: (name = 'test') => `redis://127.0.0.1:${port}/0?name=${name}`,
    delayMs: 0,
    losesReplies: false,
    isDown: false,
    cutsAfter: () => false,
    get cuts() {
      return cuts;
    },
    cut() {
      for (const socket of open) socket.destroy();
    },
  };
  atEnd(async () => {
    wire.cut();
    server.close();
    await once(server, 'close');
  });
  return wire;
}

import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createClientErrors, type OnRefused } from './client-errors.js';
import type { Connections } from './connections.js';
import { inOrder } from './in-order.js';

/** Servers on one port, at least one, and their end. */
export interface BoundServers {
  port: number;
  /** Lets answers under way finish, for at most `graceMs`. */
  close(graceMs: number): Promise<void>;
}

/**
 * Starts one server for each address, all on the same port. An address that the machine does not have (no IPv6) is left
 * out.
 * @param port 0 for a free one
 * @param onRefused called for what is answered without a request that `listener` could answer
 * @throws {Error} with the system's `code`, such as `EADDRINUSE`
 */
export async function bind(
  hosts: readonly string[],
  port: number,
  listener: RequestListener,
  connections: Connections,
  onRefused?: OnRefused,
): Promise<BoundServers> {
  const [first, ...others] = hosts as [string, ...string[]];
  for (let attempt = 1; ; attempt++) {
    const servers: [Server, ...Server[]] = [await start(listener, connections, first, port, onRefused)];
    const { port: boundPort } = servers[0].address() as AddressInfo;
    const bound = { port: boundPort, close: (graceMs: number) => closeAll(servers, connections, graceMs) };
    try {
      for (const host of others) servers.push(await start(listener, connections, host, boundPort, onRefused));
      return bound;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EADDRNOTAVAIL' || code === 'EAFNOSUPPORT') return bound;
      await bound.close(0);
      // A free port on one address may be taken on the other.
      if (code !== 'EADDRINUSE' || port !== 0 || attempt === 10) throw error;
    }
  }
}

function start(
  listener: RequestListener,
  connections: Connections,
  host: string,
  port: number,
  onRefused: OnRefused | undefined,
): Promise<Server> {
  const serve = inOrder(listener);
  const noteAndServe: RequestListener = (request, response) => {
    connections.serve(request, response);
    serve(request, response);
    connections.release(request, response);
  };
  const server = createServer(
    {
      // Repeated Host and Authorization headers arrive joined by a comma, and are refused as such.
      joinDuplicateHeaders: true,
      // Our own check answers with the Error object; Node's answers with nothing.
      requireHostHeader: false,
      headersTimeout: 10_000,
      requestTimeout: 30_000,
      // As nginx has it: longer than a minute, so that a client that waits as it was told finds its connection as it was.
      keepAliveTimeout: 75_000,
      connectionsCheckingInterval: 1_000,
    },
    noteAndServe,
  );
  const clientErrors = createClientErrors(onRefused);
  server
    .on('connection', (socket) => connections.add(socket))
    // Without a listener, Node answers an unknown expectation before the guard has seen the request.
    .on('checkExpectation', noteAndServe)
    .on('clientError', clientErrors.answer)
    .on('connect', clientErrors.refuseConnect);
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port }, () => {
      server.off('error', reject);
      resolve(server);
    });
  });
}

async function closeAll(servers: readonly Server[], connections: Connections, graceMs: number): Promise<void> {
  const closing = servers.map((server) => new Promise((resolve) => server.close(resolve)));
  connections.closeUnused();
  for (const server of servers) server.closeIdleConnections();
  let timer: ReturnType<typeof setTimeout> | undefined;
  if (graceMs > 0) timer = setTimeout(() => connections.closeAll(), graceMs);
  else connections.closeAll();
  await Promise.all(closing);
  clearTimeout(timer);
}

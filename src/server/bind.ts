import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { awaitsContinue, continueOnRead } from '../http/read-body.js';
import { createClientErrors, type OnRefused } from './client-errors.js';
import type { Connections } from './connections.js';
import type { Front } from './front.js';
import { handleInOrder } from './handle-in-order.js';

/** HTTP servers for the addresses of one host, which share a port. */
export interface BoundServers {
  port: number;
  /** Stops listening. Responses in progress may take up to `graceMs` more. */
  close(graceMs: number): Promise<void>;
}

/** What the servers of all addresses share. */
interface ServerParts {
  readonly listener: RequestListener;
  readonly connections: Connections;
  /** Time after which an idle connection is closed. */
  readonly keepAliveMs: number;
  /** Decides for each connection whether the servers handle it. Default: they handle all. */
  readonly front: Front | undefined;
  /** Called for each error response to input that `listener` could not handle. */
  readonly onRefused: OnRefused;
}

/**
 * Starts one HTTP server per address, all on the same port. Skips an address that the machine does not have, such as
 * IPv6.
 * @param port 0 for a free port
 * @throws {Error} with the system's `code`, such as `EADDRINUSE`
 */
export async function bind(hosts: readonly string[], port: number, shared: ServerParts): Promise<BoundServers> {
  const [first, ...others] = hosts as [string, ...string[]];
  for (let attempt = 1; ; attempt++) {
    const servers: [Server, ...Server[]] = [await start(first, port, shared)];
    const { port: boundPort } = servers[0].address() as AddressInfo;
    const bound = { port: boundPort, close: (graceMs: number) => closeAll(servers, shared, graceMs) };
    try {
      for (const host of others) servers.push(await start(host, boundPort, shared));
      return bound;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EADDRNOTAVAIL' || code === 'EAFNOSUPPORT') return bound;
      await bound.close(0);
      // Tries another free port. The system chose the port for the host's first address, but the port is in use on
      // another address of the host, such as the IPv6 address.
      if (code !== 'EADDRINUSE' || port !== 0 || attempt === 10) throw error;
    }
  }
}

function start(
  host: string,
  port: number,
  { listener, connections, keepAliveMs, front, onRefused }: ServerParts,
): Promise<Server> {
  const serve = handleInOrder(listener);
  const trackAndServe: RequestListener = (request, response) => {
    connections.serve(request, response);
    serve(request, response);
    connections.release(request, response);
  };
  const server = createServer(
    {
      // Makes Node join repeated Host or Authorization headers by a comma. Later checks reject the joined value.
      joinDuplicateHeaders: true,
      // Lets the request guard respond to a missing Host header. Node's own 400 response would have no body.
      requireHostHeader: false,
      headersTimeout: 10_000,
      requestTimeout: 30_000,
      keepAliveTimeout: keepAliveMs,
      connectionsCheckingInterval: 1_000,
    },
    trackAndServe,
  );
  const clientErrors = createClientErrors(onRefused);
  if (front !== undefined) {
    const [serveSocket] = server.listeners('connection') as [(socket: Socket) => void];
    server.removeAllListeners('connection').on('connection', (socket) =>
      front.accept(socket, () => {
        connections.add(socket);
        serveSocket.call(server, socket);
      }),
    );
  } else server.on('connection', (socket) => connections.add(socket));
  server
    .on('checkContinue', (request, response) => {
      if (awaitsContinue(request)) continueOnRead(request, response);
      else response.writeContinue();
      trackAndServe(request, response);
    })
    // Lets the server's own request listener respond to an unknown `Expect` header. Without this listener, Node would
    // respond itself.
    .on('checkExpectation', trackAndServe)
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

async function closeAll(
  servers: readonly Server[],
  { connections, front }: ServerParts,
  graceMs: number,
): Promise<void> {
  const closing = servers.map((server) => new Promise((resolve) => server.close(resolve)));
  front?.stop();
  connections.closeUnused();
  for (const server of servers) server.closeIdleConnections();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const closeRest = () => {
    front?.closeAll();
    connections.closeAll();
  };
  if (graceMs > 0) timer = setTimeout(closeRest, graceMs);
  else closeRest();
  await Promise.all(closing);
  clearTimeout(timer);
}

import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createClientErrors, type OnRefused } from './client-errors.js';
import type { Connections } from './connections.js';
import { inOrder } from './in-order.js';

/** Servers on one port, at least one. */
export interface BoundServers {
  port: number;
  /** Stops listening; active responses may finish for at most `graceMs`. */
  close(graceMs: number): Promise<void>;
}

/**
 * Starts one server per address, all on the same port. Skips an address that the machine lacks, as without IPv6.
 * @param port 0 for a free port
 * @param onRefused called for each error response to input that `listener` could not handle
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
      // A port that is free on one address may be in use on the other.
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
  const trackAndServe: RequestListener = (request, response) => {
    connections.serve(request, response);
    serve(request, response);
    connections.release(request, response);
  };
  const server = createServer(
    {
      // Repeated Host and Authorization headers are joined by a comma, and the checks reject the result.
      joinDuplicateHeaders: true,
      // The guard responds with an Error object; Node would respond with an empty body.
      requireHostHeader: false,
      headersTimeout: 10_000,
      requestTimeout: 30_000,
      // The default of nginx: longer than a minute, so that a connection survives the wait for the minute window.
      keepAliveTimeout: 75_000,
      connectionsCheckingInterval: 1_000,
    },
    trackAndServe,
  );
  const clientErrors = createClientErrors(onRefused);
  server
    .on('connection', (socket) => connections.add(socket))
    // Without a listener, Node responds to an unknown expectation before the guard checks the request.
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

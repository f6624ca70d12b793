import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { nothingHere } from '../../adapters/fetch.js';
import { errorBody } from '../../contract/api-error.js';
import { basePath } from '../../contract/document.js';
import { Sandboxes, type SandboxesOptions } from '../../simulator/sandboxes.js';
import type { Simulator } from '../../simulator/simulator.js';
import type { Extension, ExtensionHandler } from '../msw-handlers/extension.js';
import { createApiListener, type OnAnswer } from './api-listener.js';
import type { ControlRouterOptions } from './control-router.js';
import { checkRequest, isLoopback } from './guard.js';
import { createSandboxListener, sandboxPrefix } from './sandbox-listener.js';
import { refuse, sendJson } from './send-json.js';

export interface ListenOptions {
  /** Default 4010; 0 takes a free one. */
  port?: number;
  /** Default: both loopback addresses, 127.0.0.1 and, where there is IPv6, ::1. */
  host?: string;
  /** Host names, besides the loopback ones, that clients may call the server by. */
  allowedHosts?: readonly string[];
  /** What control requests must bring as `Authorization: Bearer TOKEN`. Needed on a host that is not loopback. */
  controlToken?: string | undefined;
  /**
   * msw handlers of your own, asked before the API. Needs msw 2 and `@mswjs/http-middleware`, and fails to listen without.
   */
  handlers?: readonly ExtensionHandler[];
  /** How long sandboxes are kept, and how many. */
  sandboxes?: SandboxesOptions;
  /** Done before the first control request is answered: to load what only control asks for. */
  prepareControl?: () => Promise<unknown>;
  /**
   * Sends refusals some 20 ms later, so that the judge can tell parallel requests from serial ones. Default false.
   */
  holdRefusals?: boolean;
  /** Told of every answer of the API and of `handlers`; the body of theirs is not kept. */
  onAnswer?: OnAnswer;
}

/** A simulator that listens. */
export interface RunningServer {
  readonly port: number;
  /** Where the API is: `http://127.0.0.1:4010/v1`. */
  readonly baseUrl: string;
  /** Where the control API is: `http://127.0.0.1:4010/__sim`. */
  readonly controlUrl: string;
  /** Worlds of their own under `/s/NAME/v1`. */
  readonly sandboxes: Sandboxes;
  /**
   * Stops listening; answers that are under way finish, for at most `graceMs`: default 1,500, 0 cuts them at once and
   * sets no timer.
   */
  close(options?: { graceMs?: number }): Promise<void>;
}

/** Time given to answers under way when the server closes; the whole stop must be over within 2 seconds. */
const closeTimeoutMs = 1_500;

/**
 * Serves a simulator over HTTP.
 * @throws {Error} with the system's `code` (`EADDRINUSE`) when the address cannot be had, and {RangeError} for a host
 * that is not loopback without `controlToken`
 * @example const server = await listen(createSimulator(), { port: 0 });
 */
export async function listen(sim: Simulator, options: ListenOptions = {}): Promise<RunningServer> {
  const { port = 4010, host = 'localhost', allowedHosts = [], controlToken } = options;
  const hosts = host === 'localhost' ? ['127.0.0.1', '::1'] : [host];
  if (!isLoopback(urlHost(host)) && controlToken === undefined) {
    throw new RangeError(
      `Failed to listen on ${host}: expected a control token, because other machines could drive the simulator; pass --control-token TOKEN`,
    );
  }
  const allowed = new Set([...allowedHosts, urlHost(host)].map((name) => name.toLowerCase()));
  const extension = options.handlers?.length ? await mount(sim, options.handlers, options.onAnswer) : undefined;
  const sandboxes = new Sandboxes(sim, Date.now, options.sandboxes);
  const closing = new AbortController();
  const listener = createListener(sim, allowed, extension, options, {
    sandboxes,
    closing: closing.signal,
    controlToken,
  });
  const servers = await bind(hosts, port, listener);
  const boundPort = portOf(servers[0]);
  const origin = `http://${urlHost(hosts[0] as string)}:${boundPort}`;
  return {
    port: boundPort,
    baseUrl: `${origin}${basePath}`,
    controlUrl: `${origin}/__sim`,
    sandboxes,
    close({ graceMs = closeTimeoutMs } = {}) {
      closing.abort();
      return closeAll(servers, graceMs);
    },
  };
}

const urlHost = (host: string) => (host.includes(':') ? `[${host}]` : host);

// With Express, so only where it is used.
const mount = async (...args: Parameters<typeof import('../msw-handlers/extension.js').createExtension>) =>
  (await import('../msw-handlers/extension.js')).createExtension(...args);

function createListener(
  sim: Simulator,
  allowedHosts: ReadonlySet<string>,
  extension: Extension | undefined,
  { onAnswer, prepareControl, holdRefusals }: Pick<ListenOptions, 'onAnswer' | 'prepareControl' | 'holdRefusals'>,
  parts: ControlRouterOptions,
): RequestListener {
  const serveApi = createApiListener(sim, onAnswer, { holdRefusals });
  const serveSandbox = createSandboxListener(sim, parts.sandboxes, onAnswer);
  // Express takes a tenth of a second to load, so it waits for the first control request.
  let control: Promise<RequestListener> | undefined;
  const loadControl = () => {
    control ??= Promise.all([import('./control-router.js'), prepareControl?.()]).then(([{ createControlRouter }]) =>
      createControlRouter(sim, parts),
    );
    return control;
  };

  return (request, response) => {
    const refusal = checkRequest(request, allowedHosts);
    if (refusal !== undefined) return refuse(response, refusal);
    const target = request.url as string;
    if (!isUnder(target, '/__sim')) {
      const serve = (body?: Uint8Array) => {
        if (isUnder(target, basePath)) serveApi(request, response, body);
        else if (target.startsWith(sandboxPrefix)) serveSandbox(request, response, body);
        else sendJson(response, 404, nothingHere);
      };
      if (extension === undefined || !extension(request, response, serve)) serve();
      return;
    }
    loadControl().then(
      (serveControl) => serveControl(request, response),
      (error) => response.destroy(error),
    );
  };
}

function isUnder(target: string, base: string): boolean {
  if (!target.startsWith(base)) return false;
  const next = target[base.length];
  return next === undefined || next === '/' || next === '?';
}

/** One server an address, all on the same port. An address that the machine does not have (no IPv6) is left out. */
async function bind(hosts: readonly string[], port: number, listener: RequestListener): Promise<[Server, ...Server[]]> {
  const [first, ...others] = hosts as [string, ...string[]];
  for (let attempt = 1; ; attempt++) {
    const servers: [Server, ...Server[]] = [await start(listener, first, port)];
    const boundPort = portOf(servers[0]);
    try {
      for (const host of others) servers.push(await start(listener, host, boundPort));
      return servers;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EADDRNOTAVAIL' || code === 'EAFNOSUPPORT') return servers;
      await closeAll(servers, 0);
      // A free port on one address may be taken on the other.
      if (code !== 'EADDRINUSE' || port !== 0 || attempt === 10) throw error;
    }
  }
}

const portOf = (server: Server) => (server.address() as AddressInfo).port;

function start(listener: RequestListener, host: string, port: number): Promise<Server> {
  const server = createServer(
    {
      // Repeated Host and Authorization headers arrive joined by a comma, and are refused as such.
      joinDuplicateHeaders: true,
      // Our own check answers with the Error object; Node's answers with nothing.
      requireHostHeader: false,
      headersTimeout: 10_000,
      requestTimeout: 30_000,
      keepAliveTimeout: 5_000,
      connectionsCheckingInterval: 1_000,
    },
    listener,
  );
  server.maxConnections = 1_000;
  server.on('clientError', answerClientError);
  server.on('connection', (socket) => {
    // Clients open connections in advance (undici after an abort); to Node, one without a request is not idle.
    const leave = () => socket.bytesRead === 0 && socket.destroy();
    server.once('closing', leave);
    socket.once('close', () => server.off('closing', leave));
  });
  server.setMaxListeners(0);
  server.on('connect', (_request: IncomingMessage, socket: Socket) => {
    endWith(socket, 405, 'method_not_allowed', 'Method CONNECT is not supported; this is not a proxy.');
  });
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port }, () => {
      server.off('error', reject);
      resolve(server);
    });
  });
}

/** Answers what is not HTTP, or too slow, or too large in its headers; `node:http` has no request object for it. */
function answerClientError(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
  } else if (error.code === 'HPE_HEADER_OVERFLOW') {
    endWith(socket, 431, 'invalid_request', 'The request headers are larger than 16 KiB.');
  } else if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    endWith(socket, 408, 'invalid_request', 'The request took too long to arrive.');
  } else {
    endWith(socket, 400, 'invalid_request', 'The request is not valid HTTP/1.1.');
  }
}

const reasons: Record<number, string> = {
  400: 'Bad Request',
  405: 'Method Not Allowed',
  408: 'Request Timeout',
  431: 'Request Header Fields Too Large',
};

function endWith(socket: Socket, status: number, code: string, message: string): void {
  const body = errorBody({ status, code, message });
  const head = `HTTP/1.1 ${status} ${reasons[status]}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}`;
  socket.on('error', () => socket.destroy());
  socket.end(`${head}\r\nConnection: close\r\n\r\n${body}`);
}

async function closeAll(servers: readonly Server[], graceMs: number): Promise<void> {
  const closing = servers.map((server) => new Promise((resolve) => server.close(resolve)));
  for (const server of servers) server.emit('closing');
  const cut = () => {
    for (const server of servers) server.closeAllConnections();
  };
  for (const server of servers) server.closeIdleConnections();
  let timer: ReturnType<typeof setTimeout> | undefined;
  if (graceMs > 0) timer = setTimeout(cut, graceMs);
  else cut();
  await Promise.all(closing);
  clearTimeout(timer);
}

import type { RequestListener } from 'node:http';
import { isIP } from 'node:net';
import type { CustomRoutesDescription } from '../control-api/custom-routes-description.js';
import type { ServedSimulators } from '../control-api/served-simulators.js';
import { parseBaseUrl } from '../http/base-url.js';
import { isHostName, isLoopback, withoutRootDot } from '../http/guard.js';
import { sendJson } from '../http/send-response.js';
import { createReport, type OnAnswer } from '../http/served-answer.js';
import type { HandlerSource } from '../own-routes/node/extensions.js';
import type { UpstreamOptions } from '../own-routes/node/upstream.js';
import { retryAfterHeader } from '../rate-limits/header-names.js';
import { errorBody } from '../requests/api-error.js';
import type { Sandboxes, SandboxesOptions } from '../sandboxes/sandboxes.js';
import { coreOf, type Simulator } from '../simulator/simulator.js';
import { isOrigin } from '../values/is-origin.js';
import { bind } from './bind.js';
import { Connections } from './connections.js';
import type { Address } from './front.js';
import { type CustomRoutes, createListener } from './listener.js';
import { packRecords } from './packed-records.js';

export interface ListenOptions {
  /** Port to listen on. Default 4010; 0 selects a free port. */
  port?: number;
  /** Host to listen on. Default: both addresses of this machine, 127.0.0.1 and, if available, ::1. */
  host?: string;
  /**
   * URL under which clients reach the server, if it differs from the address that it listens on, as behind a proxy:
   * `https://team.example/petstore`. All URLs that the server tells begin with it, and its host name is allowed.
   */
  publicUrl?: string | undefined;
  /** Host names by which clients may address the server, in addition to `localhost` and 127.0.0.1. */
  allowedHosts?: readonly string[];
  /**
   * Token that control requests must send as `Authorization: Bearer TOKEN`. Required if `host` is reachable from other
   * machines.
   */
  controlToken?: string | undefined;
  /**
   * Origins of pages that may use the control API, such as `http://localhost:5173`. The dashboard's own origin is
   * always allowed.
   */
  allowedOrigins?: readonly string[];
  /**
   * Your own msw handlers, which take precedence over the API: a list, or a function that creates the list for each
   * simulator (the server's own, a sandbox's). Requires msw 2 and `@mswjs/http-middleware`; `listen` fails without
   * them.
   */
  handlers?: HandlerSource;
  /**
   * OpenAPI description of your handlers: `paths` below `/v1` and `components`. The server adds it to its own
   * descriptions.
   */
  openapi?: CustomRoutesDescription;
  /** Your own backend, for requests that neither the API nor a handler serves: its URL, or options. */
  upstream?: string | UpstreamOptions;
  /**
   * Maximum number of programs that read `/__sim/events` of the server itself, and of each sandbox, at the same time.
   * Default 20. Dashboards do not count.
   */
  maximumStreams?: number;
  /** Idle timeout and maximum number of sandboxes, the isolated simulators at their own URLs. */
  sandboxes?: SandboxesOptions;
  /**
   * Whether to send each response that a client may retry (429, ban, 401 or 503) about 20 ms later. Requests that
   * arrive during the delay were sent in parallel, so that the judge can distinguish them. Also closes idle connections
   * after 5 s instead of 75 s, because such a connection can keep the client's process alive. Default false.
   */
  holdRefusals?: boolean;
  /** Called for every response of the server, after the response was passed to the socket. */
  onAnswer?: OnAnswer;
}

/** Names of all options of `listen`, to reject misspelt options. */
export const listenOptions: Record<keyof ListenOptions, true> = {
  port: true,
  host: true,
  publicUrl: true,
  allowedHosts: true,
  controlToken: true,
  allowedOrigins: true,
  handlers: true,
  openapi: true,
  upstream: true,
  maximumStreams: true,
  sandboxes: true,
  holdRefusals: true,
  onAnswer: true,
};

/** A listening server. */
export interface RunningServer {
  readonly port: number;
  /** API URL: `http://127.0.0.1:4010/v1`. Begins with the option `publicUrl`, if set. */
  readonly baseUrl: string;
  /** Control URL: `http://127.0.0.1:4010/__sim`. Begins with the option `publicUrl`, if set. */
  readonly controlUrl: string;
  /** Independent simulators of this server, each under `/s/NAME/v1`. */
  readonly sandboxes: Sandboxes;
  /**
   * Stops listening. Responses in progress may take up to `graceMs` more (default 1,500 ms); 0 aborts them at once and
   * sets no timer.
   */
  close(options?: { graceMs?: number }): Promise<void>;
}

/** Time that responses in progress have at shutdown. The whole shutdown must take at most 2 seconds. */
const closeTimeoutMs = 1_500;
/**
 * Idle time of a connection, for longer than a minute as in nginx: a client that waits for the next minute window can
 * then reuse its connection.
 */
const keepAliveMs = 75_000;
/**
 * Idle time of the connections of a client whose end somebody waits for. Half a second from each whole one, so that no
 * client sends at the moment of the close, after a wait of whole seconds as services name.
 */
const clientKeepAliveMs = 6_500;

/** A bound port that serves nothing yet. */
export interface OpenPort extends Omit<RunningServer, 'sandboxes' | 'baseUrl'> {
  /** Start of the URLs that the server reports: `http://127.0.0.1:4010`, or the option `publicUrl`. */
  readonly origin: string;
  /** Origin at which this machine reaches the server: `http://127.0.0.1:4010`. */
  readonly localUrl: string;
  /**
   * Replaces the simulators that the server serves, and ends the streams of the previous ones.
   * @param fence of the turn in which a server of a shared simulator is the active one
   */
  serve(simulators: ServedSimulators, routes: CustomRoutes, fence?: string): void;
  /** Passes connections on to the active server of a shared simulator; holds new ones while there is none. */
  passTo(active: Address | undefined): void;
  /** Resets all connections, and holds new ones until the next call of `serve` or `passTo`. */
  reset(): void;
}

/** Maximum number of connections of the active server of a shared simulator. Standbys pass on at most 1,000 each. */
const maximumShared = 4_000;

/**
 * Opens a port and responds with 503 until `serve` is called.
 * @param isShared whether several servers share the simulators, and one of them handles all connections
 * @throws as `listen` of `petstore-sim/node`
 */
export async function openPort(options: ListenOptions, isShared = false): Promise<OpenPort> {
  const { port = 4010, host = 'localhost', allowedOrigins = [], controlToken, maximumStreams } = options;
  const hosts = host === 'localhost' ? ['127.0.0.1', '::1'] : [host];
  checkToken(controlToken);
  allowedOrigins.forEach(checkOrigin);
  const allowedHosts = (options.allowedHosts ?? []).map(readHostName);
  checkMaximum(maximumStreams);
  const publicUrl = options.publicUrl === undefined ? undefined : readPublicUrl(options.publicUrl);
  if (!isLoopback(urlHost(host)) && controlToken === undefined) {
    throw new RangeError(
      `Failed to listen on ${host}: expected a control token, because other machines could control the simulator; pass --control-token TOKEN, @FILE or env:NAME, or the option controlToken in code`,
    );
  }
  // Only a server that shares its state needs this code.
  const front = isShared ? new (await import('./front.js')).Front() : undefined;
  const connections = new Connections(isShared ? maximumShared : undefined);
  let closing = new AbortController();
  let sim: Simulator | undefined;
  let listener: RequestListener = serveUnready;
  const servers = await bind(hosts, port, {
    listener(request, response) {
      if (front?.answers(request, response)) connections.exempt(request);
      else listener(request, response);
    },
    connections,
    keepAliveMs: options.holdRefusals ? clientKeepAliveMs : keepAliveMs,
    front,
    onRefused(request, status, body) {
      if (sim !== undefined) createReport(request, options.onAnswer)?.({ by: 'server', sim, status, body });
    },
  });
  const localUrl = `http://${reachableHost(hosts[0] as string)}:${servers.port}`;
  const origin = publicUrl ?? localUrl;
  const ownNames = [urlHost(host), ...(publicUrl === undefined ? [] : [new URL(publicUrl).hostname])];
  return {
    port: servers.port,
    origin,
    localUrl,
    controlUrl: `${origin}/__sim`,
    serve(simulators, routes, fence = '') {
      closing.abort();
      closing = new AbortController();
      sim = simulators.sim;
      packRecords(coreOf(sim).state.journal);
      listener = createListener(simulators, {
        allowedHosts: new Set([...allowedHosts, ...ownNames.map((name) => name.toLowerCase())]),
        allowedOrigins,
        closing: closing.signal,
        connections,
        controlToken,
        maximumStreams,
        publicUrl,
        ...routes,
        holdRefusals: options.holdRefusals,
        onAnswer: options.onAnswer,
      });
      front?.serveHere(fence);
    },
    passTo(active) {
      if (active === undefined) front?.hold();
      else front?.passTo(active);
    },
    reset() {
      closing.abort();
      listener = serveUnready;
      front?.reset();
      connections.resetAll();
    },
    close({ graceMs = closeTimeoutMs } = {}) {
      closing.abort();
      return servers.close(graceMs);
    },
  };
}

const urlHost = (host: string) => (host.includes(':') ? `[${host}]` : host);

/** Addresses that represent all of this machine's, and the loopback address at which the machine reaches itself. */
const wildcards: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '[::]': '[::1]' };

/** Host in URLs of a server that listens on `host`. A wildcard address is no address of a server. */
function reachableHost(host: string): string {
  const name = urlHost(host);
  return wildcards[URL.canParse(`http://${name}`) ? new URL(`http://${name}`).hostname : name] ?? name;
}

/** Parses the option `publicUrl`. Removes the slash at its end, because the server appends paths such as `/v1`. */
function readPublicUrl(text: string): string {
  const url = parseBaseUrl(text);
  const path = url?.pathname.replace(/\/+$/, '');
  const fail = (expected: string) => new RangeError(`Failed to listen: ${expected}, got ${JSON.stringify(text)}`);
  if (url === undefined || url.username + url.password !== '')
    throw fail('expected a public URL such as "https://team.example/petstore"');
  const own = /\/(?:v1|__sim)$/.exec(path as string)?.[0];
  if (own !== undefined) throw fail(`expected a public URL without ${own}, which the server appends`);
  return url.origin + path;
}

/** Checks that the control token consists of characters that an HTTP header can contain. */
function checkToken(token: string | undefined): void {
  if (token === undefined || /^[\x21-\x7e]+$/.test(token)) return;
  const got = token === '' ? 'an empty text' : 'one with other characters';
  throw new RangeError(`Failed to listen: expected a control token of visible ASCII characters, got ${got}`);
}

/** Checks that an allowed origin has the exact form that browsers send. */
function checkOrigin(text: string): void {
  if (isOrigin(text)) return;
  throw new RangeError(
    `Failed to listen: expected an allowed origin such as "http://localhost:5173", got ${JSON.stringify(text)}`,
  );
}

/** Reads a host name that clients may use, and returns it in the form of the request check. */
function readHostName(text: string): string {
  const name = isIP(text) === 6 ? `[${text}]` : text;
  if (isHostName(name)) return withoutRootDot(name.toLowerCase());
  throw new RangeError(
    `Failed to listen: expected an allowed host name such as "petstore", without scheme, port, path and wildcard, got ${JSON.stringify(text)}`,
  );
}

function checkMaximum(maximumStreams: number | undefined): void {
  if (maximumStreams === undefined || (Number.isSafeInteger(maximumStreams) && maximumStreams >= 0)) return;
  throw new RangeError(
    `Failed to listen: expected maximumStreams to be a whole number from 0, got ${String(maximumStreams)}`,
  );
}

const body = errorBody({
  status: 503,
  code: 'service_unavailable',
  message: 'No active server has continued this simulator yet; retry in 1 second.',
});

/** Responds to every request with 503, while the server is not ready. Readiness probes expect this status. */
const serveUnready: RequestListener = (request, response) => {
  request.resume();
  sendJson(response, 503, body, { [retryAfterHeader]: '1', Connection: 'close' });
};

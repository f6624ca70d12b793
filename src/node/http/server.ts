import type { RequestListener } from 'node:http';
import type { Backend } from '../../control-api/backend.js';
import type { OwnDescription } from '../../control-api/own-description.js';
import { basePath } from '../../petstore/document.js';
import type { Sandboxes, SandboxesOptions } from '../../sandboxes/sandboxes.js';
import type { Simulator } from '../../simulator/simulator.js';
import type { HandlerSource } from '../custom-routes/extensions.js';
import type { UpstreamOptions } from '../custom-routes/upstream.js';
import { bind } from './bind.js';
import { Connections } from './connections.js';
import { isLoopback } from './guard.js';
import { type CustomRoutes, createListener } from './listener.js';
import { createReport, type OnAnswer } from './served-answer.js';
import { createUnreadyListener } from './unready-listener.js';

export interface ListenOptions {
  /** Port. Default 4010; 0 for a free port. */
  port?: number;
  /** Host to listen on. Default: both loopback addresses, 127.0.0.1 and, if available, ::1. */
  host?: string;
  /** Host names that clients may use, in addition to the loopback names. */
  allowedHosts?: readonly string[];
  /**
   * Token that control requests must send as `Authorization: Bearer TOKEN`. Required for a host that is not loopback.
   */
  controlToken?: string | undefined;
  /**
   * Origins of pages that may use the control API, such as `http://localhost:5173`, in addition to this server's own.
   */
  allowedOrigins?: readonly string[];
  /**
   * Custom msw handlers, which take precedence over the API: a list, or a function that creates the list for a simulator, the
   * server's own or a sandbox's. Requires msw 2 and `@mswjs/http-middleware`; `listen` fails without.
   */
  handlers?: HandlerSource;
  /** OpenAPI description of the handlers: `paths` below `/v1` and `components`, merged into the served descriptions. */
  openapi?: OwnDescription;
  /** Backend for requests that neither the API nor a handler serves: its URL, or options. */
  upstream?: string | UpstreamOptions;
  /** Idle time and maximum number of sandboxes. */
  sandboxes?: SandboxesOptions;
  /**
   * Whether to send rejections about 20 ms later, so that the judge can distinguish parallel from serial requests.
   * Default false.
   */
  holdRefusals?: boolean;
  /** Called for every response of the server, after it was passed to the socket. */
  onAnswer?: OnAnswer;
}

/** Known option names, for the check of unknown ones. */
export const listenOptions: Record<keyof ListenOptions, true> = {
  port: true,
  host: true,
  allowedHosts: true,
  controlToken: true,
  allowedOrigins: true,
  handlers: true,
  openapi: true,
  upstream: true,
  sandboxes: true,
  holdRefusals: true,
  onAnswer: true,
};

/** A listening server. */
export interface RunningServer {
  readonly port: number;
  /** API URL: `http://127.0.0.1:4010/v1`. */
  readonly baseUrl: string;
  /** Control URL: `http://127.0.0.1:4010/__sim`. */
  readonly controlUrl: string;
  /** Independent simulators under `/s/NAME/v1`. */
  readonly sandboxes: Sandboxes;
  /**
   * Stops listening. Active responses may finish for at most `graceMs` (default 1,500); 0 aborts them at once and sets
   * no timer.
   */
  close(options?: { graceMs?: number }): Promise<void>;
}

/** Grace period for active responses at shutdown, in milliseconds; the whole shutdown must take at most 2 seconds. */
const closeTimeoutMs = 1_500;

/** A bound port that serves nothing yet. */
export interface OpenPort extends Omit<RunningServer, 'sandboxes'> {
  /**
   * Serves a backend from now on. Ends the streams of the previous one.
   * @param routes default: those of the previous one
   */
  serve(backend: Backend, routes?: CustomRoutes): void;
  /**
   * Responds to every request with 503 until the next call of `serve`.
   * @param onRefused called for each request to the API, with its sandbox
   */
  pause(onRefused: (sandbox: string | undefined) => void): void;
}

/** Binds a port and responds with 503 until `serve` is called. @throws as `listen` of `petstore-sim/node` */
export async function openPort(options: ListenOptions): Promise<OpenPort> {
  const { port = 4010, host = 'localhost', allowedHosts = [], allowedOrigins = [], controlToken } = options;
  const hosts = host === 'localhost' ? ['127.0.0.1', '::1'] : [host];
  checkToken(controlToken);
  allowedOrigins.forEach(checkOrigin);
  if (!isLoopback(urlHost(host)) && controlToken === undefined) {
    throw new RangeError(
      `Failed to listen on ${host}: expected a control token, because other machines could control the simulator; pass --control-token TOKEN, or the option controlToken in code`,
    );
  }
  const connections = new Connections();
  let closing = new AbortController();
  let sim: Simulator | undefined;
  let customRoutes: CustomRoutes = {};
  let listener: RequestListener = createUnreadyListener();
  const servers = await bind(
    hosts,
    port,
    (request, response) => listener(request, response),
    connections,
    (request, status, body) => {
      if (sim !== undefined)
        createReport(request, options.onAnswer)?.({ by: 'server', sim, status, headers: {}, body });
    },
  );
  const origin = `http://${urlHost(hosts[0] as string)}:${servers.port}`;
  return {
    port: servers.port,
    baseUrl: `${origin}${basePath}`,
    controlUrl: `${origin}/__sim`,
    serve(backend, routes = customRoutes) {
      customRoutes = routes;
      closing.abort();
      closing = new AbortController();
      sim = backend.sim;
      listener = createListener(backend, {
        allowedHosts: new Set([...allowedHosts, urlHost(host)].map((name) => name.toLowerCase())),
        allowedOrigins,
        closing: closing.signal,
        connections,
        controlToken,
        ...routes,
        holdRefusals: options.holdRefusals,
        onAnswer: options.onAnswer,
      });
    },
    pause(onRefused) {
      closing.abort();
      listener = createUnreadyListener(onRefused);
    },
    close({ graceMs = closeTimeoutMs } = {}) {
      closing.abort();
      return servers.close(graceMs);
    },
  };
}

const urlHost = (host: string) => (host.includes(':') ? `[${host}]` : host);

/** Checks that a header can contain the token. */
function checkToken(token: string | undefined): void {
  if (token === undefined || /^[\x21-\x7e]+$/.test(token)) return;
  const got = token === '' ? 'an empty text' : 'one with other characters';
  throw new RangeError(`Failed to listen: expected a control token of visible ASCII characters, got ${got}`);
}

/** Checks that an origin has the exact form that browsers send. */
function checkOrigin(text: string): void {
  if (/^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text) return;
  throw new RangeError(
    `Failed to listen: expected an allowed origin such as "http://localhost:5173", got ${JSON.stringify(text)}`,
  );
}

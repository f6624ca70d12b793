import type { RequestListener } from 'node:http';
import type { Backend } from '../../control-api/backend.js';
import { basePath } from '../../petstore/document.js';
import type { Sandboxes, SandboxesOptions } from '../../sandboxes/sandboxes.js';
import type { Simulator } from '../../simulator/simulator.js';
import type { ExtensionOf, HandlerSource } from '../custom-routes/extensions.js';
import { bind } from './bind.js';
import { Connections } from './connections.js';
import { isLoopback } from './guard.js';
import { createListener } from './listener.js';
import { createNotYet } from './not-yet.js';
import { createReport, type OnAnswer } from './served-answer.js';

export interface ListenOptions {
  /** Default 4010; 0 takes a free one. */
  port?: number;
  /** Default: both loopback addresses, 127.0.0.1 and, where there is IPv6, ::1. */
  host?: string;
  /** Host names, besides the loopback ones, that clients may call the server by. */
  allowedHosts?: readonly string[];
  /** What control requests must bring as `Authorization: Bearer TOKEN`. Needed on a host that is not loopback. */
  controlToken?: string | undefined;
  /** The origins of pages that may use the control API, such as `http://localhost:5173`, besides the pages of this server. */
  allowedOrigins?: readonly string[];
  /**
   * msw handlers of your own, asked before the API: a list, or a function that makes them for a simulator, the server's own
   * or that of a sandbox. Needs msw 2 and `@mswjs/http-middleware`, and fails to listen without.
   */
  handlers?: HandlerSource;
  /** How long unused sandboxes stay, and how many there may be. */
  sandboxes?: SandboxesOptions;
  /**
   * Sends refusals some 20 ms later, so that the judge can tell parallel requests from serial ones. Default false.
   */
  holdRefusals?: boolean;
  /** Called for every answer of the server, when it has been handed to the socket. */
  onAnswer?: OnAnswer;
}

/** Their names, to know others by. */
export const listenOptions: Record<keyof ListenOptions, true> = {
  port: true,
  host: true,
  allowedHosts: true,
  controlToken: true,
  allowedOrigins: true,
  handlers: true,
  sandboxes: true,
  holdRefusals: true,
  onAnswer: true,
};

/** A simulator that listens. */
export interface RunningServer {
  readonly port: number;
  /** Where the API is: `http://127.0.0.1:4010/v1`. */
  readonly baseUrl: string;
  /** Where the control API is: `http://127.0.0.1:4010/__sim`. */
  readonly controlUrl: string;
  /** Independent simulators under `/s/NAME/v1`. */
  readonly sandboxes: Sandboxes;
  /**
   * Stops listening; answers that are under way finish, for at most `graceMs`: default 1,500, 0 cuts them at once and
   * sets no timer.
   */
  close(options?: { graceMs?: number }): Promise<void>;
}

/** Time given to answers under way when the server closes; the whole stop must be over within 2 seconds. */
const closeTimeoutMs = 1_500;

/** A port on which nothing is served yet. */
export interface OpenPort extends Omit<RunningServer, 'sandboxes'> {
  /**
   * Serves this from now on. Streams of what was served before end.
   * @param extensionOf default: as before
   */
  serve(backend: Backend, extensionOf?: ExtensionOf): void;
  /**
   * Answers every request with a 503 until `serve` is called again.
   * @param onRefused called for each request to the API, with its sandbox
   */
  pause(onRefused: (sandbox: string | undefined) => void): void;
}

/** Listens, and answers with a 503 until there is something to serve. @throws as `listen` of `petstore-sim/node` */
export async function openPort(options: ListenOptions): Promise<OpenPort> {
  const { port = 4010, host = 'localhost', allowedHosts = [], allowedOrigins = [], controlToken } = options;
  const hosts = host === 'localhost' ? ['127.0.0.1', '::1'] : [host];
  checkToken(controlToken);
  allowedOrigins.forEach(checkOrigin);
  if (!isLoopback(urlHost(host)) && controlToken === undefined) {
    throw new RangeError(
      `Failed to listen on ${host}: expected a control token, because other machines could drive the simulator; pass --control-token TOKEN, the option controlToken in code`,
    );
  }
  const connections = new Connections();
  let closing = new AbortController();
  let sim: Simulator | undefined;
  let extensionOf: ExtensionOf | undefined;
  let listener: RequestListener = createNotYet();
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
    serve(backend, extend = extensionOf) {
      extensionOf = extend;
      closing.abort();
      closing = new AbortController();
      sim = backend.sim;
      listener = createListener(backend, {
        allowedHosts: new Set([...allowedHosts, urlHost(host)].map((name) => name.toLowerCase())),
        allowedOrigins,
        closing: closing.signal,
        connections,
        controlToken,
        extensionOf,
        holdRefusals: options.holdRefusals,
        onAnswer: options.onAnswer,
      });
    },
    pause(onRefused) {
      closing.abort();
      listener = createNotYet(onRefused);
    },
    close({ graceMs = closeTimeoutMs } = {}) {
      closing.abort();
      return servers.close(graceMs);
    },
  };
}

const urlHost = (host: string) => (host.includes(':') ? `[${host}]` : host);

/** A header can carry no other token, so nobody could send it. */
function checkToken(token: string | undefined): void {
  if (token === undefined || /^[\x21-\x7e]+$/.test(token)) return;
  const got = token === '' ? 'an empty text' : 'one with other characters';
  throw new RangeError(`Failed to listen: expected a control token of visible ASCII characters, got ${got}`);
}

/** A browser sends exactly this form. */
function checkOrigin(text: string): void {
  if (/^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text) return;
  throw new RangeError(
    `Failed to listen: expected an allowed origin such as "http://localhost:5173", got ${JSON.stringify(text)}`,
  );
}

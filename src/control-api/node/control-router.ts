import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import express, { type ErrorRequestHandler, type Request, type RequestHandler, type Response } from 'express';
import { isPreflight, preflightHeaders } from '../../http/cors.js';
import { runInTurns } from '../../http/event-loop-turns.js';
import { isHealthCheck, sendHealth } from '../../http/health-check.js';
import { originOf, readTarget } from '../../http/read-target.js';
import { sendPieces } from '../../http/send-pieces.js';
import { sendRefusal } from '../../http/send-response.js';
import type { Report } from '../../http/served-answer.js';
import { disconnectSignal } from '../../http/wire-faults.js';
import { retryAfterHeader } from '../../rate-limits/header-names.js';
import { errorBody } from '../../requests/api-error.js';
import { jsonText } from '../../values/json.js';
import { ControlError, invalid, notFound, toControlError } from '../control-error.js';
import type { AnyControlOperation, Caller } from '../control-operation.js';
import type { CustomRoutesDescription } from '../custom-routes-description.js';
import type { EntryFeed } from '../entry-stream.js';
import { isLazy, jsonPieces } from '../lazy-result.js';
import { openEntryFeed, perform, performInSteps } from '../perform.js';
import { noSandbox, type RecordedText, type SandboxHost, sandboxUrls } from '../sandbox-operations.js';
import type { ControlOperations, ServedService } from '../served-service.js';
import type { ServedSimulators } from '../served-simulators.js';
import { createEventSender, type ExemptingConnections } from './control-events.js';
import { type ControlAccess, checkControlRequest, controlCors } from './control-guard.js';
import { readInput, readInputInSteps } from './control-input.js';
import { servePage } from './page.js';

/** Default maximum size of a control request body, in bytes. */
const maximumBodyBytes = 5 * 1024 * 1024;
/** Size in bytes from which a request body is handled in steps, with other requests in between. */
const largeBytes = 64 * 1024;

export interface ControlRouterOptions extends ControlAccess {
  /** Signal that is aborted when the server closes, to end waiting requests and event streams. */
  closing: AbortSignal;
  connections: ExemptingConnections;
  /** Maximum number of open streams of `/__sim/events` for each simulator. Default 20. */
  maximumStreams: number | undefined;
  /** Start of all URLs in responses. Default: by the Host header of each request. */
  publicUrl: string | undefined;
  /** The user's own backend, if the server has one. */
  readonly upstream?: object | undefined;
  /** Whether the backend has all paths, also those of the API. */
  readonly withoutApi?: boolean | undefined;
  /** OpenAPI description of the user's custom routes. */
  readonly openapi?: CustomRoutesDescription | undefined;
}

/** Handles one HTTP request to the control API. */
export type ControlListener = (request: IncomingMessage, response: ServerResponse, report: Report) => void;

/**
 * Finds the simulator or server that a control request addresses. Returns `undefined` if the named sandbox does not
 * exist.
 */
type Find = (request: Request) => Found | undefined;
interface Found extends Pick<Caller, 'baseUrl' | 'controlUrl'> {
  target: unknown;
  sandbox?: string;
  gone?: AbortSignal;
}

/**
 * Creates the HTTP routes of the control API under `/__sim`, one per operation. Requests and responses are JSON, and
 * errors have the format of the API's errors.
 */
export function createControlRouter(
  simulators: ServedSimulators,
  { main, operations, sandboxOperations }: ServedService,
  { closing, connections, maximumStreams, openapi, upstream, withoutApi, publicUrl, ...access }: ControlRouterOptions,
): ControlListener {
  const { sim, sandboxes } = simulators;
  /** Paths of operations whose body is no JSON. */
  const rawPaths = new Set(
    Object.values(sandboxOperations).flatMap(({ bodyField, path }) => (bodyField ? `/__sim${path}` : [])),
  );
  const errorBodies = new WeakMap<ServerResponse, string>();
  const app = express();
  app.disable('x-powered-by').disable('etag').set('query parser', false);
  app.use((request, response, next) => {
    response.set({
      'Cache-Control': 'no-store',
      'Cross-Origin-Resource-Policy': 'same-origin',
      'X-Content-Type-Options': 'nosniff',
      ...controlCors(request, access.allowedOrigins),
    });
    next();
  });

  /**
   * Finds the simulator or sandbox that a control request reads or changes. A read first waits until all submitted
   * changes are applied. A change waits only if the sandbox is unknown, because a submitted change may create it.
   */
  const findFor = async (
    { method, isRead, isAtOnce }: AnyControlOperation,
    find: Find,
    request: Request,
  ): Promise<Found> => {
    let found = (method === 'GET' || isRead) && !isAtOnce ? undefined : find(request);
    if (found === undefined && !isAtOnce) {
      await simulators.settled();
      found = find(request);
    }
    if (found !== undefined) return found;
    throw noSandbox();
  };

  const toldOrigin = (request: Request) => originOf(request, publicUrl);
  const instance = randomUUID();
  const events = createEventSender(connections, maximumStreams);
  const serve =
    (name: string, operation: AnyControlOperation, find: Find): RequestHandler =>
    async (request, response) => {
      const isLarge = Buffer.isBuffer(request.body) && request.body.length > largeBytes;
      const large = isLarge ? await runInTurns(readInputInSteps(request, operation)) : undefined;
      const { target, sandbox, gone, ...addresses } = await findFor(operation, find, request);
      const signal =
        operation.isLong && AbortSignal.any([disconnectSignal(response), closing, ...(gone ? [gone] : [])]);
      if (operation.isLong && sandbox !== undefined) keepSandboxInUse(sandbox, simulators, response);
      const log = simulators.health?.();
      const caller: Caller = { ...addresses, signal, instance, log, openapi, name: callerOf(request) };
      const run = () => {
        const input = large ?? readInput(request, operation);
        const runNow = () => runInTurns(performInSteps(operation, target, input, caller, isLarge));
        if (operation.method === 'GET' || operation.isRead) return runNow();
        return simulators.change({ name, operation, sandbox, input, caller, origin: toldOrigin(request), run: runNow });
      };
      if (operation.feed !== undefined) {
        const open = () => openEntryFeed(operation, target, readInput(request, operation)) as EntryFeed;
        return events.sendEntries(response, sandbox, open, signal as AbortSignal);
      }
      if (operation.contentType === 'text/event-stream') {
        const open = () => perform(operation, target, readInput(request, operation), caller) as AsyncIterable<object>;
        return events.sendItems(response, sandbox, open, operation.eventName as string);
      }
      const result = await run();
      // Closes the connection after the response, because a closing server waits until all connections are closed.
      if (closing.aborted) response.set('Connection', 'close');
      response.status(operation.status ?? 200).type(operation.contentType ?? 'json');
      if (isLazy(result)) return sendPieces(response, jsonPieces(result));
      response.send(operation.contentType === undefined ? jsonText(result) : result);
    };

  /** Adds a route for each path of an operation table. Other methods get a 405. */
  const mount = (base: string, table: ControlOperations, find: Find) => {
    for (const path of new Set(Object.values(table).map(({ path }) => path))) {
      const here = Object.entries(table).filter(([, operation]) => operation.path === path);
      const route = app.route(base + path.replace(/\{(\w+)\}/g, ':$1'));
      for (const [name, operation] of here) {
        const method = operation.method.toLowerCase() as 'get' | 'post' | 'put' | 'delete';
        const limit = operation.maximumBytes ?? maximumBodyBytes;
        // Rejects HEAD for a stream. Express would handle HEAD like GET, and the response would never end.
        if (operation.contentType === 'text/event-stream') route.head(methodNotAllowed('GET'));
        if (method !== 'get') {
          route[method](
            (_, response, next) => {
              response.locals.ifTooLarge = operation.ifTooLarge;
              next();
            },
            express.raw({ limit, type: () => true }),
          );
        }
        route[method](serve(name, operation, find));
      }
      route.all(methodNotAllowed(here.map(([, { method }]) => method).join(', ')));
    }
  };
  /** Judges a recording. Loads the code at the first call, because few servers need it. */
  const judgeFile = async (file: RecordedText, signal?: AbortSignal) => {
    const { judgeFile } = await import('./judge-file.js');
    const scenarios = [sim, ...sandboxes.list().map((sandbox) => sandbox.sim)].map(({ scenario }) => scenario);
    const publicKeys = new Set(scenarios.flatMap(({ keys = {} }) => Object.keys(keys)));
    return judgeFile(file, main, publicKeys, signal);
  };
  mount('/__sim', operations, (request) => {
    const origin = toldOrigin(request);
    return { target: sim, baseUrl: origin + sim.basePaths[0], controlUrl: `${origin}/__sim` };
  });
  servePage(app, {
    'public-url': publicUrl,
    'without-api': withoutApi && 'yes',
    about: [simulators.health && 'state is stored', upstream && 'with a backend'].filter(Boolean).join(', '),
  });
  mount('/__sim', sandboxOperations, (request) => ({
    target: { sim, sandboxes, origin: toldOrigin(request), judgeFile } satisfies SandboxHost,
  }));
  mount('/__sim/sandboxes/:sandbox', operations, (request) => {
    const name = request.params.sandbox as string;
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    const sandbox = isRead ? simulators.readSandbox(name) : simulators.useSandbox(name);
    return (
      sandbox && {
        target: sandbox.sim,
        sandbox: name,
        gone: sandbox.removed,
        ...sandboxUrls(toldOrigin(request), sandbox),
      }
    );
  });

  app.use(() => {
    throw notFound('Unknown control path; GET /__sim/openapi.json lists all paths.');
  });
  app.use(errorHandler((response, body) => errorBodies.set(response, body)));
  return (request, response, report) => {
    const cors = controlCors(request, access.allowedOrigins);
    if (cors !== undefined && isPreflight(request)) {
      response.writeHead(204, { ...cors, ...preflightHeaders(request, ['GET', 'POST', 'PUT', 'DELETE']) }).end();
      report?.({ by: 'preflight', sim, status: 204 });
      return;
    }
    const refusal = checkControlRequest(request, access, rawPaths.has(readTarget(request.url).path));
    if (report !== undefined) {
      response.once('close', () => {
        const status = response.headersSent ? response.statusCode : 0;
        report({ by: 'control', sim, status, body: errorBodies.get(response) ?? '' });
      });
    }
    if (refusal === undefined) return app(request, response);
    response.setHeaders(new Map(Object.entries(cors ?? {})));
    if (isHealthCheck(request)) sendHealth(response);
    else {
      errorBodies.set(response, sendRefusal(response, refusal));
    }
  };
}

/**
 * Name of the caller, for the list of changes. `X-Sim-Caller` takes precedence over User-Agent, which a page cannot
 * set.
 */
const callerOf = ({ headers }: Request) =>
  String(headers['x-sim-caller'] ?? headers['user-agent'] ?? 'an unnamed program');

const methodNotAllowed = (allowed: string) => (request: Request, response: Response) => {
  response.set('Allow', allowed);
  throw new ControlError(405, 'method_not_allowed', `Method ${request.method} is not supported here; use ${allowed}.`);
};

/**
 * Creates Express's error handler.
 * @param note called with the body of each error response
 */
const errorHandler =
  (note: (response: ServerResponse, body: string) => void): ErrorRequestHandler =>
  // Express recognizes an error handler by its four parameters, so the last one stays although unused.
  (error, request, response, _next) => {
    if (response.headersSent) {
      response.destroy();
      return;
    }
    const described = describeError(toControlError(error), request, response.locals.ifTooLarge);
    const { status, retryAfterSeconds } = described;
    const body = errorBody(described);
    note(response, body);
    if (retryAfterSeconds !== undefined) response.set(retryAfterHeader, String(retryAfterSeconds));
    response.status(status).type('application/json').send(body);
  };

function describeError(error: unknown, request: Request, ifTooLarge?: string): ControlError {
  if (error instanceof ControlError) return error;
  const { status = 500, type = '', limit } = error as { status?: number; type?: string; limit?: number };
  if (status === 413) {
    const advice = ifTooLarge === undefined ? '' : `; ${ifTooLarge}`;
    return new ControlError(413, 'payload_too_large', `The body is larger than ${limit} bytes${advice}.`);
  }
  if (status === 415)
    return new ControlError(
      415,
      'unsupported_media_type',
      'The encoding of the body is not supported; send the body without Content-Encoding.',
    );
  if (type === '' && error instanceof URIError)
    return invalid('The path contains a "%" that does not start an encoded UTF-8 character.');
  if (status >= 400 && status < 500) return invalid('The body cannot be read.');
  // Logs the error as a bug of the simulator only if the client is still connected. A disconnect makes the read of the
  // request fail, which is no bug.
  if (!request.destroyed) console.error(error);
  return new ControlError(500, 'internal_error', 'The simulator failed; this is a bug in the simulator.');
}

/**
 * Prevents the removal of a sandbox as idle while a long response, such as an event stream, is open. Reads the sandbox
 * at a regular interval, because a read counts as use.
 */
function keepSandboxInUse(
  sandbox: string,
  { sandboxes, readSandbox }: ServedSimulators,
  response: ServerResponse,
): void {
  const { renewalMs } = sandboxes;
  if (renewalMs === Number.POSITIVE_INFINITY) return;
  const timer = setInterval(() => readSandbox(sandbox), renewalMs).unref();
  response.once('close', () => clearInterval(timer));
}

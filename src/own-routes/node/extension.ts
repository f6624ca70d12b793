import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import express, { type Request, type Response } from 'express';
import type { RequestHandler } from 'msw';
import { corsHeaders, corsOf, isPreflight, preflightHeaders, withExposed } from '../../http/cors.js';
import { deliverAfterDelay } from '../../http/delay-refusals.js';
import { type Refusal, refusal } from '../../http/guard.js';
import { hasBody, readBody } from '../../http/read-body.js';
import { sendResponse } from '../../http/send-response.js';
import { type Report, reported, type ServedAnswer } from '../../http/served-answer.js';
import { disconnectSignal } from '../../http/wire-faults.js';
import type { OwnHandler } from '../../in-process/fetch.js';
import { rateLimitHeaders, retryAfterHeader } from '../../rate-limits/header-names.js';
import { errorBody, maximumBodyBytes, methodNotAllowed, payloadTooLarge } from '../../requests/api-error.js';
import { coreOf, type Simulator } from '../../simulator/simulator.js';
import { UsageError } from '../../validation/usage-error.js';
import { sharedOperation } from '../guarded.js';
import { type RequestContext, serveRoute } from '../serve-route.js';
import { ConnectionAborted, containedHandler, RouteResponse } from './contained-handler.js';
import { createMatcher, isHandler, onThisServer } from './handler-matcher.js';
import { loadMiddleware } from './load-middleware.js';
import { sendRoute } from './send-route.js';

/**
 * Serves a request by the user's msw handlers.
 * @param fallThrough called if every matching handler passes on the request to the API, with the body if already read
 * @returns `false` if no handler matches; the request is then untouched
 */
export type Extension = (
  request: IncomingMessage,
  response: ServerResponse,
  call: ExtensionCall,
  fallThrough: (body?: Uint8Array) => void,
) => boolean;

export interface ExtensionCall {
  readonly report: Report;
  /** Returns the number of the request's connection, by which the judge recognizes a client. */
  readonly numberOf: (request: IncomingMessage) => number | undefined;
  readonly holdsRefusals: boolean | undefined;
  /**
   * Whether the simulated API serves requests that no handler of the user matches. False if a backend of the user
   * serves such requests.
   */
  readonly isBeforeApi: boolean;
  /** Start of the URLs of requests in the journal. Default: their origin by the Host header. */
  readonly publicUrl: string | undefined;
}

/**
 * HTTP methods that a 405 response can list as allowed for a path of the user's handlers. A request with any other
 * method goes to the simulated API, because no handler is searched for it.
 */
const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

/**
 * Mounts a user's msw handlers through `@mswjs/http-middleware` on Express. Adds a body limit, crash protection, CORS
 * and the simulated `Date`.
 * @throws {UsageError} if http-middleware or msw 2 is not installed, {TypeError} for a value that is not a handler
 */
export function createExtension(sim: Simulator, handlers: readonly OwnHandler[]): Extension {
  const { createMiddleware, matchRequestUrl } = loadMiddleware();
  const mswHandlers: readonly unknown[] = handlers;
  if (!mswHandlers.every(isHandler)) {
    throw new TypeError('Failed to mount the handlers: expected request handlers of msw, got something else');
  }
  const shared = sharedOperation(mswHandlers);
  if (shared !== undefined) {
    throw new UsageError(
      `expected one handler for each operation, got two named ${JSON.stringify(shared)}; rename one`,
    );
  }
  const served = mswHandlers.map(onThisServer);
  const matches = createMatcher(served, matchRequestUrl);
  /** Returns the HTTP methods of the user's handlers for a request's path; none if the simulated API knows the path. */
  const allowedAt = (method: string, request: IncomingMessage): readonly string[] => {
    const { main, state } = coreOf(sim);
    const [url = ''] = (request.url as string).replace(/^\/s\/[^/]+/, '').split('?', 1);
    if (!url.startsWith(`${main.basePath}/`) || !methods.includes(method)) return [];
    const path = url.slice(main.basePath.length);
    const call = { method, path, query: '', baseUrl: '', header: () => undefined, body: undefined };
    const match = main.find(call, state.resolved, sim.clock.now());
    const isUnknown = match === undefined ? !main.methodsAt?.(path).length : match.refusal?.status === 404;
    return isUnknown ? methods.filter((each) => matches(each, request)) : [];
  };
  const date = () => new Date(sim.clock.now()).toUTCString();

  const app = express().disable('x-powered-by');
  app.use((request, response, next) => {
    const headers = { Date: date(), ...corsOf(request, sim).cors };
    const { context, own } = request as unknown as ReturnType<typeof copyOf>;
    const contained = own.map((handler) => containedHandler(handler, response, context, headers));
    return createMiddleware(...contained)(request, response, next);
  });

  const serve = (
    request: IncomingMessage,
    response: ServerResponse,
    { report, numberOf, holdsRefusals, publicUrl }: ExtensionCall,
    own: readonly RequestHandler[],
    fallThrough: () => void,
    body?: Uint8Array,
  ) => {
    const context: RequestContext = {
      get connection() {
        return numberOf(request);
      },
      holdsRefusals,
      publicUrl,
      signal: disconnectSignal(response),
    };
    let isOurs = true;
    const { cors, isOriginRefused } = corsOf(request, sim);
    const done = (answer: Pick<ServedAnswer, 'status'> & Partial<ServedAnswer>) => {
      isOurs = false;
      report?.({ by: 'handler', sim, ...answer, isOriginRefused });
    };
    const refuse = (error: Refusal) => done(sendError(sim, request, response, error));
    if (body !== undefined && body.length > maximumBodyBytes) return refuse(payloadTooLarge());
    response.once('close', () => {
      if (isOurs && response.headersSent) done({ status: response.statusCode, headers: sentHeaders(response) });
    });
    app(copyOf(request, context, own, body) as unknown as Request, response as Response, (error?: unknown) => {
      if (error instanceof ConnectionAborted) {
        request.socket.resetAndDestroy();
        done({ status: 0 });
      } else if (error instanceof RouteResponse) {
        deliverAfterDelay(error.answer, (answer) => {
          try {
            sendRoute(request, response, { answer, cors: withExposed(cors, answer.headers), clock: sim.clock });
            done(reported(answer));
          } catch (failure) {
            console.error(failure);
            refuse(handlerFailed);
          }
        });
      } else if (error !== undefined) {
        console.error(error);
        refuse(handlerFailed);
      } else {
        isOurs = false;
        fallThrough();
      }
    });
  };

  return (request, response, call, fallThrough) => {
    const { method = '', headers } = request;
    if (isPreflight(request) && sim.settings.cors !== 'off') {
      const asked = headers['access-control-request-method'] as string;
      if (!matches(asked, request)) return false;
      const { cors, isOriginRefused } = corsOf(request, sim);
      response.writeHead(204, { ...cors, ...preflightHeaders(request) }).end();
      call.report?.({ by: 'preflight', sim, status: 204, isOriginRefused });
      return true;
    }
    let own: readonly RequestHandler[] = served;
    if (!matches(method, request)) {
      const allowed = call.isBeforeApi ? allowedAt(method, request) : [];
      if (allowed.length === 0) return false;
      own = [methodRefusal(sim, allowed)];
    }
    const isRead = method === 'GET' || method === 'HEAD';
    if (isRead || !hasBody(request)) serve(request, response, call, own, fallThrough);
    else readBody(request, (body) => serve(request, response, call, own, () => fallThrough(body), body));
    return true;
  };
}

/** Creates a request handler that rejects unsupported methods of a custom route with a 405. */
const methodRefusal = (sim: Simulator, allowed: readonly string[]) =>
  ({
    async run({ request }: { request: globalThis.Request }) {
      await serveRoute(sim, request, () => {
        throw methodNotAllowed(request.method, allowed);
      });
      return null;
    },
  }) as unknown as RequestHandler;

/**
 * Responds to a request with an error as JSON.
 * @returns the sent response
 */
export function sendError(sim: Simulator, { headers }: IncomingMessage, response: ServerResponse, error: Refusal) {
  const answer = {
    status: error.status,
    headers: { 'Content-Type': 'application/json', Date: new Date(sim.clock.now()).toUTCString() },
    body: errorBody(error),
  };
  sendResponse(response, answer, corsHeaders(headers.origin, sim.settings));
  return answer;
}

export const handlerFailed = refusal(
  500,
  'internal_error',
  "A handler that was mounted on the simulator failed; the server's log shows the error.",
);

/**
 * Creates a copy of a request for `@mswjs/http-middleware`, with the body that the server has already read. The server
 * reads the body itself, because http-middleware has no size limit.
 */
function copyOf(
  { method, url, headers, socket }: IncomingMessage,
  context: RequestContext,
  own: readonly RequestHandler[],
  body?: Uint8Array,
) {
  const stream = new Readable({
    read() {
      if (body !== undefined) this.push(body);
      this.push(null);
    },
    // Overrides `destroy` of the request that is passed to the user's handlers, because Express's method would close
    // the connection.
    destroy: (_error, done) => done(null),
  });
  return Object.assign(stream, { method, url, headers, socket, context, own });
}

/** Returns the response headers in the API's spelling. msw changes their names to lower case. */
const sentHeaders = (response: ServerResponse): Record<string, string> =>
  Object.fromEntries(
    Object.entries(response.getHeaders()).map(([name, value]) => [spelling.get(name) ?? name, String(value)]),
  );

const spelling = new Map(
  [...Object.values(rateLimitHeaders), retryAfterHeader].map((name) => [name.toLowerCase(), name]),
);

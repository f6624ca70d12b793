import { callersOf, readBody } from '../in-process/fetch.js';
import { toResponse } from '../in-process/to-response.js';
import { maximumCost } from '../rate-limits/plan-limits.js';
import type { Answer, ApiCall, Route } from '../requests/api-call.js';
import { ApiError, maximumBodyBytes } from '../requests/api-error.js';
import { errorOutcome, hasResponseBody, isStream, type Outcome } from '../requests/outcome.js';
import { type Reads, writes } from '../requests/reads.js';
import { unnamedStored } from '../requests/request-record.js';
import { hasCredential } from '../simulator/sent-key.js';
import { checkSimulator, coreOf, type Simulator } from '../simulator/simulator.js';
import { checkOptions } from '../values/check-options.js';
import { concatenate } from '../values/concatenate.js';
import { toJsonBytes } from '../values/json-bytes.js';
import { decoded, decodeUnreserved } from '../values/percent-encoding.js';
import { spelledHeader } from '../values/spelled-header.js';

/**
 * Options of `serveRoute` for a custom route: the name of its operation, or the path parameters from which the default
 * operation name is built.
 */
export interface RouteOptions {
  /** Operation name in scenarios, journal and verdict. Default: method and path, such as `GET /v1/categories/{id}`. */
  readonly operation?: string | undefined;
  /**
   * Values of the path parameters by parameter name, such as `{ id: '7' }`. The default operation name contains `{id}`
   * instead of `7`.
   */
  readonly params?: Readonly<Record<string, string | readonly string[] | undefined>> | undefined;
  /**
   * Whether the route only reads, although its method is unsafe, such as a search by POST. Default: false. A GraphQL
   * query by POST is recognized.
   */
  readonly reads?: boolean | undefined;
  /**
   * Number of requests as which the request counts, or a function that returns it for a request. A cost of the operation
   * in the scenario takes precedence. Default: 1.
   */
  readonly cost?: number | ((request: Request) => number | Promise<number>) | undefined;
}

/** Data that the HTTP server attaches to a `Request` for the function `serveRoute`, which serves custom routes. */
export interface RequestContext extends Pick<ApiCall, 'connection' | 'holdsRefusals'> {
  /** Signal that is aborted when the client disconnects. */
  readonly signal: AbortSignal;
  /** Start of the URL under which clients reach the server, if it differs from the request's origin. */
  readonly publicUrl?: string | undefined;
  /**
   * Response that the function `serveRoute` created for the request, as plain data. The HTTP server sends this data
   * instead of the `Response` of the user's handler, because a `Response` cannot express connection faults.
   */
  answer?: Answer;
}

/**
 * Property of a `Request` with the `RequestContext` that the HTTP server attaches. A program can load two copies of
 * this package, and `Symbol.for` returns the same symbol to both.
 */
const contextKey = Symbol.for('petstore-sim request');

export const setContext = (request: Request, context: RequestContext): void =>
  void Object.defineProperty(request, contextKey, { value: context });

const contextOf = (request: Request) => (request as { [contextKey]?: RequestContext })[contextKey];

/** Maximum response time of a custom route, in real time. */
const maximumMs = 30_000;
/** Pause in a custom route's body after which the body is streamed instead of buffered, in real time. */
const pauseMs = 50;
/** Size above which a custom route's body is streamed instead of buffered, in bytes. */
const maximumBytes = 1024 * 1024;
/** Maximum size of a custom route's body that is read as a whole, in bytes. */
const maximumWholeBytes = 10 * 1024 * 1024;

// Real timers, captured when the module loads, because a test may install fake timers later.
const { setTimeout: startTimer, clearTimeout: stopTimer } = globalThis;

const routeOptions: Record<keyof RouteOptions, true> = { operation: true, params: true, reads: true, cost: true };

/**
 * Serves a request by a custom function as an operation of the API, with authentication, limits, faults, journal and
 * verdict. For msw, use `guarded` of `petstore-sim/msw`.
 * @param respond returns the response within 30 s; not called if the request is rejected
 * @example await serveRoute(sim, request, () => Response.json([]), { operation: 'listCategories' })
 */
export async function serveRoute(
  sim: Simulator,
  request: Request,
  respond: () => Response | Promise<Response>,
  options: RouteOptions = {},
): Promise<Response> {
  checkSimulator('serveRoute', sim);
  checkOptions('serveRoute', options, routeOptions);
  const { operation: name, params = {}, reads = false, cost: given } = options;
  const callers = callersOf(sim);
  const { method, url, headers } = request;
  const context = contextOf(request);
  const signal = context?.signal ?? request.signal;
  const { origin, pathname, search } = new URL(url);
  const base = /^.*?\/v1(?=\/|$)/.exec(pathname)?.[0] ?? '';
  const path = decodeUnreserved(pathname.slice(base.length));
  const operation = name ?? `${method} ${base === '' ? '' : '/v1'}${patternOf(path, params)}`;
  const body = request.bodyUsed ? undefined : await readBody(request.clone());
  const connection = context === undefined ? callers.start() : context.connection;
  const call: ApiCall = {
    method,
    path,
    query: search.slice(1),
    baseUrl: (context?.publicUrl ?? origin) + base,
    header: (each) => headers.get(each) ?? undefined,
    headers: Object.fromEntries(headers),
    body,
    connection,
    holdsRefusals: context?.holdsRefusals,
    signal,
  };
  try {
    const cost = typeof given === 'function' ? await given(request.clone()) : given;
    const source = { by: 'handler', reads: reads ? [operation] : [], cost: checkedCost(cost, operation) } as const;
    const answer = await answerRoute(sim, call, operation, () => respond(), source);
    if (context !== undefined) {
      context.answer = answer;
      return new Response();
    }
    const { raw, status, finish } = answer;
    const isStreamed = isStream(raw) && hasResponseBody(method, status);
    const shown = isStreamed ? { ...answer, raw: recordedStream(raw, finish) } : answer;
    return await toResponse(shown, { method, signal }, sim.clock);
  } catch (error) {
    if (isEnded(error, signal)) return Response.error();
    throw error;
  } finally {
    if (context === undefined) callers.end(connection);
  }
}

/** @throws {RangeError} for a cost that is no whole number */
function checkedCost(cost: number | undefined, operation: string): number | undefined {
  if (cost === undefined || (Number.isInteger(cost) && cost >= 0 && cost <= maximumCost)) return cost;
  throw new RangeError(`expected the cost of ${operation} to be a whole number from 0, got ${JSON.stringify(cost)}`);
}

/** Whether an error needs no response, because the client disconnected or the simulator was reset. */
export const isEnded = (error: unknown, signal: AbortSignal | undefined): boolean =>
  // The error class is compared by name, because `import` and `require` may load two copies of the class.
  signal?.aborted === true || (error instanceof Error && error.name === 'ResetError');

/** Source of a custom route's response. */
interface RouteSource {
  readonly by: 'backend' | 'handler';
  /** Whether the user's backend does not receive the client's credential. */
  readonly withholdsKey?: boolean;
  readonly reads: Reads;
  /** Number of requests as which the request counts. Default: 1. */
  readonly cost?: number | undefined;
}

/** Facts about a request that decide how the response of its custom route is read. */
interface RouteRead extends Pick<RouteSource, 'by'> {
  readonly isKeyWithheld: boolean;
  /** Whether limits of the simulator apply to the request. */
  readonly isLimited: boolean;
  /** Responses that are read to their end before they are sent, instead of streamed. */
  readonly whole: 'all' | 'json' | undefined;
}

/**
 * Responds to an API call with the result of `respond`, a function for the user's own route or backend.
 * @param respond receives a signal that is aborted after 30 s
 */
export async function answerRoute(
  sim: Simulator,
  call: ApiCall,
  operation: string,
  respond: (signal: AbortSignal) => Response | Promise<Response>,
  source: RouteSource,
): Promise<Answer> {
  const { routes, state } = coreOf(sim);
  const names = [operation, `${call.method} ${call.path}`];
  const isWrite = writes(call.method, names, source.reads, () => new TextDecoder().decode(call.body));
  const isKeyWithheld = source.withholdsKey === true && hasCredential(state, call);
  const start: Route['start'] = (id, whole, isLimited) => {
    const late = new AbortController();
    const timer = startTimer(() => {
      routes.finish(id, errorOutcome(noResponse(operation), sim.settings));
      late.abort();
    }, maximumMs);
    const read = { by: source.by, isKeyWithheld, isLimited, whole };
    outcomeOf(sim, operation, () => respond(late.signal), read).then((outcome) => {
      stopTimer(timer);
      const storedId = isWrite && storedBy(call.method, outcome) ? storedIn(outcome) : undefined;
      routes.finish(id, { ...outcome, storedId });
    });
  };
  return routes.handle({ ...call, route: { operation, isWrite, cost: source.cost, start } });
}

async function outcomeOf(sim: Simulator, operation: string, run: () => unknown, read: RouteRead): Promise<Outcome> {
  const { onError } = coreOf(sim).routes;
  try {
    const given = await Promise.resolve()
      .then(run)
      .catch((thrown) => {
        // Treats a thrown `Response` as a returned one, because an msw resolver may do either.
        if (thrown instanceof Response) return thrown;
        throw thrown;
      });
    if (given instanceof Response) return await readResponse(given, read, onError);
    throw new TypeError(`expected the function of ${operation} to return a Response, got ${kindOf(given)}`);
  } catch (error) {
    const refusal = error instanceof ApiError ? errorOutcome(error, sim.settings) : sim.clientError(error);
    if (refusal !== undefined) return refusal;
    onError(error);
    return errorOutcome(routeFailed, sim.settings);
  }
}

const routeFailed = new ApiError(500, 'internal_error', 'The function of this route failed; the log has its error.');

const noResponse = (operation: string) =>
  new ApiError(504, 'gateway_timeout', `The route ${operation} did not respond within ${maximumMs / 1_000} s.`);

function kindOf(value: unknown): string {
  return value === null || value === undefined ? String(value) : `a value of type ${typeof value}`;
}

/** Replaces the values of path parameters by their names: `/pets/7` becomes `/pets/{petId}`. */
function patternOf(path: string, params: RouteOptions['params'] & {}): string {
  const segments = path.split('/');
  // Finds the segment of a path parameter from the end of the path, because in `/pets/pets` the later segment is more
  // likely the parameter's value.
  for (const [name, value] of Object.entries(params).reverse()) {
    // Ignores a parameter with a numeric name, because it is a wildcard `*` of an msw path without a parameter name.
    if (/^\d+$/.test(name)) continue;
    const index = segments.findLastIndex((segment) => decoded(segment) === value);
    if (index >= 0) segments[index] = `{${name}}`;
  }
  return segments.join('/');
}

/**
 * Whether a repeated request would create a second resource. PUT and DELETE are idempotent (RFC 9110 section 9.2.2).
 */
const storedBy = (method: string, { status }: Outcome) =>
  (method === 'POST' || method === 'PATCH') && status >= 200 && status < 300;

/**
 * Identifies the stored resource in a response: by its id, otherwise by a hash of a body with values of its own. Empty if
 * the response would be the same for every resource, such as `{"ok":true}`.
 */
function storedIn(outcome: Outcome): string {
  const id = idIn(outcome);
  if (id !== undefined) return id;
  return ownValue.test(outcome.body) ? unnamedStored(outcome.body) : '';
}

/** A number or a part of a text with four digits, which two resources hardly share. */
const ownValue = /(?:\d[a-z-]*){4}/i;

/** Reads the field `id` of a JSON response body, or the `Location` of a 201, as text. */
const idIn = ({ status, headers, body }: Outcome): string | undefined =>
  (rpcResponse.test(body) ? undefined : idField.exec(body)?.slice(1).find(Boolean)) ??
  ((status === 201 && headers?.Location) || undefined);

const idField = /^\s*\{[^{}]*?"id"\s*:\s*(?:"([^"]*)"|(\d+))/;

/** A JSON-RPC response, whose `id` is that of the request. */
const rpcResponse = /^\s*\{(?:[^{}]*,)?\s*"jsonrpc"\s*:/;

/** Response headers that a custom route cannot set, because the connection sets them. */
const notOfRoutes = /^(?:content-length|transfer-encoding|connection)$/;
/** Response headers that a custom route can set only if its response has limits of its own. */
const ofLimits = /^(?:x-ratelimit-.*|date)$/;

/** Whether a response has headers of a limit. */
const hasLimitHeaders = (headers: Headers) => hasName(headers, /^(?:x-)?rate-?limit(?:-|$)/);

/** Whether a response asks for a wait explicitly. The judge reads the wait. */
const asksToWait = (headers: Headers) => hasName(headers, /^(?:x-)?(?:ms-)?retry-after(?:-ms)?$/);

/** A wait in the JSON body of an error, at the places where the judge reads it. */
const waitInBody =
  /^\s*\{(?:[^{}]*"(?:error|parameters)"\s*:\s*\{)?[^{}]*"retry_?after(?:_?ms)?"\s*:\s*["\d]|"retryDelay"\s*:\s*"/i;

const hasName = (headers: Headers, pattern: RegExp) => [...headers.keys()].some((name) => pattern.test(name));

/**
 * Decides who refused a request that the simulator accepted, and whether the response's limit headers are its own. A
 * refusal has only the headers of its sender, because a 429 with requests left would contradict itself. Without limits
 * of the simulator, the same holds for each response of a backend, and for a handler's with limit headers.
 */
function limitsOf({ status, headers }: Response, { by, isKeyWithheld, isLimited }: RouteRead) {
  const isRefused = status === 429 || (status >= 400 && asksToWait(headers));
  if (isRefused) return { refusedBy: by, hasOwnLimits: true };
  return {
    refusedBy: status === 401 && isKeyWithheld ? ('backend-without-key' as const) : undefined,
    hasOwnLimits: !isLimited && (by === 'backend' || hasLimitHeaders(headers)),
  };
}

/** Reads a custom route's response. A long or pausing body is streamed, unless a fault rule or the cost needs the whole body. */
async function readResponse(response: Response, read: RouteRead, onError: (error: unknown) => void): Promise<Outcome> {
  const { status, body, type } = response;
  if (type === 'error') return { status: 0, body: '', wire: { kind: 'reset' } };
  if (response.bodyUsed) throw new TypeError('expected a response whose body is unread');
  const limits = limitsOf(response, read);
  const headers = headersOf(response.headers, limits.hasOwnLimits);
  const isJson = /[/+]json\b/i.test(response.headers.get('content-type') ?? '');
  const isWhole = read.whole === 'all' || (read.whole === 'json' && isJson);
  const start = { status, headers, ...limits, body: '' };
  if (body === null) return start;
  const reader = body.getReader();
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  let reading = readChunk(reader);
  try {
    for (;;) {
      const chunk = isWhole ? await reading : await Promise.race([reading, paused()]);
      if (chunk === undefined) break;
      if (chunk !== 'paused') {
        chunks.push(chunk);
        bytes += chunk.length;
        if (isWhole && bytes > maximumWholeBytes) {
          void reader.cancel().catch(() => {});
          throw new RangeError(
            `expected a body of at most ${maximumWholeBytes} bytes under a fault rule or a cost in the body, got a longer one`,
          );
        }
        reading = readChunk(reader);
      }
      if (chunk === 'paused' || (!isWhole && bytes > maximumBytes))
        return { ...start, raw: streamOf(chunks, reading, reader, onError) };
    }
  } catch (error) {
    if (error instanceof RangeError) throw error;
    onError(error);
    const sent = concatenate(chunks, bytes);
    // The declared Content-Length exceeds the body, so that the client detects the interrupted response.
    return { ...start, raw: sent, wire: { kind: 'contentLength', value: bytes + 1 } };
  }
  const raw = concatenate(chunks, bytes);
  const text = toJsonBytes(raw);
  if (status >= 400 && typeof text === 'string' && waitInBody.test(text))
    return { ...start, headers: headersOf(response.headers, true), hasOwnLimits: true, refusedBy: read.by, body: text };
  return typeof text === 'string' ? { ...start, body: text } : { ...start, raw };
}

type Reader = ReadableStreamDefaultReader<Uint8Array>;

/** Reads the next chunk of a response body; `undefined` at the end. */
export async function readChunk(reader: Reader): Promise<Uint8Array | undefined> {
  const { done, value } = await reader.read();
  if (done) return undefined;
  if (value instanceof Uint8Array) return value;
  // A VM context, such as that of a test runner, has its own class, and gets chunks of the other one from `Response`.
  if (Object.prototype.toString.call(value) === '[object Uint8Array]') return new Uint8Array(value);
  throw new TypeError('expected the chunks of a body to be bytes');
}

const paused = () => new Promise<'paused'>((resolve) => void startTimer(() => resolve('paused'), pauseMs));

/** Streams a response body: first the chunks already read, then the remaining chunks. */
function streamOf(
  read: readonly Uint8Array[],
  first: Promise<Uint8Array | undefined>,
  reader: Reader,
  onError: (error: unknown) => void,
): ReadableStream<Uint8Array> {
  const chunks = [...read];
  let reading: Promise<Uint8Array | undefined> | undefined = first;
  first.catch(() => {});
  return new ReadableStream(
    {
      async pull(controller) {
        const known = chunks.shift();
        if (known !== undefined) return controller.enqueue(known);
        try {
          const chunk = await (reading ?? readChunk(reader));
          reading = undefined;
          if (chunk === undefined) controller.close();
          else controller.enqueue(chunk);
        } catch (error) {
          onError(error);
          controller.error(error);
        }
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}

/** Converts a custom route's response headers to the API's spelling, without the headers that a route cannot set. */
function headersOf(given: Headers, hasOwnLimits: boolean): Record<string, string | null> {
  const headers: Record<string, string | null> = { 'Content-Type': null };
  for (const [name, value] of given) {
    if (notOfRoutes.test(name) || (!hasOwnLimits && ofLimits.test(name))) continue;
    const spelled = spelledHeader(name);
    const before = name === 'set-cookie' ? headers[spelled] : undefined;
    headers[spelled] = before ? `${before}\n${value}` : value;
  }
  return headers;
}

/** Copies a response stream to the client. At the end, calls `finish` with the first bytes, for the journal. */
export function recordedStream(
  stream: ReadableStream<Uint8Array>,
  finish: Answer['finish'],
): ReadableStream<Uint8Array> {
  const reader = stream.getReader();
  const start: Uint8Array[] = [];
  let bytes = 0;
  const end = (isWhole: boolean) => finish?.(isWhole, toJsonBytes(concatenate(start, bytes)));
  return new ReadableStream(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          if (done) {
            controller.close();
            end(true);
            return;
          }
          controller.enqueue(value);
          if (bytes > maximumBodyBytes) return;
          start.push(value);
          bytes += value.length;
        } catch (error) {
          end(false);
          controller.error(error);
        }
      },
      cancel(reason) {
        end(false);
        return reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
}

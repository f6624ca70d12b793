import type { UnrecordedCounter } from '../journal/unrecorded.js';
import type { ApiCall, ApiHandler } from '../requests/api-call.js';
import { errorBody, maximumBodyBytes } from '../requests/api-error.js';
import { reasonPhrase } from '../requests/reason-phrase.js';
import { concatenate } from '../values/concatenate.js';
import { decodeUnreserved } from '../values/percent-encoding.js';
import { addressPattern } from './address-pattern.js';
import { toResponse } from './to-response.js';

/** Simulator that responds to requests, with a counter for requests to addresses outside the API. */
type Served = ApiHandler & {
  readonly unrecorded?: UnrecordedCounter;
  readonly [callersKey]?: Callers;
  readonly [ownHandlersKey]?: () => readonly OwnHandler[];
};

/** Allocates numbers for connections. Reuses the number that was freed last. */
export function createConnections() {
  const free: number[] = [];
  let last = 0;
  return {
    take: (): number => free.pop() ?? ++last,
    free: (connection: number): void => void free.push(connection),
  };
}

/**
 * Creates an allocator of numbers by which the judge distinguishes concurrent requests in one process. A request that
 * starts while no other request runs gets no number.
 */
export function createCallers() {
  const { take, free } = createConnections();
  let inFlight = 0;
  return {
    start: (): number | undefined => (inFlight++ === 0 ? undefined : take()),
    end(caller: number | undefined): void {
      inFlight--;
      if (caller !== undefined) free(caller);
    },
  };
}

type Callers = ReturnType<typeof createCallers>;

/**
 * Symbol of the simulator property that assigns numbers to concurrent callers in the same process. The judge
 * distinguishes callers by number. All in-process adapters (`fetch` and msw) of a simulator use the same property.
 */
export const callersKey = Symbol.for('petstore-sim callers');

export const callersOf = (sim: ApiHandler): Callers => (sim as Served)[callersKey] ?? createCallers();

/**
 * Creates a function that responds to a `Request`. Responds with the API's 404 if `pattern` does not match, and with
 * `Response.error()` if a fault cuts the connection.
 */
export function createAnswerRequest(sim: Served, pattern: RegExp): (request: Request) => Promise<Response> {
  const callers = callersOf(sim);
  return async (request) => {
    const connection = callers.start();
    try {
      return await answerRequest(sim, pattern, request, connection);
    } finally {
      callers.end(connection);
    }
  };
}

async function answerRequest(
  { handle, clock, unrecorded, basePaths: [main, ...others] }: Served,
  pattern: RegExp,
  request: Request,
  connection: number | undefined,
): Promise<Response> {
  const baseUrl = pattern.exec(request.url)?.[0];
  if (baseUrl === undefined) {
    const { method, url, headers } = request;
    const { pathname, search } = new URL(url);
    const header = (name: string) => headers.get(name) ?? undefined;
    unrecorded?.recordOutside(method, pathname, main, { header, query: search.slice(1) });
    return Response.json(JSON.parse(nothingHere(main)), { status: 404, statusText: reasonPhrase(404) });
  }
  const [address = ''] = request.url.slice(baseUrl.length).split('#', 1);
  const [path = '', ...query] = address.split('?');
  const body = await readBody(request);
  request.signal.throwIfAborted();
  const call: ApiCall = {
    method: request.method,
    path: decodeUnreserved(path),
    query: query.join('?'),
    baseUrl,
    basePath: others.find((each) => baseUrl.endsWith(each)),
    header: (name) => request.headers.get(name) ?? undefined,
    headers: Object.fromEntries(request.headers),
    body,
    connection,
    signal: request.signal,
  };
  try {
    return await toResponse(await handle(call), request, clock);
  } catch (error) {
    request.signal.throwIfAborted();
    // Compares the name of `ResetError`, because the class exists twice if a program uses both `import` and `require`.
    if (error instanceof Error && error.name === 'ResetError') return Response.error();
    throw error;
  }
}

/** Reads a request body, and at most one chunk beyond `maximumBodyBytes`. Stops if the client aborts the request. */
export async function readBody(request: Request): Promise<Uint8Array | undefined> {
  const { body, signal } = request;
  if (body === null) return undefined;
  // Firefox has no `request.body`, so the whole body is read at once.
  if (body === undefined) return new Uint8Array(await request.arrayBuffer());
  const reader = body.getReader();
  const stop = () => void reader.cancel().catch(() => {});
  signal.addEventListener('abort', stop);
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  while (bytes <= maximumBodyBytes) {
    const { value } = await reader.read();
    if (value === undefined) break;
    chunks.push(value);
    bytes += value.length;
  }
  signal.removeEventListener('abort', stop);
  if (bytes > maximumBodyBytes) stop();
  return concatenate(chunks, bytes);
}

/** The fields of an msw request handler that the simulator uses. Declared here because msw is an optional package. */
export interface OwnHandler {
  readonly info: object;
  run(args: never): Promise<unknown>;
}

/** Symbol of the simulator property through which `fetch` and the msw integration find the user's own msw handlers. */
export const ownHandlersKey = Symbol.for('petstore-sim own handlers');

/**
 * Returns the msw request handlers that the user added to a simulator. A reset of the simulator creates these handlers
 * again.
 */
export const ownHandlersOf = (sim: ApiHandler): readonly OwnHandler[] => (sim as Served)[ownHandlersKey]?.() ?? [];

/**
 * Runs the user's msw handlers. Returns the first response; `undefined` if no handler responds, so that the API does.
 */
async function runOwnHandlers(sim: ApiHandler, request: Request): Promise<Response | undefined> {
  for (const handler of ownHandlersOf(sim)) {
    const args = {
      request: request.clone(),
      requestId: crypto.randomUUID(),
      resolutionContext: { baseUrl: new URL(request.url).origin },
    };
    const result = (await handler.run(args as never)) as { response?: Response } | null;
    if (result?.response !== undefined) return result.response;
  }
  return undefined;
}

/** Creates a `fetch` function that the simulator serves in the same process. The origin of the URL is ignored. */
export function createFetch(sim: Served): typeof fetch {
  const answer = createAnswerRequest(sim, addressPattern(sim.basePaths));
  return async (input, init) => {
    // `Request` in Node requires an absolute URL. Any origin will do.
    const isPath = typeof input === 'string' && input.startsWith('/');
    const request = new Request(isPath ? `http://localhost${input}` : input, init);
    request.signal.throwIfAborted();
    const own = ownHandlersOf(sim).length > 0 ? await runOwnHandlers(sim, request) : undefined;
    const response = own ?? (await answer(request));
    if (response.type === 'error') throw new TypeError('Failed to fetch');
    return asFetched(response, request.url.replace(/#.*/, ''));
  };
}

/** Sets the fields of a response, and of its clones, that only the host's own `fetch` can set. */
function asFetched(response: Response, url: string): Response {
  const { clone } = response;
  const fields = { url, type: 'basic', clone: () => asFetched(clone.call(response), url) };
  for (const [name, value] of Object.entries(fields))
    Object.defineProperty(response, name, { value, configurable: true });
  return response;
}

/** Response body for a URL outside the API. @param basePath base path of the main service */
export const nothingHere = (basePath: string) =>
  errorBody({
    status: 404,
    code: 'not_found',
    message: `There is nothing at this address; the API is under ${basePath}.`,
  });

import { errorBody } from '../contract/api-error.js';
import { basePath } from '../contract/document.js';
import { maximumBodyBytes } from '../contract/settings.js';
import { decodeUnreserved } from '../values/percent-encoding.js';
import type { ApiCall, ApiHandler } from './api-call.js';
import { toResponse } from './to-response.js';

/**
 * A pattern for the addresses under one or several base URLs; what it matches is the base URL.
 * @param baseUrl default: `/v1` of any origin
 * @throws {TypeError} when a base URL is not an absolute http or https address
 */
export function addressPattern(baseUrl?: string | readonly string[]): RegExp {
  // Where one base URL is the start of another, the longer one must match first.
  const bases = baseUrl === undefined ? [] : [baseUrl].flat().map(readBaseUrl);
  const escaped = bases.sort((a, b) => b.length - a.length).map((base) => base.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  if (baseUrl !== undefined && escaped.length === 0) throw badBaseUrl('an empty list');
  const alternatives = baseUrl === undefined ? `https?://[^/?#]+${basePath}` : escaped.join('|');
  return new RegExp(`^(?:${alternatives})(?=[/?#]|$)`);
}

/** A base URL in the form in which `request.url` begins with it, without a slash at the end. */
function readBaseUrl(text: string): string {
  if (!URL.canParse(text)) throw badBaseUrl(JSON.stringify(text));
  const { protocol, origin, pathname, search, hash, username, password } = new URL(text);
  const isHttp = protocol === 'http:' || protocol === 'https:';
  const isBare = search + hash + username + password === '' && !pathname.includes('*');
  if (!isHttp || !isBare) throw badBaseUrl(JSON.stringify(text));
  return origin + pathname.replace(/\/+$/, '');
}

const badBaseUrl = (got: string) =>
  new TypeError(
    `Failed to read the base URL: expected an address such as "https://api.example.com${basePath}", got ${got}`,
  );

/** Gives numbers to connections: the number that was freed last, else a new one. */
export function createConnections() {
  const free: number[] = [];
  let last = 0;
  return {
    take: (): number => free.pop() ?? ++last,
    free: (connection: number): void => void free.push(connection),
  };
}

/**
 * Makes a function that answers a `Request`. Addresses that `pattern` does not match get a 404 in the form of the API. A
 * connection that a fault cuts is `Response.error()`. Requests are numbered as if they came on HTTP/1.1 connections, so
 * that the judge knows which one was sent after the answer to another: one that starts before the answer to another
 * cannot share its connection, one that starts after it does.
 */
export function createAnswerRequest(sim: ApiHandler, pattern: RegExp): (request: Request) => Promise<Response> {
  const connections = createConnections();
  return async (request) => {
    const connection = connections.take();
    try {
      return await answerRequest(sim, pattern, request, connection);
    } finally {
      connections.free(connection);
    }
  };
}

async function answerRequest(
  { handle, clock }: ApiHandler,
  pattern: RegExp,
  request: Request,
  connection: number,
): Promise<Response> {
  const baseUrl = pattern.exec(request.url)?.[0];
  if (baseUrl === undefined) {
    return Response.json(JSON.parse(nothingHere), { status: 404 });
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
    header: (name) => request.headers.get(name) ?? undefined,
    body,
    connection,
    signal: request.signal,
  };
  try {
    return await toResponse(await handle(call), request, clock);
  } catch (error) {
    request.signal.throwIfAborted();
    // By name, because a program may have loaded the package as an ES module and by `require`, each with this class.
    if (error instanceof Error && error.name === 'ResetError') return Response.error();
    throw error;
  }
}

/** Reads a body, at most one chunk past `maximumBodyBytes`, and no further once the request is aborted. */
async function readBody(request: Request): Promise<Uint8Array | undefined> {
  const { body, signal } = request;
  if (body === null) return undefined;
  // Firefox has no `request.body`.
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

function concatenate([first = new Uint8Array(), ...more]: Uint8Array[], bytes: number): Uint8Array {
  if (more.length === 0) return first;
  const whole = new Uint8Array(bytes);
  let at = 0;
  for (const chunk of [first, ...more]) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}

/** The simulator as a `fetch` function, for any origin. */
export function createFetch(sim: ApiHandler): typeof fetch {
  const answer = createAnswerRequest(sim, addressPattern());
  return async (input, init) => {
    const request = new Request(input, init);
    request.signal.throwIfAborted();
    const response = await answer(request);
    if (response.type === 'error') throw new TypeError('Failed to fetch');
    return response;
  };
}

/** The answer outside the API. */
export const nothingHere = errorBody({
  status: 404,
  code: 'not_found',
  message: `There is nothing at this address; the API is under ${basePath}.`,
});

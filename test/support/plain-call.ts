import type { Answer, Simulator } from '../../src/entries/index.js';
import type { ApiCall } from '../../src/requests/api-call.js';

export interface PlainCall {
  /** The API key; `null` sends no Authorization header. Default `free-key`. */
  key?: string | null;
  /** Default GET, or POST with a body. */
  method?: string;
  /** Default `/pets`. */
  path?: string;
  query?: string;
  /** Sent unchanged if text or bytes, otherwise as JSON. */
  body?: unknown;
  headers?: Record<string, string>;
  /** Number of the connection. Default: unknown. */
  connection?: number | undefined;
  signal?: AbortSignal | undefined;
}

/** A call as an adapter makes it. */
export function apiCall({ key = 'free-key', path = '/pets', query = '', ...call }: PlainCall = {}): ApiCall {
  const headers: Record<string, string> = { 'content-type': 'application/json', ...call.headers };
  if (key !== null) headers.authorization ??= `Bearer ${key}`;
  const body = bytes(call.body);
  return {
    method: call.method ?? (body === undefined ? 'GET' : 'POST'),
    path,
    query,
    baseUrl: 'http://petstore.test/v1',
    header: (name) => headers[name],
    headers,
    body,
    connection: call.connection,
    signal: call.signal,
  };
}

/** Sends one call directly to the core, without an adapter. */
export function send(sim: Simulator, call?: PlainCall): Answer {
  const answer = sim.handle(apiCall(call));
  if (answer instanceof Promise) throw new Error('A fault delays this call; send it through an adapter.');
  return answer;
}

/** Sends the same call several times at the same instant. */
export function sendTimes(sim: Simulator, times: number, call: PlainCall = {}): Answer[] {
  return Array.from({ length: times }, () => send(sim, call));
}

/** Numbers in the rate-limit headers of a response. */
export function rate({ headers }: Answer) {
  const number = (name: string) => (headers[name] === undefined ? undefined : Number(headers[name]));
  return {
    limit: number('X-RateLimit-Limit'),
    remaining: number('X-RateLimit-Remaining'),
    reset: number('X-RateLimit-Reset'),
    retryAfter: number('Retry-After'),
  };
}

export const code = (answer: Answer): string => JSON.parse(answer.body).code;
export const message = (answer: Answer): string => JSON.parse(answer.body).message;

function bytes(body: unknown): Uint8Array | undefined {
  if (body === undefined || body instanceof Uint8Array) return body;
  return new TextEncoder().encode(typeof body === 'string' ? body : JSON.stringify(body));
}

import type { Answer, ApiCall } from './api-call.js';
import { basePath } from './interface/contract.js';
import { errorBody } from './interface/errors.js';

/**
 * A pattern for the addresses under one or several base URLs; what it matches is the base URL.
 * @param baseUrl default: `/v1` of any origin
 */
export function addressPattern(baseUrl?: string | readonly string[]): RegExp {
  const bases = baseUrl === undefined ? [] : [baseUrl].flat();
  const escaped = bases.map((base) => new URL(base).href.replace(/\/+$/, '').replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  const alternatives = escaped.length > 0 ? escaped.join('|') : `https?://[^/?#]+${basePath}`;
  return new RegExp(`^(?:${alternatives})(?=[/?#]|$)`);
}

/** Answers a `Request` under the addresses of `pattern`; outside of them with the API's own kind of 404. */
export async function answerRequest(
  handle: (call: ApiCall) => Answer,
  pattern: RegExp,
  request: Request,
): Promise<Response> {
  const baseUrl = pattern.exec(request.url)?.[0];
  if (baseUrl === undefined) {
    return Response.json(JSON.parse(nothingHere), { status: 404 });
  }
  const [address = ''] = request.url.slice(baseUrl.length).split('#', 1);
  const [path = '', ...query] = address.split('?');
  const body = request.body === null ? undefined : new Uint8Array(await request.arrayBuffer());
  request.signal.throwIfAborted();
  const answer = handle({
    method: request.method,
    path,
    query: query.join('?'),
    baseUrl,
    header: (name) => request.headers.get(name) ?? undefined,
    body,
  });
  const { status, headers } = answer;
  return new Response(request.method === 'HEAD' ? null : answer.body, { status, headers });
}

/** The simulator as a `fetch` function, for any origin. */
export function fetchDoor(handle: (call: ApiCall) => Answer): typeof fetch {
  const pattern = addressPattern();
  return async (input, init) => {
    const request = new Request(input, init);
    request.signal.throwIfAborted();
    return answerRequest(handle, pattern, request);
  };
}

/** The answer outside the API. */
export const nothingHere = errorBody({
  status: 404,
  code: 'not_found',
  message: `There is nothing at this address; the API is under ${basePath}.`,
});

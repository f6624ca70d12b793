import type { RequestRecord } from '../requests/request-record.js';

/** What a recording does not hold of a request, so that nothing can be said that rests on it. */
export type Missing = 'key' | 'timings' | 'date' | 'request body' | 'answer body' | 'answer headers';

/**
 * One request and its answer as anybody on the wire could see them: an entry of a recording, or a question that was put to
 * a service. `token` is a name such as `key-1`, never the key itself; `headers` are those of the answer that tell
 * something, by their usual spelling.
 */
export interface Exchange extends RequestRecord {
  /** The headers of the request that decide an answer, by their lower-case names: Content-Type and Origin. */
  readonly requestHeaders: Readonly<Record<string, string>>;
  /** Of an answer with the header `Date`: its instant, in whole seconds of the service's clock. */
  readonly dateMs: number | undefined;
  readonly missing: readonly Missing[];
  /** Whether the simulator wrote the recording, with what it knew of the request. */
  readonly isOwn: boolean;
  /** The question that it was, where it was one of ours. */
  readonly question?: string | undefined;
}

/** `#12 GET /pets?limit=0`. */
export const placeOf = ({ id, method, path, query }: Exchange) => `#${id} ${method} ${path}${query && `?${query}`}`;

/** Whether the client went away before there was an answer, so that nobody knows what it would have been. */
export const isGivenUp = ({ status, isAbandoned }: Exchange) => status === 0 && isAbandoned;

/** The headers of answers that tell something. Others are not kept, because some hold secrets. */
const answerHeaders = [
  'Date',
  'Retry-After',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'RateLimit',
  'RateLimit-Policy',
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
  'Content-Type',
  'Content-Length',
  'Cache-Control',
  'Age',
  'Link',
  'Allow',
  'Deprecation',
  'Sunset',
  'WWW-Authenticate',
  'Access-Control-Allow-Origin',
  'Access-Control-Expose-Headers',
];
const usual = new Map(answerHeaders.map((name) => [name.toLowerCase(), name]));

/** The headers of an answer that tell something, whatever their case; repeated ones joined as RFC 9110 section 5.3 says. */
export function tellingHeaders(pairs: Iterable<readonly [name: string, value: string]>): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, value] of pairs) {
    const known = usual.get(name.toLowerCase());
    if (known === undefined) continue;
    headers[known] = headers[known] === undefined ? value : `${headers[known]}, ${value}`;
  }
  return headers;
}

/** The instant of the header `Date`; `undefined` where it is missing or cannot be read. */
export function readDate({ Date: text }: Readonly<Record<string, string>>): number | undefined {
  const ms = text === undefined ? Number.NaN : Date.parse(text);
  return Number.isNaN(ms) ? undefined : ms;
}

import type { RequestRecord } from '../requests/request-record.js';

/** A part of a request that the recording omits. Conclusions that need this part are impossible. */
export type Missing = 'key' | 'timings' | 'date' | 'request body' | 'answer body' | 'answer headers';

/**
 * A request and its response as observed on the wire, from a recording or from a calibration. `token` is a name such as
 * `key-1`, never the key. `headers` contains the relevant response headers in their usual spelling.
 */
export interface Exchange extends RequestRecord {
  /** Relevant request headers by lower-case name: Content-Type and Origin. */
  readonly requestHeaders: Readonly<Record<string, string>>;
  /** Value of the response header `Date`, in Unix milliseconds (whole seconds of the service's clock). */
  readonly dateMs: number | undefined;
  readonly missing: readonly Missing[];
  /** Whether the simulator wrote the recording, with its internal knowledge of the request. */
  readonly isOwn: boolean;
  /** The calibration question behind this request, if any. */
  readonly question?: string | undefined;
}

/** Describes an exchange in a message: `#12 GET /pets?limit=0`. */
export const placeOf = ({ id, method, path, query }: Exchange) => `#${id} ${method} ${path}${query && `?${query}`}`;

/** Whether the client disconnected before the response, so that the response is unknown. */
export const isGivenUp = ({ status, isAbandoned }: Exchange) => status === 0 && isAbandoned;

/** Relevant response headers. Others are not stored, because some contain secrets. */
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

/** Selects the relevant response headers, in any case. Joins repeated headers (RFC 9110 section 5.3). */
export function relevantHeaders(pairs: Iterable<readonly [name: string, value: string]>): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, value] of pairs) {
    const known = usual.get(name.toLowerCase());
    if (known === undefined) continue;
    headers[known] = headers[known] === undefined ? value : `${headers[known]}, ${value}`;
  }
  return headers;
}

/** Time of the `Date` header, in Unix milliseconds; `undefined` if missing or unreadable. */
export function readDate({ Date: text }: Readonly<Record<string, string>>): number | undefined {
  const ms = text === undefined ? Number.NaN : Date.parse(text);
  return Number.isNaN(ms) ? undefined : ms;
}

import type { RecordedHeaders } from '../requests/recorded-headers.js';
import type { RequestRecord } from '../requests/request-record.js';
import { parseHttpDate } from '../values/http-date.js';
import { requestTarget } from '../values/request-target.js';
import { singleValue } from '../values/single-value.js';
import { spelledHeader } from '../values/spelled-header.js';
import { statesWait } from '../values/told-waits.js';

/**
 * Part of a request or response that a recording does not contain. The judge then omits checks that need this part.
 * `milliseconds` is missing if all times of the file are whole seconds or another multiple of 10 ms. `readable headers`
 * are missing if a web page could not read when it may retry, although the recording contains the header. `distinct
 * writes` are missing if a write without a recorded body may be the retry of several others. A `steady clock` is missing,
 * with the timings, if the time contradicts the response's `Date`, unlike most times of the recording.
 */
export type Missing =
  | 'response'
  | 'key'
  | 'timings'
  | 'steady clock'
  | 'milliseconds'
  | 'date'
  | 'request body'
  | 'answer body'
  | 'answer headers'
  | 'readable headers'
  | 'distinct writes';

/** Facts about a recording file that only all of its entries together show. */
export interface FileFacts {
  /** Program that wrote the file, as in the HAR field `creator`, or `JSON Lines`; `undefined` if unknown. */
  readonly program: string | undefined;
  /** Whether an entry of the file has an API key. If so, an entry without a key was sent without one. */
  readonly hasKeys: boolean;
  /** Resolution of the recorded times: 1000 for whole seconds, 0 for a millisecond or better. */
  readonly clockStepMs: number;
}

/**
 * Recorded request with its response. Names such as `key-1` replace secret API keys. Response headers that petstore-sim
 * does not evaluate are dropped, because some contain secrets.
 */
export interface Exchange extends RequestRecord {
  /** Recorded request headers; empty without any. Verdict and comparison need Content-Type and Origin. */
  readonly requestHeaders: RecordedHeaders;
  /** Time in the response header `Date`, by the recorded API's clock. The header has whole seconds. */
  readonly dateMs: number | undefined;
  readonly missing: readonly Missing[];
  /** Whether the recorded times have no time zone, and no `Date` shows it. Times in responses are then not comparable. */
  readonly isClockUnknown?: boolean | undefined;
  /** Maximum difference between the clocks of the machines that recorded the files; missing if none shows. */
  readonly clockDoubtMs?: number | undefined;
  /** Whether the recording has a mask such as `***` in place of the request's key. */
  readonly isKeyMasked?: boolean | undefined;
  /** Facts about the file of the request; `undefined` for a request that petstore-sim itself observed. */
  readonly file?: FileFacts | undefined;
  /** Whether the simulator itself wrote the recording, which then also contains the simulator's internal data. */
  readonly isOwn: boolean;
  /** Question about the API's behavior that the command `calibrate` asked by this request. */
  readonly question?: string | undefined;
}

/**
 * Recorded request and response whose number and times may still change during the reading of a recording. The fields
 * are writable, because a corrected copy of each object would take time.
 */
export type PendingExchange = { -readonly [Field in keyof Exchange]: Exchange[Field] };

/** Reason why a recorded entry is no request to the service. */
export type LeftOutReason =
  | 'answered from a cache'
  | 'blocked'
  | 'offline'
  | 'without network'
  | 'answered by a service worker';

/**
 * Recorded entry that is no request to the service, such as a cached response. The client may have got its data from
 * the entry. The exchange's id is between those of the requests around it.
 */
export interface LeftOutEntry {
  readonly exchange: Exchange;
  readonly reason: LeftOutReason;
  /** Whether the entry may have been a request after all: a service worker may have forwarded it. */
  readonly mayBeRequest: boolean;
}

/** Names a recorded request in a message: `#12 GET /pets?limit=0`. */
export const placeOf = (exchange: Exchange) => `#${exchange.id} ${requestTarget(exchange)}`;

/** Whether the recorded client disconnected before it received a response. The recording then contains no response. */
export const isGivenUp = ({ status, isAbandoned }: Exchange) => status === 0 && isAbandoned;

/**
 * Response headers that are read from a recording, besides others that state a wait. The rest is dropped, because some
 * of it contains secrets.
 */
const answerHeaders = [
  'Date',
  'Retry-After',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'RateLimit-Limit',
  'RateLimit-Policy',
  'Content-Type',
  'Content-Length',
  'Cache-Control',
  'Age',
  'Link',
  'Allow',
  'Deprecation',
  'Sunset',
  'WWW-Authenticate',
  'Stripe-Should-Retry',
  'X-Should-Retry',
  'Access-Control-Allow-Origin',
  'Access-Control-Expose-Headers',
];
const usual = new Map(answerHeaders.map((name) => [name.toLowerCase(), name]));

/**
 * Selects the headers of a recorded response that petstore-sim evaluates, in any case. Joins repeated headers (RFC 9110
 * section 5.3).
 */
export function relevantHeaders(pairs: Iterable<readonly [name: string, value: string]>): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, value] of pairs) {
    const known = usual.get(name.toLowerCase()) ?? (statesWait(name, value) ? spelledHeader(name) : undefined);
    if (known === undefined) continue;
    headers[known] = headers[known] === undefined ? value : `${headers[known]}, ${value}`;
  }
  return headers;
}

/** End of a date with a time zone, in forms that only some services send. */
const zone = /(?:GMT|UTC|Z|[+-]\d{2}:?\d{2})$/i;

/**
 * Time of the `Date` header, in Unix milliseconds; `undefined` if missing or unreadable.
 * @param nowMs approximate time of the response, which decides the century of a two-digit year
 */
export function readDate({ Date: text = '' }: Readonly<Record<string, string>>, nowMs: number): number | undefined {
  const value = singleValue(text);
  const ms = parseHttpDate(value, nowMs) ?? (zone.test(value) ? Date.parse(value) : Number.NaN);
  return Number.isNaN(ms) ? undefined : ms;
}

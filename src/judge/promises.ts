import { rateLimitHeaders, retryAfterHeader } from '../rate-limits/header-names.js';
import type { RequestRecord } from '../requests/request-record.js';

type Answered = WithHeaders & Pick<RequestRecord, 'answeredAtMs'>;
type WithHeaders = Pick<RequestRecord, 'headers'>;

/** HTTP date in the only format that a server may send (RFC 9110 section 5.6.7). */
const httpDate = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/**
 * Reads the wait in Retry-After, in milliseconds: seconds or a date (RFC 9110 section 10.2.3), or decimal seconds,
 * which some services send. `undefined` if missing or unreadable.
 */
export function readRetryAfter(answer: Answered): number | undefined {
  const text = answer.headers[retryAfterHeader];
  if (text === undefined) return undefined;
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * 1000;
  return httpDate.test(text) ? Math.max(0, Date.parse(text) - answer.answeredAtMs) : undefined;
}

/** Whether Retry-After is a date, which many clients cannot parse. */
export const isRetryDate = (answer: WithHeaders) => httpDate.test(answer.headers[retryAfterHeader] ?? '');

/** Header with all limits in one structured field (draft-ietf-httpapi-ratelimit-headers, from version 7). */
const combinedHeader = 'RateLimit';

/** Whether a response has a combined `RateLimit` header, and none of the headers that state a single value each. */
const hasCombined = ({ headers }: WithHeaders): boolean =>
  headers[combinedHeader] !== undefined &&
  Object.values(rateLimitHeaders).every(
    (name) => headers[name] === undefined && headers[name.replace(/^X-/, '')] === undefined,
  );

/**
 * Reads the combined header: `"minute";r=0;t=30` from version 8, `limit=60, remaining=0, reset=30` in version 7. Of several
 * policies without remaining requests, the last to reset counts.
 */
function readCombined({ headers }: WithHeaders): { remaining: string | undefined; reset: string | undefined } {
  const text = headers[combinedHeader] ?? '';
  const numberAfter = (pattern: RegExp, part: string) => pattern.exec(part)?.[1];
  if (/^\s*limit\s*=/.test(text)) {
    return { remaining: numberAfter(/\bremaining=(\d+)/, text), reset: numberAfter(/\breset=(\d+)/, text) };
  }
  // The name of a policy is quoted, and may contain commas.
  const policies = text
    .replaceAll(/"(?:[^"\\]|\\.)*"/g, '')
    .split(',')
    .map((part) => ({ remaining: numberAfter(/;\s*r=(\d+)/, part), reset: numberAfter(/;\s*t=(\d+)/, part) }));
  const byReset = policies.toSorted((one, other) => Number(one.reset ?? 0) - Number(other.reset ?? 0));
  const exhausted = byReset.findLast(({ remaining }) => Number(remaining) === 0);
  return exhausted ?? byReset[0] ?? { remaining: undefined, reset: undefined };
}

/**
 * Name of a rate-limit header in a response: with `X-`, or without it in responses that have no header with `X-`
 * (draft-ietf-httpapi-ratelimit-headers, up to version 6).
 */
const limitHeaderOf = ({ headers }: WithHeaders, name: string): string =>
  Object.values(rateLimitHeaders).some((each) => headers[each] !== undefined) ? name : name.replace(/^X-/, '');

/** Name of the header with the reset time: X-RateLimit-Reset, or RateLimit-Reset or RateLimit of other services. */
export const resetHeaderOf = (answer: WithHeaders): string => {
  if (hasCombined(answer)) return combinedHeader;
  const name = limitHeaderOf(answer, rateLimitHeaders.reset);
  return answer.headers[name] === undefined ? rateLimitHeaders.reset : name;
};

/** Reset time as sent, in the header that states it. */
const resetIn = (answer: WithHeaders): string =>
  (hasCombined(answer) ? readCombined(answer).reset : answer.headers[resetHeaderOf(answer)]) ?? '';

/** Number of remaining requests, as sent: X-RateLimit-Remaining, or RateLimit-Remaining or RateLimit of other services. */
export const remainingIn = (answer: WithHeaders): string | undefined =>
  hasCombined(answer)
    ? readCombined(answer).remaining
    : answer.headers[limitHeaderOf(answer, rateLimitHeaders.remaining)];

/** Date and time with a time zone (RFC 3339 section 5.6): `2026-01-01T12:00:00Z`. */
const internetDate = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})$/i;

/**
 * Reads the reset time, in Unix milliseconds; `undefined` if missing or unclear. Some services send remaining seconds,
 * Unix milliseconds or RFC 3339 instead of Unix seconds; the size of a number shows its unit.
 */
export function readReset(answer: Answered): number | undefined {
  const text = resetIn(answer);
  const unit = unitOfReset(text);
  if (unit === undefined) return undefined;
  if (unit === 'RFC 3339') {
    const ms = Date.parse(text);
    return Number.isNaN(ms) ? undefined : ms;
  }
  const value = Number(text);
  if (unit === 'Unix milliseconds') return value;
  return unit === 'remaining seconds' ? answer.answeredAtMs + value * 1000 : value * 1000;
}

/**
 * Maximum value of X-RateLimit-Reset that is read as remaining seconds: 31 days. Between this and a Unix time, the unit
 * is unclear.
 */
const maximumRemainingSeconds = 31 * 86_400;

function unitOfReset(text: string) {
  if (internetDate.test(text)) return 'RFC 3339';
  if (!/^\d+(?:\.\d+)?$/.test(text)) return undefined;
  const value = Number(text);
  if (value > 1e11) return 'Unix milliseconds';
  if (value >= 1e8) return 'Unix seconds';
  return value <= maximumRemainingSeconds ? 'remaining seconds' : undefined;
}

/** Formats a reset time as sent, with its unit: `10, remaining seconds`. */
export function describeReset(answer: WithHeaders): string {
  const text = resetIn(answer);
  return `${text}, ${unitOfReset(text)}`;
}

/** Times in a response before which the client must not retry. */
interface Promises {
  /** Wait in Retry-After, in milliseconds; `undefined` if the header is missing or unreadable. */
  retryAfterMs: number | undefined;
  /**
   * Reset time of a refusal, in Unix milliseconds. `undefined` if missing, or if it is in the past and the response has
   * a Retry-After.
   */
  resetMs: number | undefined;
  /** Earliest time for a retry, in Unix milliseconds; `undefined` if the response names no time. */
  deadlineMs: number | undefined;
}

export const noPromises: Promises = { deadlineMs: undefined, retryAfterMs: undefined, resetMs: undefined };

/**
 * Reads Retry-After and X-RateLimit-Reset of a response. The earlier time counts, except a Reset in the past if
 * Retry-After exists.
 */
export function promisesOf(
  answer: Answered & Pick<RequestRecord, 'status' | 'arrivedAtMs'>,
  isRefused: boolean,
): Promises {
  // A 503 names a wait in Retry-After, too. The reset time of a 503 is ignored, because it is about the rate limit.
  if (!isRefused && answer.status !== 503) return noPromises;
  const retryAfterMs = readRetryAfter(answer);
  const resetMs = isRefused ? readReset(answer) : undefined;
  if (retryAfterMs === undefined) return { deadlineMs: resetMs, retryAfterMs, resetMs };
  const untilMs = answer.answeredAtMs + retryAfterMs;
  // The reset time is compared with the request's arrival, because a delayed response can be sent after its own reset
  // time.
  const isAhead = resetMs !== undefined && resetMs > answer.arrivedAtMs;
  return isAhead
    ? { deadlineMs: Math.min(untilMs, resetMs), retryAfterMs, resetMs }
    : { deadlineMs: untilMs, retryAfterMs, resetMs: undefined };
}

/**
 * Reads the earliest time for a retry after a refusal or a 503, in Unix milliseconds; `undefined` if the response names
 * no time.
 */
export const earliestRetryMs = (
  answer: Pick<RequestRecord, 'headers' | 'arrivedAtMs' | 'answeredAtMs' | 'refusal' | 'status'>,
): number | undefined => promisesOf(answer, answer.refusal !== undefined || answer.status === 429).deadlineMs;

import { rateLimitHeaders, retryAfterHeader } from '../rate-limits/header-names.js';
import type { RequestRecord } from '../requests/request-record.js';

type Answered = WithHeaders & Pick<RequestRecord, 'answeredAtMs'>;
type WithHeaders = Pick<RequestRecord, 'headers'>;

/** The only date format that a sender may generate (RFC 9110 section 5.6.7). */
const httpDate = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/**
 * Wait in Retry-After, in milliseconds (RFC 9110 section 10.2.3: seconds or a date; also decimal seconds, which some
 * services send); `undefined` if missing or unreadable.
 */
export function readRetryAfter(answer: Answered): number | undefined {
  const text = answer.headers[retryAfterHeader];
  if (text === undefined) return undefined;
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * 1000;
  return httpDate.test(text) ? Math.max(0, Date.parse(text) - answer.answeredAtMs) : undefined;
}

/** Whether Retry-After is a date, which many clients cannot parse. */
export const isRetryDate = (answer: WithHeaders) => httpDate.test(answer.headers[retryAfterHeader] ?? '');

/**
 * Name of a limit header in a response: without `X-` (draft-ietf-httpapi-ratelimit-headers, up to version 7) if none of
 * the three documented headers is present.
 */
const limitHeaderOf = ({ headers }: WithHeaders, name: string): string =>
  Object.values(rateLimitHeaders).some((each) => headers[each] !== undefined) ? name : name.replace(/^X-/, '');

/** Name of the header with the reset time: X-RateLimit-Reset, or RateLimit-Reset in responses of other services. */
export const resetHeaderOf = (answer: WithHeaders): string => {
  const name = limitHeaderOf(answer, rateLimitHeaders.reset);
  return answer.headers[name] === undefined ? rateLimitHeaders.reset : name;
};

/** Remaining requests as sent, in X-RateLimit-Remaining, or in RateLimit-Remaining of other services. */
export const remainingIn = (answer: WithHeaders): string | undefined =>
  answer.headers[limitHeaderOf(answer, rateLimitHeaders.remaining)];

/** A date and time with its zone (RFC 3339 section 5.6): `2026-01-01T12:00:00Z`. */
const internetDate = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})$/i;

/**
 * Reset time as Unix milliseconds. Some services send remaining seconds, Unix milliseconds or RFC 3339; numbers are told
 * apart by their size. `undefined` if missing or unclear.
 */
export function readReset(answer: Answered): number | undefined {
  const text = answer.headers[resetHeaderOf(answer)] ?? '';
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

/** Largest value in remaining seconds: 31 days. A larger one that is no Unix time is unclear. */
const mostRemainingSeconds = 31 * 86_400;

function unitOfReset(text: string) {
  if (internetDate.test(text)) return 'RFC 3339';
  if (!/^\d+(?:\.\d+)?$/.test(text)) return undefined;
  const value = Number(text);
  if (value > 1e11) return 'Unix milliseconds';
  if (value >= 1e8) return 'Unix seconds';
  return value <= mostRemainingSeconds ? 'remaining seconds' : undefined;
}

/** Formats the reset time as sent, with its unit: `10, remaining seconds`. */
export function describeReset(answer: WithHeaders): string {
  const text = answer.headers[resetHeaderOf(answer)] ?? '';
  return `${text}, ${unitOfReset(text)}`;
}

/** Promised times in a response, before which the client must not retry. */
interface Promises {
  /** Wait in Retry-After, in milliseconds; `undefined` if missing or unreadable. */
  retryAfterMs: number | undefined;
  /** X-RateLimit-Reset of a refusal, in Unix milliseconds, if in the future or without Retry-After. */
  resetMs: number | undefined;
  /** Earliest promised time for a retry, in Unix milliseconds; `undefined` if missing or unreadable. */
  deadlineMs: number | undefined;
}

export const noPromises: Promises = { deadlineMs: undefined, retryAfterMs: undefined, resetMs: undefined };

/**
 * Reads both headers of a response. The earlier time counts, but a Reset in the past is ignored if Retry-After exists.
 */
export function promisesOf(
  answer: Answered & Pick<RequestRecord, 'status' | 'arrivedAtMs'>,
  isRefused: boolean,
): Promises {
  // An unavailable server (503) also names a wait, which is unrelated to the reset of limits.
  if (!isRefused && answer.status !== 503) return noPromises;
  const retryAfterMs = readRetryAfter(answer);
  const resetMs = isRefused ? readReset(answer) : undefined;
  if (retryAfterMs === undefined) return { deadlineMs: resetMs, retryAfterMs, resetMs };
  const untilMs = answer.answeredAtMs + retryAfterMs;
  // Compared with the arrival, because a delayed response can be sent after the reset that it names.
  const isAhead = resetMs !== undefined && resetMs > answer.arrivedAtMs;
  return isAhead
    ? { deadlineMs: Math.min(untilMs, resetMs), retryAfterMs, resetMs }
    : { deadlineMs: untilMs, retryAfterMs, resetMs: undefined };
}

/**
 * Earliest promised time for a retry after a refusal or a 503, in Unix milliseconds; `undefined` if missing or
 * unreadable.
 */
export const earliestRetryMs = (
  answer: Pick<RequestRecord, 'headers' | 'arrivedAtMs' | 'answeredAtMs' | 'refusal' | 'status'>,
): number | undefined => promisesOf(answer, answer.refusal !== undefined || answer.status === 429).deadlineMs;

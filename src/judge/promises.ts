import { rateLimitHeaders, retryAfterHeader } from '../rate-limits/header-names.js';
import type { RequestRecord } from '../requests/request-record.js';
import { parseHttpDate } from '../values/http-date.js';
import { singleValue } from '../values/single-value.js';

type Answered = WithHeaders & Pick<RequestRecord, 'answeredAtMs'>;
type WithHeaders = Pick<RequestRecord, 'headers'>;

/** Minimum Retry-After that is read as a Unix time: September 2001. As seconds to wait, it would be 31 years. */
const minimumUnixSeconds = 1e9;
/** Minimum number that is read as Unix milliseconds instead of Unix seconds: March 1973, instead of the year 5138. */
const minimumUnixMs = 1e11;

/** Latest time of a date in JavaScript. */
const latestMs = 8.64e15;

/**
 * Parses the value of Retry-After: its form, and the wait in milliseconds, negative for a time in the past. Forms are
 * seconds or a date (RFC 9110 section 10.2.3), and decimal seconds and Unix times, which some services send.
 * `undefined` if unreadable.
 * @param nowMs time from which the wait counts
 */
export function parseRetryAfter(
  text: string,
  nowMs: number,
): { form: 'seconds' | 'date' | 'Unix time'; waitMs: number } | undefined {
  const value = singleValue(text);
  if (/^\d+(\.\d+)?$/.test(value)) {
    const number = Number(value);
    if (number < minimumUnixSeconds) return { form: 'seconds', waitMs: number * 1000 };
    const untilMs = number < minimumUnixMs ? number * 1000 : number;
    return untilMs <= latestMs ? { form: 'Unix time', waitMs: untilMs - nowMs } : undefined;
  }
  const untilMs = parseHttpDate(value, nowMs);
  return untilMs === undefined ? undefined : { form: 'date', waitMs: untilMs - nowMs };
}

const parsedRetryAfter = ({ headers, answeredAtMs }: Answered) =>
  parseRetryAfter(headers[retryAfterHeader] ?? '', answeredAtMs);

/** Reads the wait in Retry-After, in milliseconds; `undefined` if missing or unreadable. */
export function readRetryAfter(answer: Answered): number | undefined {
  const parsed = parsedRetryAfter(answer);
  return parsed && Math.max(0, parsed.waitMs);
}

/** Form of a response's Retry-After, such as a date, which many clients cannot parse; `undefined` as above. */
export const retryAfterFormOf = (answer: Answered) => parsedRetryAfter(answer)?.form;

/** Duration of the units that an unreadable Retry-After may name. */
const unitMs: Readonly<Record<string, number>> = { m: 60_000, min: 60_000, h: 3_600_000, d: 86_400_000 };

/**
 * Longest wait that an unreadable Retry-After may mean: 30 s for `30s` or `+30`, 0 for text without numbers.
 * `undefined` if the header is missing, empty or readable.
 */
export function unreadWaitMs(answer: Answered): number | undefined {
  const text = answer.headers[retryAfterHeader]?.trim() ?? '';
  if (text === '' || readRetryAfter(answer) !== undefined) return undefined;
  const untilMs = /\d:\d\d/.test(text) ? Date.parse(text) : Number.NaN;
  // A time of day without a zone may be of any zone, with offsets up to 14 hours.
  const zoneMs = /(?:[a-z]|[+-]\d\d:?\d\d)$/i.test(text) ? 0 : 14 * 3_600_000;
  if (!Number.isNaN(untilMs)) return Math.max(0, untilMs + zoneMs - answer.answeredAtMs);
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)\s*(min|[mhd](?!s))?/gi)].map(
    ([, digits, unit = '']) => Number(digits) * (unitMs[unit.toLowerCase()] ?? 1_000),
  );
  return parts.reduce((sum, ms) => sum + ms, 0);
}

/** Header with all limits in one structured field (draft-ietf-httpapi-ratelimit-headers, from version 7). */
const combinedHeader = 'RateLimit';

/**
 * Reads the remaining requests and the reset time from a response's headers, as text. Also returns the name of the
 * header with the reset time. Prefers names with `X-`. Reads `RateLimit`, which combines all limits, only if no other
 * rate-limit header exists.
 */
function readLimits({ headers }: WithHeaders) {
  const names = Object.values(rateLimitHeaders);
  const prefixLength = names.some((name) => headers[name] !== undefined) ? 0 : 'X-'.length;
  const sent = (name: string) => {
    const text = headers[name.slice(prefixLength)];
    return text === undefined ? undefined : singleValue(text);
  };
  const combined = headers[combinedHeader];
  if (combined !== undefined && names.every((name) => sent(name) === undefined))
    return { ...readCombined(combined), resetHeader: combinedHeader };
  const reset = sent(rateLimitHeaders.reset);
  const resetHeader = reset === undefined ? rateLimitHeaders.reset : rateLimitHeaders.reset.slice(prefixLength);
  return { remaining: sent(rateLimitHeaders.remaining), reset, resetHeader };
}

/**
 * Reads the remaining requests and the reset from a `RateLimit` header (IETF draft). Forms: `"minute";r=0;t=30` from
 * version 8, `limit=60, remaining=0, reset=30` in version 7. Of several policies (named limits) without remaining
 * requests, uses the one that resets last.
 */
function readCombined(text: string): { remaining: string | undefined; reset: string | undefined } {
  const numberAfter = (pattern: RegExp, part: string) => pattern.exec(part)?.[1];
  if (/^\s*limit\s*=/.test(text)) {
    return { remaining: numberAfter(/\bremaining=(\d+)/, text), reset: numberAfter(/\breset=(\d+)/, text) };
  }
  // Removes quoted names of rate-limit policies before the split at commas, because a name may contain commas.
  const policies = text
    .replaceAll(/"(?:[^"\\]|\\.)*"/g, '')
    .split(',')
    .map((part) => ({ remaining: numberAfter(/;\s*r=(\d+)/, part), reset: numberAfter(/;\s*t=(\d+)/, part) }));
  const byReset = policies.toSorted((one, other) => Number(one.reset ?? 0) - Number(other.reset ?? 0));
  const exhausted = byReset.findLast(({ remaining }) => Number(remaining) === 0);
  return exhausted ?? byReset[0] ?? { remaining: undefined, reset: undefined };
}

/** Name of the header with the reset time: X-RateLimit-Reset, or RateLimit-Reset or RateLimit of other services. */
export const resetHeaderOf = (answer: WithHeaders): string => readLimits(answer).resetHeader;

/**
 * Number of remaining requests in a response's header, as sent. The Petstore sends X-RateLimit-Remaining; other APIs
 * send RateLimit-Remaining or RateLimit.
 */
export const remainingIn = (answer: WithHeaders): string | undefined => readLimits(answer).remaining;

/** Date and time with a time zone (RFC 3339 section 5.6): `2026-01-01T12:00:00Z`. */
const internetDate = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})$/i;

/**
 * Reads the reset time, in Unix milliseconds; `undefined` if missing or unclear. Some services send remaining seconds,
 * Unix milliseconds or a date instead of Unix seconds; the size of a number shows its unit.
 */
export function readReset(answer: Answered): number | undefined {
  const { reset: text = '' } = readLimits(answer);
  const unit = unitOfReset(text);
  if (unit === undefined) return undefined;
  if (unit === 'HTTP date') return parseHttpDate(text, answer.answeredAtMs);
  if (unit === 'RFC 3339') {
    const ms = Date.parse(text);
    return Number.isNaN(ms) ? undefined : ms;
  }
  const value = Number(text);
  if (unit === 'Unix milliseconds') return value;
  return unit === 'remaining seconds' ? answer.answeredAtMs + value * 1000 : value * 1000;
}

/**
 * Maximum value of X-RateLimit-Reset that is read as remaining seconds: 31 days. A larger value that is still too small
 * for a Unix time is ignored, because its unit is unclear.
 */
const maximumRemainingSeconds = 31 * 86_400;

function unitOfReset(text: string) {
  if (internetDate.test(text)) return 'RFC 3339';
  // The current time matters only for the century of a date.
  if (parseHttpDate(text, 0) !== undefined) return 'HTTP date';
  if (!/^\d+(?:\.\d+)?$/.test(text)) return undefined;
  const value = Number(text);
  if (value > latestMs) return undefined;
  if (value > minimumUnixMs) return 'Unix milliseconds';
  if (value >= 1e8) return 'Unix seconds';
  return value <= maximumRemainingSeconds ? 'remaining seconds' : undefined;
}

/** Formats the value of a response's rate-limit reset header with its unit, such as `10, remaining seconds`. */
export function describeReset(answer: WithHeaders): string {
  const { reset: text = '' } = readLimits(answer);
  return `${text}, ${unitOfReset(text)}`;
}

/** Times that a response states for a retry. The client must not retry earlier. */
interface Promises {
  /** Wait in Retry-After; `undefined` if the header is missing or unreadable. */
  retryAfterMs: number | undefined;
  /** Reset time of a refusal. `undefined` if missing, or if it is in the past and the response has a Retry-After. */
  resetMs: number | undefined;
  /** Earliest time for a retry; `undefined` if the response names no time. */
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
  // Only Retry-After of a 503 counts as a time for a retry. The rate-limit reset time in a 503 is ignored, because the
  // rate limit is not the reason for the response.
  if (!isRefused && answer.status !== 503) return noPromises;
  const retryAfterMs = readRetryAfter(answer);
  const resetMs = isRefused ? readReset(answer) : undefined;
  if (retryAfterMs === undefined) return { deadlineMs: resetMs, retryAfterMs, resetMs };
  const untilMs = answer.answeredAtMs + retryAfterMs;
  // Compares X-RateLimit-Reset with the arrival time of the request, because a fault rule can delay the response until
  // after the reset.
  const isAhead = resetMs !== undefined && resetMs > answer.arrivedAtMs;
  return isAhead
    ? { deadlineMs: Math.min(untilMs, resetMs), retryAfterMs, resetMs }
    : { deadlineMs: untilMs, retryAfterMs, resetMs: undefined };
}

/** Whether a response refused its request: by a 429, or by a ban with any status. */
export const isRefusal = ({ status, refusal }: Pick<RequestRecord, 'status' | 'refusal'>): boolean =>
  refusal !== undefined || status === 429;

/** Reads the earliest time for a retry after a refusal or a 503; `undefined` if the response names no time. */
export const earliestRetryMs = (
  answer: Pick<RequestRecord, 'headers' | 'arrivedAtMs' | 'answeredAtMs' | 'refusal' | 'status'>,
): number | undefined => promisesOf(answer, isRefusal(answer)).deadlineMs;

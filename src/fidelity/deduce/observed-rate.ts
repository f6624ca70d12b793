import { rateLimitHeaders, retryAfterHeader } from '../../rate-limits/header-names.js';
import type { Exchange } from '../../traffic-files/exchange.js';
import { readTold } from '../../values/told-waits.js';

/** Values of the three X-RateLimit headers in a response. */
export interface ObservedRate {
  readonly limit: number;
  readonly remaining: number;
  /** Reset time of the rate-limit window, in Unix seconds. */
  readonly reset: number;
}

/**
 * Reads the X-RateLimit headers of a response.
 * @returns `undefined` if one of the three is missing or not a whole number
 */
export function rateOf({ headers }: Pick<Exchange, 'headers'>): ObservedRate | undefined {
  const [limit, remaining, reset] = Object.values(rateLimitHeaders).map((name) =>
    /^\d{1,15}$/.test(headers[name] ?? '') ? Number(headers[name]) : undefined,
  );
  return limit === undefined || remaining === undefined || reset === undefined
    ? undefined
    : { limit, remaining, reset };
}

/** Time of a response in Unix seconds, by the service's clock; without a `Date` header, by the recording machine's. */
export const secondsOf = ({ dateMs, arrivedAtMs }: Pick<Exchange, 'dateMs' | 'arrivedAtMs'>): number =>
  Math.floor((dateMs ?? arrivedAtMs) / 1000);

/** Whether the key was rate-limited or banned: 429, or another 4xx with Retry-After. */
export const isRefusal = ({ status, headers }: Pick<Exchange, 'status' | 'headers'>) =>
  status === 429 || (status >= 400 && status < 500 && headers[retryAfterHeader] !== undefined);

/**
 * End of the wait in Retry-After, by the service's clock. `undefined` if the header is missing or unreadable, or if it
 * has seconds and the response has no `Date`.
 */
export function retryAfterEndMs({ headers, status, dateMs, answeredAtMs }: Exchange): number | undefined {
  const nowMs = dateMs ?? answeredAtMs;
  const { retry } = readTold({ headers, status, answeredAtMs: nowMs });
  return retry?.form === 'seconds' && dateMs === undefined ? undefined : retry?.untilMs;
}

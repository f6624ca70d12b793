import { rateLimitHeaders, retryAfterHeader } from '../../rate-limits/header-names.js';
import type { Exchange } from '../../traffic-files/exchange.js';

/** The three numbers of an answer. */
export interface SeenRate {
  readonly limit: number;
  readonly remaining: number;
  /** Unix seconds. */
  readonly reset: number;
}

/** `undefined` where one of the headers is missing or no whole number. */
export function rateOf({ headers }: Pick<Exchange, 'headers'>): SeenRate | undefined {
  const [limit, remaining, reset] = Object.values(rateLimitHeaders).map((name) =>
    /^\d{1,15}$/.test(headers[name] ?? '') ? Number(headers[name]) : undefined,
  );
  return limit === undefined || remaining === undefined || reset === undefined
    ? undefined
    : { limit, remaining, reset };
}

/** Whether the key was told to wait: 429, or a ban under another status, which names a wait as well. */
export const isRefusal = ({ status, headers }: Pick<Exchange, 'status' | 'headers'>) =>
  status === 429 || (status >= 400 && status < 500 && headers[retryAfterHeader] !== undefined);

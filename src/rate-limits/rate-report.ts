import type { WindowName } from '../requests/request-record.js';
import type { ApiKey } from './api-key.js';
import { rateLimitHeaders } from './header-names.js';
import type { LimitSettings } from './settings.js';
import type { Window } from './window.js';

/** Values of the X-RateLimit headers in one response. */
export interface RateReport {
  limit: number;
  remaining: number;
  /** Time at which the limit resets. */
  resetAtSeconds: number;
  window: WindowName;
}

/** Whether an API key has no requests left in its minute or day window. Call it after ended windows were reset. */
export const isExhausted = (key: ApiKey) => key.minute.remaining === 0 || key.day.remaining === 0;

/**
 * Creates the rate-limit headers' values for an accepted request. If `reportedWindow` is `least-remaining`, the headers
 * describe the window (minute or day) with fewer remaining requests; if equal, the window that resets later.
 */
export function reportServed(key: ApiKey, reportedWindow: LimitSettings['reportedWindow']): RateReport {
  if (reportedWindow !== 'least-remaining') return report(key[reportedWindow], reportedWindow);
  const { minute, day } = key;
  const isDay =
    day.remaining < minute.remaining ||
    (day.remaining === minute.remaining && day.resetAtSeconds > minute.resetAtSeconds);
  return isDay ? report(day, 'day') : report(minute, 'minute');
}

/**
 * Creates the rate-limit headers' values for a rate-limited request. Describes the exhausted window; if both are
 * exhausted, the window that resets later.
 */
export const reportRefused = (key: ApiKey) => reportServed(key, 'least-remaining');

/**
 * Creates the rate-limit headers' values for a banned key. The reset time is the end of the ban or, if later, an
 * exhausted window's reset.
 */
export function reportBanned(key: ApiKey, reportedWindow: LimitSettings['reportedWindow']): RateReport {
  const resets = [key.minute, key.day]
    .filter(({ remaining }) => remaining === 0)
    .map((window) => window.resetAtSeconds);
  const resetAtSeconds = Math.max(Math.ceil(key.bannedUntilMs / 1000), ...resets);
  const window = isExhausted(key) ? reportRefused(key) : reportServed(key, reportedWindow);
  return { ...window, remaining: 0, resetAtSeconds };
}

/**
 * Creates the rate-limit headers' values for a 401, which has no key. By default, reports the full minute limit, so
 * that no client waits for a reset.
 */
export function reportUnauthorized(
  limit: number,
  lengthSeconds: number,
  unauthorizedHeaders: LimitSettings['unauthorizedHeaders'],
  nowSeconds: number,
): RateReport | undefined {
  if (unauthorizedHeaders === 'omit') return undefined;
  const remaining = unauthorizedHeaders === 'remaining-zero' ? 0 : limit;
  return { limit, remaining, resetAtSeconds: nowSeconds + lengthSeconds, window: 'minute' };
}

/** Adds the X-RateLimit headers to the headers of a response. */
export function addRateHeaders(headers: Record<string, string>, { limit, remaining, resetAtSeconds }: RateReport) {
  headers[rateLimitHeaders.limit] = String(limit);
  headers[rateLimitHeaders.remaining] = String(remaining);
  headers[rateLimitHeaders.reset] = String(resetAtSeconds);
}

function report({ limit, remaining, resetAtSeconds }: Window, window: WindowName): RateReport {
  return { limit, remaining, resetAtSeconds, window };
}

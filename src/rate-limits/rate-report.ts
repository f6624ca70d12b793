import type { WindowName } from '../requests/request-record.js';
import { type ApiKey, windowOf } from './api-key.js';
import { rateLimitHeaders } from './header-names.js';
import { type Room, servedAgain } from './served-again.js';
import type { LimitSettings } from './settings.js';
import type { Algorithm, Window } from './window.js';

/** Values of the X-RateLimit headers in one response. */
export interface RateReport {
  limit: number;
  remaining: number;
  /** Time at which the limit resets. */
  resetAtSeconds: number;
  window: WindowName;
  /** End of the key's ban; `undefined` if the request was not refused because of a ban. */
  bannedUntilMs?: number;
}

/**
 * Whether an API key has too few requests left in one of its windows for a request of a cost. Call it after ended windows
 * were reset.
 */
export function isExhausted({ windows }: ApiKey, cost = 1): boolean {
  for (let index = 0; index < windows.length; index++) if ((windows[index] as Window).remaining < cost) return true;
  return false;
}

/**
 * Returns the window with the fewest remaining requests; if equal, the window that resets later, then the first one. If
 * windows are exhausted, this is the exhausted window that resets last.
 */
export function leastRemaining({ windows }: ApiKey): Window {
  let least = windows[0] as Window;
  for (let index = 1; index < windows.length; index++) {
    const window = windows[index] as Window;
    const isLess =
      window.remaining < least.remaining ||
      (window.remaining === least.remaining && window.resetAtSeconds > least.resetAtSeconds);
    if (isLess) least = window;
  }
  return least;
}

/**
 * Creates the rate-limit headers' values for a request that exceeds a limit. They describe the window without room that
 * has room last, and the reset time is when it has.
 */
export function reportRefused(key: ApiKey, algorithm: Algorithm, cost: number, nowSeconds: number): RateReport {
  if (cost === 1) return reportWindow(leastRemaining(key));
  const reports = key.windows
    .filter(({ remaining }) => remaining < cost)
    .map((window) => ({
      ...reportWindow(window),
      resetAtSeconds: algorithm.readyAt(window, nowSeconds, cost),
    }));
  return reports.reduce((last, report) => (report.resetAtSeconds > last.resetAtSeconds ? report : last));
}

/**
 * Creates the rate-limit headers' values for an accepted request. The headers describe the window that `reportedWindow`
 * names. If it is `least-remaining`, or the key's plan lacks the window, they describe the window with the fewest
 * remaining requests.
 */
export function reportServed(key: ApiKey, reportedWindow: LimitSettings['reportedWindow']): RateReport {
  const named = reportedWindow === 'least-remaining' ? undefined : windowOf(key, reportedWindow);
  return reportWindow(named ?? leastRemaining(key));
}

/**
 * Creates the rate-limit headers' values for a banned key. The reset time is the end of the ban or, if later, an
 * exhausted window's reset.
 */
export function reportBanned(
  key: ApiKey,
  reportedWindow: LimitSettings['reportedWindow'],
  nowMs: number,
  room?: Room,
): RateReport {
  const { bannedUntilMs } = key;
  const resetAtSeconds = Math.ceil((servedAgain(key, nowMs, room)?.atMs ?? bannedUntilMs) / 1000);
  const window = isExhausted(key) ? reportWindow(leastRemaining(key)) : reportServed(key, reportedWindow);
  return { ...window, remaining: 0, resetAtSeconds, bannedUntilMs };
}

/**
 * Creates the rate-limit headers' values for a 401, which has no key. By default, reports the full limit of a window, so
 * that no client waits for a reset.
 */
export function reportUnauthorized(
  { name, limit, lengthSeconds }: Pick<Window, 'name' | 'limit' | 'lengthSeconds'>,
  unauthorizedHeaders: LimitSettings['unauthorizedHeaders'],
  nowSeconds: number,
): RateReport | undefined {
  if (unauthorizedHeaders === 'omit') return undefined;
  const remaining = unauthorizedHeaders === 'remaining-zero' ? 0 : limit;
  return { limit, remaining, resetAtSeconds: nowSeconds + lengthSeconds, window: name };
}

/** Adds the X-RateLimit headers to the headers of a response. */
export function addRateHeaders(headers: Record<string, string>, { limit, remaining, resetAtSeconds }: RateReport) {
  headers[rateLimitHeaders.limit] = String(limit);
  headers[rateLimitHeaders.remaining] = String(remaining);
  headers[rateLimitHeaders.reset] = String(resetAtSeconds);
}

/** Creates the rate-limit headers' values that describe a window. */
export const reportWindow = ({ limit, remaining, resetAtSeconds, name }: Window): RateReport => ({
  limit,
  remaining,
  resetAtSeconds,
  window: name,
});

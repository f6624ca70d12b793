import type { WindowName } from '../requests/request-record.js';
import type { ApiKey } from './api-key.js';
import type { LimitSettings } from './settings.js';
import type { Window } from './window.js';

/** Values of the X-RateLimit headers in one response. */
export interface RateReport {
  limit: number;
  remaining: number;
  /** Reset time, in Unix seconds. */
  resetAtSeconds: number;
  window: WindowName;
}

/** Whether a key has exhausted one of its windows. The windows must be up to date. */
export const isExhausted = (key: ApiKey) => key.minute.remaining === 0 || key.day.remaining === 0;

/** Reports the window with the least remaining requests; if equal, the window with the later reset. */
export function reportServed(key: ApiKey, reportedWindow: LimitSettings['reportedWindow']): RateReport {
  if (reportedWindow !== 'least-remaining') return report(key[reportedWindow], reportedWindow);
  const { minute, day } = key;
  const isDay =
    day.remaining < minute.remaining ||
    (day.remaining === minute.remaining && day.resetAtSeconds > minute.resetAtSeconds);
  return isDay ? report(day, 'day') : report(minute, 'minute');
}

/** Reports the exhausted window; if both are, the window with the later reset. */
export const reportRefused = (key: ApiKey) => reportServed(key, 'least-remaining');

/** Reports the end of a ban, or the reset of an exhausted window if later. */
export function reportBanned(key: ApiKey, reportedWindow: LimitSettings['reportedWindow']): RateReport {
  const resets = [key.minute, key.day]
    .filter(({ remaining }) => remaining === 0)
    .map((window) => window.resetAtSeconds);
  const resetAtSeconds = Math.max(Math.ceil(key.bannedUntilMs / 1000), ...resets);
  const window = isExhausted(key) ? reportRefused(key) : reportServed(key, reportedWindow);
  return { ...window, remaining: 0, resetAtSeconds };
}

/** Reports an unused free minute limit for a 401, which has no key, so that no client waits. */
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

function report({ limit, remaining, resetAtSeconds }: Window, window: WindowName): RateReport {
  return { limit, remaining, resetAtSeconds, window };
}

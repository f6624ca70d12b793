import type { WindowName } from '../requests/request-record.js';
import type { ApiKey } from './api-key.js';
import type { LimitSettings } from './settings.js';
import type { Window } from './window.js';

/** What the X-RateLimit headers of one answer say. */
export interface RateReport {
  limit: number;
  remaining: number;
  /** Whole Unix seconds. */
  resetAtSeconds: number;
  window: WindowName;
}

/** Whether a key whose windows are up to date has used up one of them. */
export const isExhausted = (key: ApiKey) => key.minute.remaining === 0 || key.day.remaining === 0;

/** The window with the least remaining; of two, the one that resets later. So `remaining` more requests will be served. */
export function reportServed(key: ApiKey, reportedWindow: LimitSettings['reportedWindow']): RateReport {
  if (reportedWindow !== 'least-remaining') return report(key[reportedWindow], reportedWindow);
  const { minute, day } = key;
  const isDay =
    day.remaining < minute.remaining ||
    (day.remaining === minute.remaining && day.resetAtSeconds > minute.resetAtSeconds);
  return isDay ? report(day, 'day') : report(minute, 'minute');
}

/** The used-up window; of two, the one that resets later. */
export const reportRefused = (key: ApiKey) => reportServed(key, 'least-remaining');

/** The report of a ban: its end, but not before every window that is still used up has reset. */
export function reportBanned(key: ApiKey, reportedWindow: LimitSettings['reportedWindow']): RateReport {
  const resets = [key.minute, key.day]
    .filter(({ remaining }) => remaining === 0)
    .map((window) => window.resetAtSeconds);
  const resetAtSeconds = Math.max(Math.ceil(key.bannedUntilMs / 1000), ...resets);
  const window = isExhausted(key) ? reportRefused(key) : reportServed(key, reportedWindow);
  return { ...window, remaining: 0, resetAtSeconds };
}

/** A 401 belongs to no key: it reports the free minute limit, unused, so that no client waits for it. */
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

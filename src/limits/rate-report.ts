import type { Settings } from '../contract/assumptions.js';
import type { WindowName } from '../contract/document.js';
import type { ApiKey } from './keys.js';
import type { Algorithm, Window } from './window.js';

/** What the X-RateLimit headers of one answer say. */
export interface RateReport {
  limit: number;
  remaining: number;
  /** Unix seconds, whole. */
  resetAtSeconds: number;
  window: WindowName;
}

/** Brings both windows of a key up to date, without counting. */
export function refreshWindows(algorithm: Algorithm, key: ApiKey, nowSeconds: number): void {
  algorithm.refresh(key.minute, nowSeconds);
  algorithm.refresh(key.day, nowSeconds);
}

/** Whether a refreshed key has used up a window. */
export const isExhausted = (key: ApiKey) => key.minute.remaining === 0 || key.day.remaining === 0;

/** Counts served requests in both windows. */
export function countServed(algorithm: Algorithm, key: ApiKey, nowSeconds: number, requests = 1): void {
  algorithm.count(key.minute, nowSeconds, requests);
  algorithm.count(key.day, nowSeconds, requests);
}

/** Counts a refused request where the assumption `rejectedCounts` says so; that may exhaust the other window too. */
export function countRefused(
  algorithm: Algorithm,
  rejectedCounts: Settings['rejectedCounts'],
  key: ApiKey,
  nowSeconds: number,
): void {
  if (rejectedCounts === 'none') return;
  const windows = [key.minute, key.day];
  const counting = rejectedCounts === 'all' ? windows : windows.filter((window) => window.remaining > 0);
  for (const window of counting) algorithm.count(window, nowSeconds);
}

/** The window with the least remaining; a tie: the one that resets later. So `remaining` requests will be served. */
export function reportServed(key: ApiKey, reportedWindow: Settings['reportedWindow']): RateReport {
  if (reportedWindow !== 'least-remaining') return report(key[reportedWindow], reportedWindow);
  const { minute, day } = key;
  const isDay =
    day.remaining < minute.remaining ||
    (day.remaining === minute.remaining && day.resetAtSeconds > minute.resetAtSeconds);
  return isDay ? report(day, 'day') : report(minute, 'minute');
}

/** The exhausted window; both exhausted: the one that resets later. */
export const reportRefused = (key: ApiKey) => reportServed(key, 'least-remaining');

/** A 401 tells nothing about any key: the free minute limit, untouched, so that no client waits for it. */
export function reportUnauthorized(
  limit: number,
  lengthSeconds: number,
  unauthorizedHeaders: Settings['unauthorizedHeaders'],
  nowSeconds: number,
): RateReport | undefined {
  if (unauthorizedHeaders === 'omit') return undefined;
  const remaining = unauthorizedHeaders === 'remaining-zero' ? 0 : limit;
  return { limit, remaining, resetAtSeconds: nowSeconds + lengthSeconds, window: 'minute' };
}

function report({ limit, remaining, resetAtSeconds }: Window, window: WindowName): RateReport {
  return { limit, remaining, resetAtSeconds, window };
}

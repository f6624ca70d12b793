import { ApiError, keyBanned } from '../contract/api-error.js';
import type { Settings } from '../contract/assumptions.js';
import { banPromiseSeconds, hitBan, isBanned, noteRefusal, noteServed } from './ban.js';
import type { ApiKey } from './keys.js';
import {
  countRefused,
  countServed,
  isExhausted,
  type RateReport,
  refreshWindows,
  reportRefused,
  reportServed,
} from './rate-report.js';
import type { Algorithm } from './window.js';

/** Whether a request goes on, and what its answer says about the limits either way. */
export interface Admission {
  rate: RateReport;
  /** The refusal: over a limit, or banned. `rate.resetAtSeconds` is then the promise that Retry-After tells. */
  refusal: ApiError | undefined;
}

/**
 * Ban, then rate limit: looks at both windows, then counts in both or neither, in one synchronous step.
 * @param options.isLimited whether the plan limits apply to the operation; a ban always does
 * @param options.counts whether the request uses quota when it is not refused
 */
export function admit(
  key: ApiKey,
  algorithm: Algorithm,
  settings: Settings,
  nowMs: number,
  { isLimited, counts }: { isLimited: boolean; counts: boolean },
): Admission {
  const nowSeconds = Math.floor(nowMs / 1000);
  refreshWindows(algorithm, key, nowSeconds);
  if (isBanned(key, nowMs)) {
    hitBan(key, settings, nowMs);
    return banned(key, settings, nowSeconds);
  }
  if (!isLimited) return { rate: reportServed(key, settings.reportedWindow), refusal: undefined };
  if (!isExhausted(key)) {
    if (!counts) return { rate: reportServed(key, settings.reportedWindow), refusal: undefined };
    countServed(algorithm, key, nowSeconds);
    noteServed(key);
    return { rate: reportServed(key, settings.reportedWindow), refusal: undefined };
  }
  countRefused(algorithm, settings.rejectedCounts, key, nowSeconds);
  const rate = reportRefused(key);
  if (noteRefusal(key, settings, nowMs, rate.resetAtSeconds)) return banned(key, settings, nowSeconds);
  const message = `The ${key.plan} plan allows ${count(rate.limit, 'request')} a ${rate.window}; retry in ${count(rate.resetAtSeconds - nowSeconds, 'second')}.`;
  return { rate, refusal: new ApiError(429, 'rate_limit_exceeded', message) };
}

function banned(key: ApiKey, settings: Settings, nowSeconds: number): Admission {
  const resetAtSeconds = banPromiseSeconds(key);
  const window = isExhausted(key) ? reportRefused(key) : reportServed(key, settings.reportedWindow);
  const rate = { ...window, remaining: 0, resetAtSeconds };
  const message = `The API key is banned because requests went on after a 429; retry in ${count(resetAtSeconds - nowSeconds, 'second')}.`;
  return { rate, refusal: keyBanned(settings.banStatus, message) };
}

const count = (number: number, noun: string) => `${number} ${noun}${number === 1 ? '' : 's'}`;

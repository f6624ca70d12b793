import { ApiError, keyBanned } from '../requests/api-error.js';
import { pluralize } from '../values/pluralize.js';
import { type ApiKey, countRefused, countServed, extendBan, recordRefusal, refresh } from './api-key.js';
import { type WindowLengths, windowSeconds } from './plan-limits.js';
import {
  isExhausted,
  leastRemaining,
  type RateReport,
  reportBanned,
  reportServed,
  reportWindow,
} from './rate-report.js';
import type { LimitSettings } from './settings.js';
import type { Algorithm, Window } from './window.js';

/** Decision whether a request is accepted, and the rate-limit report for the response headers. */
export interface Admission {
  rate: RateReport;
  /**
   * Error response of a rate-limited or banned request; `undefined` for an accepted request. The header Retry-After of
   * the error response is the time until `rate.resetAtSeconds`.
   */
  refusal: ApiError | undefined;
  isStrike: boolean;
}

/** Whether a plan's rate limits apply to an operation, according to the setting `limitsApply`. */
export const limitsApplyTo = (
  { limitsApply }: Pick<LimitSettings, 'limitsApply'>,
  operation: string | undefined,
): boolean =>
  typeof limitsApply === 'string' ? limitsApply === 'all' : operation !== undefined && limitsApply.includes(operation);

/**
 * Decides whether a key's request is accepted: checks the key's ban, then its windows. Counts an accepted
 * request in every window.
 * @param options.isLimited whether the plan limits apply to the operation; a ban always applies
 * @param options.counts whether an accepted request uses quota
 */
export function admit(
  key: ApiKey,
  algorithm: Algorithm,
  settings: LimitSettings,
  nowMs: number,
  { isLimited, counts }: { isLimited: boolean; counts: boolean },
): Admission {
  const nowSeconds = Math.floor(nowMs / 1000);
  refresh(key, algorithm, nowMs);
  if (nowMs < key.bannedUntilMs) {
    extendBan(key, settings, nowMs);
    return refuseBanned(key, settings, nowMs, false);
  }
  if (!isLimited || !isExhausted(key)) {
    if (isLimited && counts) countServed(key, algorithm, nowSeconds);
    return { rate: reportServed(key, settings.reportedWindow), refusal: undefined, isStrike: false };
  }
  countRefused(key, algorithm, settings.rejectedCounts, nowSeconds);
  const window = leastRemaining(key);
  const rate = reportWindow(window);
  const noted = recordRefusal(key, settings, nowMs, rate.resetAtSeconds);
  if (noted === 'ban') return refuseBanned(key, settings, nowMs, true);
  const message = `The ${key.plan} plan allows ${pluralize(window.limit, 'request')} ${per(window)}; retry in ${pluralize(window.resetAtSeconds - nowSeconds, 'second')}.`;
  return { rate, refusal: new ApiError(429, 'rate_limit_exceeded', message), isStrike: noted === 'strike' };
}

function refuseBanned(key: ApiKey, settings: LimitSettings, nowMs: number, isStrike: boolean): Admission {
  const rate = reportBanned(key, settings.reportedWindow, nowMs);
  const cause = key.banCause === 'strikes' ? ' because requests went on after a 429' : '';
  const message = `The API key is banned${cause}; retry in ${pluralize(rate.resetAtSeconds - Math.floor(nowMs / 1000), 'second')}.`;
  return { rate, refusal: keyBanned(settings.banStatus, message), isStrike };
}

/**
 * Text for a window's length in an error message: `a minute`, or `in 6 seconds` if the scenario changes the length or
 * adds the window.
 */
const per = ({ name, lengthSeconds }: Window) =>
  lengthSeconds === (windowSeconds as WindowLengths)[name] ? `a ${name}` : `in ${pluralize(lengthSeconds, 'second')}`;

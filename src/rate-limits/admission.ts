import { ApiError, invalidRequest, keyBanned } from '../requests/api-error.js';
import { pluralize } from '../values/pluralize.js';
import { documentedWindows, forDocumented, isDocumented } from '../values/window-fields.js';
import { withArticle } from '../values/window-text.js';
import { type ApiKey, countRefused, countServed, extendBan, recordRefusal, refresh, windowOf } from './api-key.js';
import { isExhausted, type RateReport, reportBanned, reportRefused, reportServed } from './rate-report.js';
import type { Room } from './served-again.js';
import type { LimitSettings } from './settings.js';
import type { Algorithm, Window } from './window.js';

/** Decision whether a request is accepted, and the rate-limit report for the response headers. */
export interface Admission {
  rate: RateReport;
  /**
   * Error response of a rate-limited or banned request; `undefined` for an accepted request. The header Retry-After of
   * the error response is the time until `rate.resetAtSeconds`. A 400 without a wait, if the request costs more than a
   * limit allows.
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
 * @param options.cost number of requests as which the request counts; default 1. Above a limit, no wait helps
 */
export function admit(
  key: ApiKey,
  algorithm: Algorithm,
  settings: LimitSettings,
  nowMs: number,
  { isLimited, counts, cost = 1 }: { isLimited: boolean; counts: boolean; cost?: number | undefined },
): Admission {
  const nowSeconds = Math.floor(nowMs / 1000);
  refresh(key, algorithm, nowMs);
  if (nowMs < key.bannedUntilMs) {
    extendBan(key, settings, nowMs);
    return refuseBanned(key, settings, nowMs, { isStrike: false, algorithm, cost });
  }
  if (!isLimited || !isExhausted(key, cost)) {
    if (isLimited && counts && cost > 0) countServed(key, algorithm, nowSeconds, cost);
    return { rate: reportServed(key, settings.reportedWindow), refusal: undefined, isStrike: false };
  }
  const tooSmall = cost === 1 ? undefined : key.windows.find(({ limit }) => limit < cost);
  if (tooSmall !== undefined) {
    const refusal = invalidRequest(`${allowed(key, tooSmall)}, and this request counts as ${cost}; no wait helps.`);
    return { rate: reportServed(key, settings.reportedWindow), refusal, isStrike: false };
  }
  countRefused(key, algorithm, settings.rejectedCounts, nowSeconds, cost);
  const rate = reportRefused(key, algorithm, cost, nowSeconds);
  const noted = recordRefusal(key, settings, nowMs, rate.resetAtSeconds, cost);
  if (noted === 'ban') return refuseBanned(key, settings, nowMs, { isStrike: true, algorithm, cost });
  const asked = cost === 1 ? '' : `, and this request counts as ${cost}`;
  const window = windowOf(key, rate.window) as Window;
  const message = `${allowed(key, window)}${asked}; retry in ${pluralize(rate.resetAtSeconds - nowSeconds, 'second')}.`;
  return { rate, refusal: new ApiError(429, 'rate_limit_exceeded', message), isStrike: noted === 'strike' };
}

const allowed = ({ plan }: ApiKey, window: Window) =>
  `The ${plan} plan allows ${pluralize(window.limit, 'request')} ${per(window)}`;

function refuseBanned(
  key: ApiKey,
  settings: LimitSettings,
  nowMs: number,
  { isStrike, ...room }: Room & Pick<Admission, 'isStrike'>,
): Admission {
  const rate = reportBanned(key, settings.reportedWindow, nowMs, room);
  const cause = key.banCause === 'strikes' ? ' because requests went on after a 429' : '';
  const message = `The API key is banned${cause}; retry in ${pluralize(rate.resetAtSeconds - Math.floor(nowMs / 1000), 'second')}.`;
  return { rate, refusal: keyBanned(settings.banStatus, message), isStrike };
}

/**
 * Text for a window's length in an error message: `a minute`, or `in 6 seconds` if the scenario changes the length or
 * adds the window.
 */
const per = ({ name, lengthSeconds }: Window) =>
  isDocumented(name) && lengthSeconds === documentedWindows[name]
    ? perDocumented[name]
    : `in ${pluralize(lengthSeconds, 'second')}`;

const perDocumented = forDocumented(withArticle);

import { findKey, readToken } from '../rate-limits/authentication.js';
import { rateLimitHeaders } from '../rate-limits/header-names.js';
import type { PlanLimits } from '../rate-limits/plan-limits.js';
import { type RateReport, reportBanned, reportServed, reportUnauthorized } from '../rate-limits/rate-report.js';
import type { ResolvedScenario } from '../scenario/resolve-scenario.js';
import type { SimulatorState } from './simulator-state.js';

/**
 * Returns the values of the rate-limit headers for a request without a valid API key; `undefined` if the assumption
 * `unauthorizedHeaders` omits the headers.
 */
export function rateWithoutKey(
  { plans, windowSeconds, settings }: ResolvedScenario,
  nowMs: number,
): RateReport | undefined {
  const { minute } = (plans.free ?? Object.values(plans)[0]) as PlanLimits;
  return reportUnauthorized(minute, windowSeconds.minute, settings.unauthorizedHeaders, Math.floor(nowMs / 1000));
}

/**
 * Creates the X-RateLimit headers for a request that does not use quota. The headers state the current limits of the
 * request's API key.
 */
export function limitHeaders(
  { keys, resolved }: Pick<SimulatorState, 'keys' | 'resolved'>,
  authorization: string | undefined,
  nowMs: number,
): Record<string, string> {
  const rate = rateOf({ keys, resolved }, authorization, nowMs);
  if (rate === undefined) return {};
  return {
    [rateLimitHeaders.limit]: String(rate.limit),
    [rateLimitHeaders.remaining]: String(rate.remaining),
    [rateLimitHeaders.reset]: String(rate.resetAtSeconds),
  };
}

function rateOf(
  { keys, resolved }: Pick<SimulatorState, 'keys' | 'resolved'>,
  authorization: string | undefined,
  nowMs: number,
): RateReport | undefined {
  try {
    const key = keys.preview(
      findKey(readToken(authorization), (token) => keys.get(token)),
      nowMs,
    );
    const { reportedWindow } = resolved.settings;
    return key.bannedUntilMs > nowMs ? reportBanned(key, reportedWindow) : reportServed(key, reportedWindow);
  } catch {
    return rateWithoutKey(resolved, nowMs);
  }
}

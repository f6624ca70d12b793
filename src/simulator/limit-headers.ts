import type { PlanLimits } from '../rate-limits/plan-limits.js';
import { type RateReport, reportBanned, reportServed, reportUnauthorized } from '../rate-limits/rate-report.js';
import type { ApiCall } from '../requests/api-call.js';
import type { WindowName } from '../requests/request-record.js';
import type { ResolvedScenario } from '../scenario/resolve-scenario.js';
import { keyOfCall } from './sent-key.js';
import type { SimulatorState } from './simulator-state.js';

/**
 * Returns the values of the rate-limit headers for a request without a valid API key; `undefined` if the assumption
 * `unauthorizedHeaders` omits the headers.
 */
export function rateWithoutKey(
  { plans, windowSeconds, settings }: ResolvedScenario,
  nowMs: number,
): RateReport | undefined {
  const limits = (plans.free ?? Object.values(plans)[0]) as PlanLimits;
  const [[name, limit]] = Object.entries(limits) as [[WindowName, number]];
  const window = { name, limit, lengthSeconds: windowSeconds[name] as number };
  return reportUnauthorized(window, settings.unauthorizedHeaders, Math.floor(nowMs / 1000));
}

/** Returns the values of the rate-limit headers for a request that does not use quota: the limits of its API key. */
export function rateOf(state: SimulatorState, call: ApiCall, nowMs: number): RateReport | undefined {
  const { keys, resolved } = state;
  try {
    const key = keys.preview(keyOfCall(state, call), nowMs);
    const { reportedWindow } = resolved.settings;
    return key.bannedUntilMs > nowMs ? reportBanned(key, reportedWindow, nowMs) : reportServed(key, reportedWindow);
  } catch {
    return rateWithoutKey(resolved, nowMs);
  }
}

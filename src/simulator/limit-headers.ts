import type { PlanLimits } from '../rate-limits/plan-limits.js';
import {
  addRateHeaders,
  type RateReport,
  reportBanned,
  reportServed,
  reportUnauthorized,
} from '../rate-limits/rate-report.js';
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

/**
 * Creates the X-RateLimit headers for a request that does not use quota. The headers state the current limits of the
 * request's API key.
 */
export function limitHeaders(state: SimulatorState, call: ApiCall, nowMs: number): Record<string, string> {
  const { keys, resolved } = state;
  const headers: Record<string, string> = {};
  let rate: RateReport | undefined;
  try {
    const key = keys.preview(keyOfCall(state, call), nowMs);
    const { reportedWindow } = resolved.settings;
    rate = key.bannedUntilMs > nowMs ? reportBanned(key, reportedWindow, nowMs) : reportServed(key, reportedWindow);
  } catch {
    rate = rateWithoutKey(resolved, nowMs);
  }
  if (rate !== undefined) addRateHeaders(headers, rate);
  return headers;
}

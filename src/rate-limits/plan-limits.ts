import type { WindowName } from '../requests/request-record.js';

/**
 * Default lengths of the two rate-limit windows of a plan. The API's documentation limits "Requests per minute" and
 * "Requests per day".
 */
export const windowSeconds = { minute: 60, day: 86_400 } as const satisfies Record<WindowName, number>;

/** Limits of a plan: requests per window for one API key. */
export interface PlanLimits {
  minute: number;
  day: number;
}

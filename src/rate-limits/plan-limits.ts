import type { WindowName } from '../requests/request-record.js';

/** "Requests per minute", "Requests per day": the two windows, with their length in seconds. */
export const windowSeconds = { minute: 60, day: 86_400 } as const satisfies Record<WindowName, number>;

/** Requests that one API key may make in each window. */
export interface PlanLimits {
  minute: number;
  day: number;
}

import type { WindowName } from '../requests/request-record.js';
import { documentedNames, isDocumented } from '../values/window-fields.js';

/**
 * Lengths of a scenario's rate-limit windows, in seconds: the documented windows first, then others in the scenario's
 * order.
 */
export type WindowLengths = Readonly<Record<WindowName, number>>;

/** Limits of a plan: requests per window for one API key. A window without a limit is absent; at least one has a limit. */
export type PlanLimits = Readonly<Record<WindowName, number>>;

/**
 * Name of a plan's shortest window. A documented window, such as `day`, is never shorter than one that precedes it,
 * because a scenario may shorten the day for a test.
 */
export function shortestWindow(limits: PlanLimits, lengths: WindowLengths): WindowName {
  const first = documentedNames.find((name) => limits[name] !== undefined);
  const names = Object.keys(limits).filter((name) => name === first || !isDocumented(name));
  return names.reduce((least, name) => ((lengths[name] as number) < (lengths[least] as number) ? name : least));
}

/** Changes of a plan's limits. `null` removes a limit. */
export type LimitChanges = Readonly<Record<WindowName, number | null>>;

/** Largest number of requests as which one counts. A larger one in a response header counts as this one. */
export const maximumCost = 1_000_000_000;

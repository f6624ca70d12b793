import type { LimitChanges, PlanLimits, WindowLengths } from '../rate-limits/plan-limits.js';
import type { WindowName } from '../requests/request-record.js';
import { type Issue, issueAt, type Step } from '../validation/issue.js';
import { unknownWindow } from './per-window.js';
import type { CheckedScenario } from './scenario-schema.js';
import type { Settings } from './settings.js';

/** Limits of an invalid plan: none. Usage of its keys is not checked. */
export const unknownLimits: PlanLimits = {};

/**
 * Returns the documented plans with the scenario's changes and additions. The limits of each plan are in the order of
 * the windows.
 */
export function resolvePlans(
  { plans = {} }: CheckedScenario,
  documented: Readonly<Record<string, PlanLimits>>,
  { enterpriseLimits }: Settings,
  windowLengths: WindowLengths,
  issues: Issue[],
): Record<string, PlanLimits> {
  const bases: Record<string, LimitChanges> = { ...documented, enterprise: enterpriseLimits };
  const resolved: Record<string, PlanLimits> = { ...documented };
  for (const name of new Set(['enterprise', ...Object.keys(plans)])) {
    const changes = plans[name];
    const all: LimitChanges = { ...(Object.hasOwn(bases, name) && bases[name]), ...changes };
    const limits = Object.keys({ ...windowLengths, ...all }).flatMap((window) => {
      const limit = all[window] ?? null;
      return limit === null ? [] : [[window, limit] as const];
    });
    const isKnown = limits.length > 0 && changes !== unknownLimits;
    resolved[name] = isKnown ? Object.fromEntries(limits) : unknownLimits;
    if (limits.length > 0 || changes === unknownLimits) continue;
    const steps = changes === undefined ? ['assumptions', 'enterpriseLimits'] : ['plans', name];
    issues.push(issueAt(steps, 'expected a limit, got none: a plan needs at least one'));
  }
  return resolved;
}

/** Reports usage of windows that a plan does not limit, and usage above the plan's limit. */
export function checkUsage(
  usage: Readonly<Record<WindowName, number>>,
  limits: PlanLimits,
  steps: readonly Step[],
  issues: Issue[],
): void {
  if (limits === unknownLimits) return;
  for (const [window, used] of Object.entries(usage)) {
    const limit = Object.hasOwn(limits, window) ? limits[window] : undefined;
    if (limit === undefined) {
      issues.push(issueAt([...steps, window], unknownWindow(window, Object.keys(limits), 'plan'), true));
    } else if (used > limit) {
      issues.push(issueAt([...steps, window], `expected at most the limit of the plan (${limit}), got ${used}`));
    }
  }
}

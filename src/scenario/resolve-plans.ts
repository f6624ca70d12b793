import type { PlanLimits } from '../rate-limits/plan-limits.js';
import { type Issue, issueAt } from '../validation/issue.js';
import type { CheckedScenario } from './scenario-schema.js';
import type { Settings } from './settings.js';

/** Limits assumed for an invalid plan. The maximum values, so that no key's usage is reported as too high. */
export const unknownLimits: PlanLimits = { minute: 1e9, day: 1e9 };

/** Returns the documented plans with the scenario's changes and additions. */
export function resolvePlans(
  { plans = {} }: CheckedScenario,
  documented: Readonly<Record<string, PlanLimits>>,
  { enterpriseLimits }: Settings,
  issues: Issue[],
): Record<string, PlanLimits> {
  const resolved: Record<string, PlanLimits> = { ...documented, enterprise: enterpriseLimits };
  for (const [name, limits] of Object.entries(plans)) {
    const base = Object.hasOwn(resolved, name) ? resolved[name] : undefined;
    const { minute = base?.minute, day = base?.day } = limits;
    for (const [window, limit] of Object.entries({ minute, day })) {
      const message = 'expected a number, got none: a new plan needs both limits';
      if (limit === undefined) issues.push(issueAt(['plans', name, window], message));
    }
    resolved[name] = { ...unknownLimits, ...(minute && { minute }), ...(day && { day }) };
  }
  return resolved;
}

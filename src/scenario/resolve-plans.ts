import { documentedPlans } from '../petstore/document.js';
import type { Settings } from '../petstore/settings.js';
import type { PlanLimits } from '../rate-limits/plan-limits.js';
import { type Issue, issueAt } from '../validation/issue.js';
import type { CheckedScenario } from './scenario-schema.js';

/** Limits of a plan that has a mistake: the highest, so that no usage is reported for being above. */
export const unknownLimits: PlanLimits = { minute: 1e9, day: 1e9 };

/** The plans of the service with what a scenario changes in them, and those that it adds. */
export function resolvePlans(
  { plans = {} }: CheckedScenario,
  { enterpriseLimits }: Settings,
  issues: Issue[],
): Record<string, PlanLimits> {
  const resolved: Record<string, PlanLimits> = { ...documentedPlans, enterprise: enterpriseLimits };
  for (const [name, limits] of Object.entries(plans)) {
    const base = Object.hasOwn(resolved, name) ? resolved[name] : undefined;
    const { minute = base?.minute, day = base?.day } = limits;
    for (const [window, limit] of Object.entries({ minute, day })) {
      const message = 'expected a number, got none: a plan that the service does not have needs both limits';
      if (limit === undefined) issues.push(issueAt(['plans', name, window], message));
    }
    resolved[name] = { ...unknownLimits, ...(minute && { minute }), ...(day && { day }) };
  }
  return resolved;
}

import type { PlanLimits } from '../rate-limits/plan-limits.js';
import { type Issue, issueAt } from '../validation/issue.js';
import { check, type SchemaIssue } from '../validation/schema.js';
import { spelledHeader } from '../values/spelled-header.js';
import { operationNames } from './operations.js';
import type { CheckedScenario } from './scenario-schema.js';
import type { ServiceSchema } from './service-schema.js';

/** Costs of requests, each the number of requests as which one counts. */
export interface Costs {
  /** Costs by the name of the operation. */
  readonly ofOperations: ReadonlyMap<string, number>;
  /** Header, as `spelledHeader` spells it, with which the response of a backend or handler states the cost. */
  readonly header?: string | undefined;
  /** Path of the field of the JSON body with which the response of a backend or handler states the cost. */
  readonly bodyPath?: readonly string[] | undefined;
}

/**
 * Reads the costs of a scenario. Reports operations with a cost above a limit, because no wait would help their callers.
 * Returns `undefined` if each request counts as one.
 */
export function resolveCosts(
  { cost }: Pick<CheckedScenario, 'cost'>,
  service: Pick<ServiceSchema, 'rows' | 'basePath'>,
  plans: Readonly<Record<string, PlanLimits>>,
  issues: Issue[],
): Costs | undefined {
  if (cost === undefined) return undefined;
  if (typeof cost === 'string') {
    const [place, name = ''] = cost.split(' ');
    const stated = place === 'header' ? { header: spelledHeader(name) } : { bodyPath: name.split('.') };
    return { ofOperations: new Map(), ...stated };
  }
  const [[plan, window, limit] = []] = Object.entries(plans)
    .flatMap(([name, limits]) => Object.entries(limits).map(([window, limit]) => [name, window, limit] as const))
    .sort(([, , one], [, , other]) => one - other);
  const ofOperations = new Map<string, number>();
  const names = operationNames(service);
  for (const [text, each] of Object.entries(cost)) {
    if (limit !== undefined && each > limit)
      issues.push(
        issueAt(['cost', text], `expected at most the limit of plan ${plan} (${limit} for ${window}), got ${each}`),
      );
    const found: SchemaIssue[] = [];
    for (const name of (check(names, text, found) as string[] | undefined) ?? []) ofOperations.set(name, each);
    for (const { message } of found) issues.push(issueAt(['cost', text], message, true));
  }
  return { ofOperations };
}

import type { CheckInSteps } from '../schema/check-in-steps.js';
import { type Issue, issueAt } from '../schema/issue.js';
import { type AnySchema, check, maximumIssues, type Output, type SchemaIssue } from '../schema/schema.js';
import type { Steps } from '../values/steps.js';
import { faultSchema } from './fault-schema.js';
import { unknownLimits } from './resolve-plans.js';
import { ScenarioError } from './scenario-error.js';
import { type CheckedScenario, scenarioSchema } from './scenario-schema.js';

/**
 * Checks a scenario against its schema. An invalid field is reported in `issues` and left out of the result, so that the
 * rest can be checked further and all issues are reported at once. Beside an unknown field everything stays.
 */
export function* checkScenario(scenario: object, issues: Issue[], checkAll?: CheckInSteps): Steps<CheckedScenario> {
  const found: SchemaIssue[] = [];
  const rest: CheckedScenario = {
    ...(checkAll === undefined
      ? check(scenarioSchema, scenario, found)
      : yield* checkAll(scenarioSchema, scenario, found)),
  };
  issues.push(...toIssues(found));
  for (const { steps, unknown } of found) {
    const [field, name] = steps as [keyof CheckedScenario, string?];
    if (name !== undefined && field === 'plans') loosen(rest, name);
    else if (name !== undefined && field === 'assumptions')
      omitAssumption(rest, steps.length === 2 && unknown ? unknown : name);
    else if (name !== undefined && field === 'keys') {
      // With another plan, its usage may be right.
      if (unknown === undefined || unknown === 'plan') delete rest.keys?.[name];
    } else if (unknown === undefined) delete rest[field];
    // Keys and rules name plans; without any they would be reported for a plan that does not exist.
    if (name === undefined && (field === 'plans' || field === 'assumptions')) {
      delete rest.keys;
      delete rest.faults;
    }
  }
  return rest;
}

/** A plan with a mistake still has its name. */
function loosen(rest: CheckedScenario, plan: string): void {
  rest.plans = { ...rest.plans, [plan]: unknownLimits };
  if (plan === 'enterprise' && rest.assumptions !== undefined) delete rest.assumptions.enterpriseLimits;
}

/** Leaves out an assumption with a mistake, and what would be reported only because the mistake left it out. */
function omitAssumption(rest: CheckedScenario, id: string): void {
  const others: Record<string, unknown> = { ...rest.assumptions };
  delete others[id];
  if (id === 'acceptAnyKey') others.acceptAnyKey = true;
  rest.assumptions = others;
  if (id === 'enterpriseLimits') loosen(rest, 'enterprise');
}

/** @throws {ScenarioError} when it is not a fault rule */
export const checkFault = (fault: unknown) => checkWith(faultSchema, fault, 'fault rule');

/** @throws {ScenarioError} listing every issue with its path */
export function checkWith<Of extends AnySchema>(schema: Of, value: unknown, subject: string): Output<Of> {
  const found: SchemaIssue[] = [];
  const output = check(schema, value, found);
  if (found.length > 0) throw new ScenarioError(toIssues(found), subject);
  return output as Output<Of>;
}

export const toIssues = (found: readonly SchemaIssue[]) =>
  found.slice(0, maximumIssues).map(({ steps, message, onName }) => issueAt(steps, message, onName));

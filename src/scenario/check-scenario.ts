import type { CheckInSteps } from '../validation/check-in-steps.js';
import { type Issue, issueAt } from '../validation/issue.js';
import { type AnySchema, check, maximumIssues, type Output, type SchemaIssue } from '../validation/schema.js';
import { isMap } from '../values/plain-data.js';
import type { Steps } from '../values/steps.js';
import { faultSchema } from './fault-schema.js';
import { type KnownOperations, unknownOperations } from './operations.js';
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
    const [field, name] = steps as [keyof CheckedScenario, (string | number)?];
    if (typeof name === 'string' && field === 'plans') loosen(rest, name);
    else if (typeof name === 'string' && field === 'assumptions')
      omitAssumption(rest, steps.length === 2 && unknown ? unknown : name);
    else if (typeof name === 'string' && field === 'keys') {
      // With another plan, its usage may be right.
      if (unknown === undefined || unknown === 'plan') delete rest.keys?.[name];
    } else if (field === 'faults' && typeof name === 'number') {
      if (unknown === undefined) keepNames(rest, scenario, name);
    } else if ((field === 'client' || field === 'background') && name !== undefined) {
      if (unknown === undefined) delete (rest[field] as Record<string, unknown> | undefined)?.[name];
    } else if (unknown === undefined) delete rest[field];
    // Keys and rules name plans; without any they would be reported for a plan that does not exist.
    if (name === undefined && (field === 'plans' || field === 'assumptions')) {
      delete rest.keys;
      delete rest.faults;
    }
  }
  return rest;
}

/** Of a fault rule with a mistake, its name and the keys and the plan that it names can be checked. */
function keepNames(rest: CheckedScenario, { faults }: { faults?: unknown }, index: number): void {
  const rule: unknown = Array.isArray(faults) ? faults[index] : undefined;
  const { name, when } = isMap(rule) ? rule : {};
  const { key, plan } = isMap(when) ? when : {};
  const keys = (Array.isArray(key) ? key : [key]).filter((each) => typeof each === 'string');
  const named = {
    ...(typeof name === 'string' && name !== '' && { name }),
    when: { ...(keys.length > 0 && { key: keys }), ...(typeof plan === 'string' && { plan }) },
    // Any effect: a scenario with a mistake never runs.
    then: { delay: 0 },
  };
  rest.faults = (rest.faults ?? []).with(index, named);
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

/** @throws {ScenarioError} for what is no fault rule, or names an unknown operation */
export function checkFault(fault: unknown, known: KnownOperations) {
  const checked = checkWith(faultSchema, fault, 'fault rule');
  const issues = [...unknownOperations(checked, known)];
  if (issues.length > 0) throw new ScenarioError(issues, 'fault rule');
  return checked;
}

/** @throws {ScenarioError} listing every issue with its path */
export function checkWith<Of extends AnySchema>(schema: Of, value: unknown, subject: string): Output<Of> {
  const found: SchemaIssue[] = [];
  const output = check(schema, value, found);
  if (found.length > 0) throw new ScenarioError(toIssues(found), subject);
  return output as Output<Of>;
}

export const toIssues = (found: readonly SchemaIssue[]) =>
  found.slice(0, maximumIssues).map(({ steps, message, onName }) => issueAt(steps, message, onName));

import type { CheckInSteps } from '../validation/check-in-steps.js';
import { type Issue, issueAt } from '../validation/issue.js';
import { type AnySchema, check, maximumIssues, type Output, type SchemaIssue } from '../validation/schema.js';
import { isMap } from '../values/plain-data.js';
import type { Steps } from '../values/steps.js';
import { type KnownOperations, unknownOperations } from './operations.js';
import { unknownLimits } from './resolve-plans.js';
import { ScenarioError } from './scenario-error.js';
import type { ScenarioRules } from './scenario-rules.js';
import type { CheckedScenario } from './scenario-schema.js';

/**
 * Checks a scenario against its schema. Adds invalid fields to `issues` and omits them from the result, so that one
 * check reports all issues. A field with an unknown name does not invalidate its siblings.
 */
export function* checkScenario(
  scenario: object,
  { schema }: Pick<ScenarioRules, 'schema'>,
  issues: Issue[],
  checkAll?: CheckInSteps,
): Steps<CheckedScenario> {
  const found: SchemaIssue[] = [];
  const rest: CheckedScenario = {
    ...(checkAll === undefined ? check(schema, scenario, found) : yield* checkAll(schema, scenario, found)),
  };
  issues.push(...toIssues(found));
  for (const { steps, unknown } of found) {
    const [field, name] = steps as [keyof CheckedScenario, (string | number)?];
    if (typeof name === 'string' && field === 'plans') loosen(rest, name);
    else if (typeof name === 'string' && field === 'assumptions')
      omitAssumption(rest, steps.length === 2 && unknown ? unknown : name);
    else if (typeof name === 'string' && field === 'keys') {
      // Omits a key with a misspelled field name `plan`. The key's usage may be valid for the intended plan, but not
      // for the default plan.
      if (unknown === undefined || unknown === 'plan') delete rest.keys?.[name];
    } else if (field === 'faults' && typeof name === 'number') {
      if (unknown === undefined) keepNames(rest, scenario, name);
    } else if ((field === 'client' || field === 'background') && name !== undefined) {
      if (unknown === undefined) delete (rest[field] as Record<string, unknown> | undefined)?.[name];
    } else if (unknown === undefined) delete rest[field];
    // If all plans or assumptions are invalid, keys and fault rules are not checked. Their plans would be reported as
    // unknown.
    if (name === undefined && (field === 'plans' || field === 'assumptions')) {
      delete rest.keys;
      delete rest.faults;
    }
  }
  return rest;
}

/** Reduces an invalid fault rule to its name, keys and plan, so that these can still be checked. */
function keepNames(rest: CheckedScenario, { faults }: { faults?: unknown }, index: number): void {
  const rule: unknown = Array.isArray(faults) ? faults[index] : undefined;
  const { name, when } = isMap(rule) ? rule : {};
  const { key, plan } = isMap(when) ? when : {};
  const keys = (Array.isArray(key) ? key : [key]).filter((each) => typeof each === 'string');
  const named = {
    ...(typeof name === 'string' && name !== '' && { name }),
    when: { ...(keys.length > 0 && { key: keys }), ...(typeof plan === 'string' && { plan }) },
    // A fault rule needs an effect to be valid. Any effect will do, because a scenario with issues never runs.
    then: { delay: 0 },
  };
  rest.faults = (rest.faults ?? []).with(index, named);
}

/** Replaces the limits of an invalid plan with valid ones, so that references to the plan's name are not reported. */
function loosen(rest: CheckedScenario, plan: string): void {
  rest.plans = { ...rest.plans, [plan]: unknownLimits };
  if (plan === 'enterprise' && rest.assumptions !== undefined) delete rest.assumptions.enterpriseLimits;
}

/** Omits an invalid assumption from a scenario, so that the error does not cause further issues. */
function omitAssumption(rest: CheckedScenario, id: string): void {
  const others: Record<string, unknown> = { ...rest.assumptions };
  delete others[id];
  if (id === 'acceptAnyKey') others.acceptAnyKey = true;
  rest.assumptions = others;
  if (id === 'enterpriseLimits') loosen(rest, 'enterprise');
}

/** @throws {ScenarioError} if the fault rule is invalid or names an unknown operation */
export function checkFault(
  fault: unknown,
  { faultSchema }: Pick<ScenarioRules, 'faultSchema'>,
  known: KnownOperations,
) {
  const checked = checkWith(faultSchema, fault, 'fault rule');
  const issues = [...unknownOperations(checked, known)];
  if (issues.length > 0) throw new ScenarioError(issues, 'fault rule');
  return checked;
}

/** @throws {ScenarioError} with every issue and its path */
export function checkWith<Of extends AnySchema>(schema: Of, value: unknown, subject: string): Output<Of> {
  const found: SchemaIssue[] = [];
  const output = check(schema, value, found);
  if (found.length > 0) throw new ScenarioError(toIssues(found), subject);
  return output as Output<Of>;
}

export const toIssues = (found: readonly SchemaIssue[]) =>
  found.slice(0, maximumIssues).map(({ steps, message, onName }) => issueAt(steps, message, onName));

import type { FaultRule } from '../faults/fault-rule.js';
import type { CheckInSteps } from '../validation/check-in-steps.js';
import type { Issue } from '../validation/issue.js';
import { hintFor } from '../validation/nearest.js';
import {
  type AnySchema,
  check,
  type Output,
  otherThan,
  type SchemaIssue,
  shown,
  toIssues,
} from '../validation/schema.js';
import { fields, oneOf } from '../validation/schemas.js';
import { copyFrozen, isMap, mapOf } from '../values/plain-data.js';
import type { Steps } from '../values/steps.js';
import { documentedNames, documentedWindows } from '../values/window-fields.js';
import { type Fault, type FaultSchema, toFaultRule } from './fault-schema.js';
import { type KnownOperations, operationNames, unknownOperations } from './operations.js';
import { unknownWindow } from './per-window.js';
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
  const otherFields: CheckedScenario = {
    ...(checkAll === undefined ? check(schema, scenario, found) : yield* checkAll(schema, scenario, found)),
  };
  reportWindowNames(scenario, found);
  issues.push(...toIssues(found));
  for (const { steps, unknown } of found) {
    const [field, name] = steps as [keyof CheckedScenario, (string | number)?];
    if (typeof name === 'string' && field === 'plans') loosen(otherFields, name);
    else if (typeof name === 'string' && field === 'assumptions')
      omitAssumption(otherFields, steps.length === 2 && unknown ? unknown : name);
    else if (typeof name === 'string' && field === 'keys') {
      // Excludes a key from later checks if its field name `plan` is misspelled. Otherwise the key's usage would be
      // compared with the limits of the default plan, not of the intended plan.
      if (unknown === undefined || unknown === 'plan') delete otherFields.keys?.[name];
    } else if (field === 'faults' && typeof name === 'number') {
      if (unknown === undefined) keepNames(otherFields, scenario, name);
    } else if ((field === 'client' || field === 'background') && name !== undefined) {
      if (unknown === undefined) delete (otherFields[field] as Record<string, unknown> | undefined)?.[name];
    } else if (unknown === undefined) delete otherFields[field];
    // If `plans` or `assumptions` is invalid as a whole, `keys` and `faults` are not checked. Every plan name in `keys`
    // and `faults` would be reported as unknown.
    if (name === undefined && (field === 'plans' || field === 'assumptions')) {
      delete otherFields.keys;
      delete otherFields.faults;
    }
  }
  return otherFields;
}

/**
 * Reports windows that plans and settings of a scenario name although the scenario does not have them, and new windows
 * without a limit whose names resemble a documented one. Reads the scenario as written, to report the names next to
 * invalid values.
 */
function reportWindowNames(scenario: object, found: SchemaIssue[]): void {
  const { windows = {}, plans, assumptions, limits } = mapOf(scenario);
  if (!isMap(windows)) return;
  const known = Object.keys({ ...documentedWindows, ...windows });
  const limited = new Set<string>(documentedNames);
  const settings = mapOf(assumptions);
  const ofPlans = Object.entries(mapOf(plans)).map(([plan, changes]) => [['plans', plan], changes] as const);
  for (const [steps, changes] of [
    [['assumptions', 'enterpriseLimits'], settings.enterpriseLimits] as const,
    ...ofPlans,
  ]) {
    for (const name of Object.keys(mapOf(changes))) {
      limited.add(name);
      if (!known.includes(name))
        found.push({ steps: [...steps, name], message: unknownWindow(name, known, 'scenario'), onName: true });
    }
  }
  for (const name of known) {
    const hint = limited.has(name) ? '' : hintFor(name, documentedNames);
    const message = `expected a window that a plan limits, got ${shown(name)}${hint}`;
    if (hint !== '') found.push({ steps: ['windows', name], message, onName: true });
  }
  const reportable = oneOf('least-remaining', ...known);
  for (const [field, { reportedWindow }] of Object.entries({ limits: mapOf(limits), assumptions: settings })) {
    if (typeof reportedWindow === 'string' && !reportable.accepts(reportedWindow))
      found.push({ steps: [field, 'reportedWindow'], message: otherThan(reportable, reportedWindow) });
  }
}

/** Reduces an invalid fault rule to its name, keys and plan, so that these can still be checked. */
function keepNames(otherFields: CheckedScenario, { faults }: { faults?: unknown }, index: number): void {
  const rule: unknown = Array.isArray(faults) ? faults[index] : undefined;
  const { name, when } = isMap(rule) ? rule : {};
  const { key, plan } = isMap(when) ? when : {};
  const keys = (Array.isArray(key) ? key : [key]).filter((each) => typeof each === 'string');
  const named = {
    ...(typeof name === 'string' && name !== '' && { name }),
    when: { ...(keys.length > 0 && { key: keys }), ...(typeof plan === 'string' && { plan }) },
    // Placeholder effect, because a fault rule without an effect is invalid. No request gets the effect, because an
    // invalid scenario is never loaded.
    then: { delay: 0 },
  };
  otherFields.faults = (otherFields.faults ?? []).with(index, named);
}

/**
 * Replaces the limits of an invalid plan with placeholders, so that the plan's name stays known. Otherwise each key
 * with this plan would be reported as a further mistake.
 */
function loosen(otherFields: CheckedScenario, plan: string): void {
  otherFields.plans = { ...otherFields.plans, [plan]: unknownLimits };
  if (plan === 'enterprise' && otherFields.assumptions !== undefined) delete otherFields.assumptions.enterpriseLimits;
}

/** Removes an invalid assumption from a scenario. Later checks then do not report the same mistake again. */
function omitAssumption(otherFields: CheckedScenario, id: string): void {
  const others: Record<string, unknown> = { ...otherFields.assumptions };
  delete others[id];
  if (id === 'acceptAnyKey') others.acceptAnyKey = true;
  otherFields.assumptions = others;
  if (id === 'enterpriseLimits') loosen(otherFields, 'enterprise');
}

/**
 * Checks a fault rule and the operation names in it.
 * @throws {ScenarioError} if the fault rule is invalid or names an unknown operation
 */
export function checkFault(
  fault: unknown,
  { faultSchema }: Pick<ScenarioRules, 'faultSchema'>,
  operations: KnownOperations,
) {
  const checked = checkWith(faultSchema, fault, 'fault rule');
  const issues = [...unknownOperations(checked, operations)];
  if (issues.length > 0) throw new ScenarioError(issues, 'fault rule');
  return checked;
}

/**
 * Reads a fault rule as written, such as that of a saved state, whose operation names were checked before.
 * @throws {ScenarioError} if the fault rule is invalid
 */
export const readFaultRule = (written: unknown, faultSchema: FaultSchema, fallbackName: string): FaultRule =>
  toFaultRule(checkWith(faultSchema, written, 'fault rule'), copyFrozen(written as Fault), fallbackName);

/**
 * Reads the operation of a journal query, written as in a scenario. Returns the names of the meant operations.
 * @throws {ScenarioError} for an unknown operation
 */
export function checkOperation(
  operation: string,
  rules: Pick<ScenarioRules, 'rows' | 'basePath'>,
  operations: KnownOperations,
): readonly string[] {
  const checked = checkWith(fields({ operation: operationNames(rules) }), { operation }, 'journal query');
  const issues = [...unknownOperations(checked, operations)];
  if (issues.length > 0) throw new ScenarioError(issues, 'journal query');
  return checked.operation;
}

/**
 * Checks a value against a schema.
 * @throws {ScenarioError} with all mistakes in the value and their paths
 */
export function checkWith<Of extends AnySchema>(schema: Of, value: unknown, subject: string): Output<Of> {
  const issues: SchemaIssue[] = [];
  const output = check(schema, value, issues);
  if (issues.length > 0) throw new ScenarioError(toIssues(issues), subject);
  return output as Output<Of>;
}

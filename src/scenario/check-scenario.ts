import { type Issue, issueAt } from '../schema/issue.js';
import { type AnySchema, check, maximumIssues, type Output, type SchemaIssue } from '../schema/schema.js';
import { faultSchema } from './fault-schema.js';
import { ScenarioError } from './scenario-error.js';
import { type CheckedScenario, scenarioSchema } from './scenario-schema.js';

/**
 * Checks a scenario against its schema. An invalid field is reported in `issues` and left out of the result, with the
 * fields that refer to it, so that the rest can be checked further and all issues are reported at once.
 */
export function checkScenario(scenario: object, issues: Issue[]): CheckedScenario {
  const found: SchemaIssue[] = [];
  const rest: CheckedScenario = { ...check(scenarioSchema, scenario, found) };
  issues.push(...toIssues(found));
  for (const { steps } of found) {
    const [field, name] = steps as [keyof CheckedScenario, string?];
    if (field === 'keys' && name !== undefined) delete rest.keys?.[name];
    else delete rest[field];
  }
  // Keys and rules name plans; without the plan they would be reported for a plan that does not exist.
  const isPlanMissing = issues.some(({ steps: [field] }) => field === 'plans' || field === 'assumptions');
  if (isPlanMissing) for (const field of ['keys', 'faults'] as const) delete rest[field];
  return rest;
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

const toIssues = (found: readonly SchemaIssue[]) =>
  found.slice(0, maximumIssues).map(({ steps, message, onName }) => issueAt(steps, message, onName));

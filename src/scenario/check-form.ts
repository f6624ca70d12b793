import { faultSchema } from './fault-schema.js';
import { type AnyForm, check, type Mistake, mostMistakes, type Output } from './form.js';
import { type Problem, problemAt, ScenarioError } from './scenario-error.js';
import { type CheckedScenario, scenarioSchema } from './schema.js';

/**
 * Checks the form of a scenario. What is wrong is noted in `problems` and left out of the result, with what refers to it,
 * so that the rest can be checked further and all mistakes are found at once.
 */
export function checkForm(scenario: object, problems: Problem[]): CheckedScenario {
  const mistakes: Mistake[] = [];
  const rest: CheckedScenario = { ...check(scenarioSchema, scenario, mistakes) };
  problems.push(...toProblems(mistakes));
  for (const { steps } of mistakes) {
    const [field, name] = steps as [keyof CheckedScenario, string?];
    if (field === 'keys' && name !== undefined) delete rest.keys?.[name];
    else delete rest[field];
  }
  // Keys and rules name plans; with a plan left out, they would seem to name one that does not exist.
  const planProblem = problems.some(({ steps: [field] }) => field === 'plans' || field === 'assumptions');
  if (planProblem) for (const field of ['keys', 'faults'] as const) delete rest[field];
  return rest;
}

/** @throws {ScenarioError} when it is no fault rule */
export const checkFault = (fault: unknown) => checkWith(faultSchema, fault);

/** @throws {ScenarioError} naming every mistake with its path */
export function checkWith<Of extends AnyForm>(form: Of, value: unknown): Output<Of> {
  const mistakes: Mistake[] = [];
  const output = check(form, value, mistakes);
  if (mistakes.length > 0) throw new ScenarioError(toProblems(mistakes));
  return output as Output<Of>;
}

const toProblems = (mistakes: readonly Mistake[]) =>
  mistakes.slice(0, mostMistakes).map(({ steps, message, onName }) => problemAt(steps, message, onName));

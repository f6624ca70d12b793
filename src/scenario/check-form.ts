import * as v from 'valibot';
import { faultSchema } from './fault-schema.js';
import { type Problem, problemAt, ScenarioError, type Step } from './scenario-error.js';
import { type CheckedScenario, scenarioSchema } from './schema.js';

/** How many mistakes are described; a file of a megabyte can hold a hundred thousand. */
const mostProblems = 1_000;

/**
 * Checks the form of a scenario. What is wrong is noted in `problems` and left out of the result, with what refers to it,
 * so that the rest can be checked further and all mistakes are found at once.
 */
export function checkForm(scenario: object, problems: Problem[]): CheckedScenario {
  const result = v.safeParse(scenarioSchema, scenario, { abortPipeEarly: true });
  if (result.success) return result.output;
  const rest: Record<string, unknown> = { ...scenario };
  const badKeys = new Set<string>();
  for (const problem of result.issues.slice(0, mostProblems).flatMap((issue) => describe(issue))) {
    problems.push(problem);
    const [field, name] = problem.steps as [string?, string?];
    if (field === undefined) return {};
    if (field === 'keys' && name !== undefined) badKeys.add(name);
    else delete rest[field];
  }
  if (badKeys.size > 0 && rest.keys !== undefined) {
    rest.keys = Object.fromEntries(Object.entries(rest.keys as object).filter(([name]) => !badKeys.has(name)));
  }
  // Keys and rules name plans; with a plan left out, they would seem to name one that does not exist.
  const planProblem = problems.some(({ steps: [field] }) => field === 'plans' || field === 'assumptions');
  if (planProblem) for (const field of ['keys', 'faults']) delete rest[field];
  const again = v.safeParse(scenarioSchema, rest);
  return again.success ? again.output : {};
}

/** @throws {ScenarioError} when it is no fault rule */
export const checkFault = (fault: unknown) => checkWith(faultSchema, fault);

/** @throws {ScenarioError} naming every mistake with its path */
export function checkWith<Schema extends v.GenericSchema>(schema: Schema, value: unknown): v.InferOutput<Schema> {
  const result = v.safeParse(schema, value, { abortPipeEarly: true });
  if (result.success) return result.output;
  throw new ScenarioError(result.issues.flatMap((issue) => describe(issue)));
}

/** One mistake; of a union, the mistakes of the branch that fitted best. */
function describe(issue: v.BaseIssue<unknown>, above: readonly Step[] = []): Problem[] {
  const items = issue.path ?? [];
  const steps = [...above, ...items.map(({ key }) => (typeof key === 'number' ? key : String(key)))];
  if (issue.type === 'union' && issue.issues !== undefined) {
    const fits = issue.issues.map((inner) => (inner.path?.length ?? 0) + (inner.kind === 'schema' ? 0 : 0.5));
    const furthest = Math.max(...fits);
    const fitting = issue.issues.filter((_, index) => fits[index] === furthest);
    if (furthest > 0) return bestBranch(fitting).flatMap((inner) => describe(inner, steps));
  }
  return [problemAt(steps, complaint(issue), items.at(-1)?.origin === 'key')];
}

/** Of several maps that might have been meant, the one with the fewest unknown fields; valibot lists all in a row. */
function bestBranch(issues: v.BaseIssue<unknown>[]): v.BaseIssue<unknown>[] {
  const branches: v.BaseIssue<unknown>[][] = [[]];
  for (const [index, issue] of issues.entries()) {
    const before = branches.at(-1) ?? [];
    const isUnknown = issue.expected === 'never';
    const isNext = isUnknown
      ? before.some(({ expected, input }) => expected === 'never' && input === issue.input)
      : issues[index - 1]?.expected === 'never';
    if (isNext) {
      branches.push([issue]);
    } else before.push(issue);
  }
  const cost = (branch: v.BaseIssue<unknown>[]) =>
    branch.reduce((sum, { expected, message }) => {
      if (expected !== 'never') return sum + 1;
      return sum + (message.includes('did you mean') ? 9 : 10);
    }, 0);
  return branches.reduce((best, branch) => (cost(branch) < cost(best) ? branch : best));
}

function complaint({ message, expected, received }: v.BaseIssue<unknown>): string {
  const found = escaped(plainWords[received] ?? received);
  if (expected === 'never') return message;
  if (message.startsWith('expected')) {
    return received === 'Object' || message.includes(', got ') ? message : `${message}, got ${found}`;
  }
  return received === 'undefined' ? 'expected a value, got none' : `expected ${alternatives(expected)}, got ${found}`;
}

const plainWords: Record<string, string> = {
  Array: 'a list',
  Object: 'a map',
  string: 'text',
  number: 'a number',
};

/** `(("a" | "b") | Array)` as a person writes it: `"a", "b" or a list`. */
function alternatives(values: string | null): string {
  const each = (values ?? 'another value').replace(/^\(+|\)+$/g, '').split(/\)? \| \(?/);
  const words = [...new Set(each.map((value) => plainWords[value] ?? value))];
  return [words.slice(0, -1).join(', '), words.at(-1)].filter(Boolean).join(' or ');
}

/** Without what a terminal would act upon. */
const escaped = (text: string) => text.replace(/\p{Cc}/gu, (char) => JSON.stringify(char).slice(1, -1));

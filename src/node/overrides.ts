import { defaultScenario } from '../scenario/default.js';
import { merge } from '../scenario/merge.js';
import { type Problem, problemAt, ScenarioError, type Step } from '../scenario/scenario-error.js';
import { UsageError } from './usage-error.js';

/** One field that the command line sets on top of a scenario. */
export interface Override {
  /** As it was written: `--set ban.seconds=5`. */
  flag: string;
  steps: readonly Step[];
  value: unknown;
}

const stepForm = /(?:^|\.)([^.[\]=]+)|\[(\d+)\]|\["([^"]*)"\]/y;

/**
 * Reads the value of `--set`: a path such as `keys.free-key.usage.minute`, `pets[0].name` or `keys["a.b"].plan`, then `=`
 * and YAML.
 * @throws {UsageError} when it is something else
 */
export async function readSetFlag(text: string): Promise<Override> {
  const flag = `--set ${text}`;
  const steps: Step[] = [];
  let end = 0;
  stepForm.lastIndex = 0;
  for (let match = stepForm.exec(text); match !== null; match = stepForm.exec(text)) {
    const [, name, position, quoted] = match;
    steps.push(position === undefined ? ((name ?? quoted) as string) : Number(position));
    end = stepForm.lastIndex;
  }
  if (steps.length === 0 || text[end] !== '=') {
    throw new UsageError(`expected --set PATH=VALUE, such as --set ban.seconds=5, got ${JSON.stringify(text)}`);
  }
  const { readYaml } = await import('./read-yaml.js');
  const { value, problems } = readYaml(text.slice(end + 1));
  const [problem] = problems;
  if (problem !== undefined) throw new UsageError(`${flag}: ${problem.message}`);
  return { flag, steps, value };
}

/** The scenario with the fields set, the later over the earlier. Fields of the default scenario can be set, too. */
export function applyOverrides(scenario: unknown, overrides: readonly Override[]): unknown {
  if (overrides.length === 0) return scenario;
  const problems: Problem[] = [];
  let result = merge(defaultScenario, scenario);
  for (const { flag, steps, value } of overrides) {
    const put = (at: unknown, depth: number): unknown => {
      const step = steps[depth];
      if (step === undefined) return value;
      if (typeof step === 'number') {
        if (Array.isArray(at) && step < at.length) return at.with(step, put(at[step], depth + 1));
        const length = Array.isArray(at) ? `${at.length} in it` : 'none';
        problems.push({
          ...problemAt(steps.slice(0, depth), `expected a list with item ${step}, got ${length}`),
          file: flag,
        });
        return at;
      }
      if (at === undefined || (typeof at === 'object' && at !== null && !Array.isArray(at))) {
        const fields = at as Record<string, unknown> | undefined;
        return { ...fields, [step]: put(fields && Object.hasOwn(fields, step) ? fields[step] : undefined, depth + 1) };
      }
      const found = Array.isArray(at) ? 'a list' : JSON.stringify(at);
      problems.push({ ...problemAt(steps.slice(0, depth), `expected a map, got ${found}`), file: flag });
      return at;
    };
    result = put(result, 0);
  }
  if (problems.length > 0) throw new ScenarioError(problems);
  return result;
}

/** Whether a mistake is in what the flag set. */
export function concerns({ steps }: Override, problem: Problem): boolean {
  return (
    steps.every((step, index) => problem.steps[index] === step || index >= problem.steps.length) &&
    problem.steps.length > 0
  );
}

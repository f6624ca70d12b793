import { defaultScenario } from '../petstore/default-scenario.js';
import { resolveScenario } from '../petstore/scenario.js';
import { withPresentNames } from '../scenario/ban-schema.js';
import { isHeaderValue } from '../scenario/fault-schema.js';
import { ScenarioError } from '../scenario/scenario-error.js';
import type { Scenario } from '../scenario/scenario-schema.js';
import { type Issue, issueAt, type Step } from '../validation/issue.js';
import { UsageError } from '../validation/usage-error.js';
import { jsonText } from '../values/json.js';
import { isMap } from '../values/plain-data.js';
import { pluralize } from '../values/pluralize.js';

/** Command-line option that overrides a field of the scenario. */
export interface Override {
  /** The option as typed: `--set ban.for=5s`. */
  flag: string;
  steps: readonly Step[];
  value: unknown;
}

/** Maximum length of a command-line option in messages, in characters. */
const maximumShown = 200;

const stepForm = /(?:^|\.)([^.[\]=]+)|\[(\d+)\]|\["([^"]*)"\]/gy;

/**
 * Parses the value of `--set`: a path such as `keys.free-key.usage.minute`, `pets[0].name` or `keys["a.b"].plan`, then `=`
 * and YAML.
 * @throws {UsageError} for any other text
 */
export async function readSetFlag(text: string): Promise<Override> {
  const flag = `--set ${text.length > maximumShown ? `${text.slice(0, maximumShown)}…` : text}`;
  const matches = [...text.matchAll(stepForm)];
  const steps = matches.map(([, name, position, quoted]): Step => {
    return position === undefined ? ((name ?? quoted) as string) : Number(position);
  });
  const end = matches.map(([step]) => step).join('').length;
  const { maximumDepth, readYaml } = await import('../scenario/read-yaml.js');
  if (steps.length === 0 || text[end] !== '=') {
    throw new UsageError(`expected --set PATH=VALUE, such as --set ban.for=5s, got ${JSON.stringify(flag.slice(6))}`);
  }
  if (steps.length > maximumDepth) {
    throw new UsageError(`${flag}: expected a path of at most ${maximumDepth} steps, got ${steps.length}`);
  }
  const { value, issues } = readYaml(text.slice(end + 1), (inner) => isHeaderValue([...steps, ...inner]));
  const [issue] = issues;
  if (issue !== undefined) throw new UsageError(`${flag}: ${issue.message}`);
  return { flag, ...withPresentName(steps, value) };
}

/** Converts a deprecated field name of the option `--set` to the current name: `ban.seconds=5` to `ban.for=5s`. */
function withPresentName(steps: readonly Step[], value: unknown): Pick<Override, 'steps' | 'value'> {
  if (steps[0] !== 'ban' || steps.some((step) => typeof step === 'number')) return { steps, value };
  let rest = withPresentNames(steps.reduceRight<unknown>((inside, step) => ({ [step]: inside }), value));
  const present = steps.map(() => {
    const [[name, inside] = ['', undefined]] = Object.entries(rest as object);
    rest = inside;
    return name;
  });
  return { steps: present, value: rest };
}

/** Replaces fields of a scenario by the overrides of the command line, in order. */
export function applyOverrides(scenario: unknown, overrides: readonly Override[]): unknown {
  if (overrides.length === 0) return scenario;
  const issues: Issue[] = [];
  let result = scenario;
  for (const override of overrides) {
    const { flag, steps, value } = override;
    const report = (at: unknown, depth: number, message: string) => {
      const remedy = remedyFor(result, override, at, depth);
      issues.push({ ...issueAt(steps.slice(0, depth), message + remedy), file: flag });
      return at;
    };
    /**
     * Returns a copy of a part of a scenario, with one value replaced by a command-line override.
     * @param own part of the user's scenario; `undefined` if missing
     * @param base same part of the default scenario, used for a list that the user's scenario lacks
     */
    const put = (own: unknown, base: unknown, depth: number): unknown => {
      const step = steps[depth];
      if (step === undefined) return value;
      const at = own === undefined ? base : own;
      if (typeof step === 'number') {
        if (Array.isArray(at) && step < at.length) return at.with(step, put(at[step], undefined, depth + 1));
        const found = Array.isArray(at) ? `a list of ${pluralize(at.length, 'item')}, counted from 0` : 'no list';
        return report(at, depth, `expected a list with item ${step}, got ${found}`);
      }
      if (at === undefined || isMap(at)) {
        return { ...(isMap(own) && own), [step]: put(fieldOf(own, step), fieldOf(base, step), depth + 1) };
      }
      return report(at, depth, `expected a map, got ${Array.isArray(at) ? 'a list' : JSON.stringify(at)}`);
    };
    result = put(result, defaultScenario, 0);
  }
  if (issues.length > 0) throw new ScenarioError(issues);
  return result;
}

/**
 * Suggests an option for a path that does not match the scenario: one that replaces the existing value by a map or list,
 * or one for the first item of a list. Returns an empty text if the scenario would be invalid.
 */
function remedyFor(scenario: unknown, { flag, steps, value }: Override, at: unknown, depth: number): string {
  const [before, after] = [steps.slice(0, depth), steps.slice(depth)];
  const candidates: [string, Override][] = [];
  if (after.every((step) => typeof step === 'string' || step === 0)) {
    const nested = after.reduceRight((inside, step) => (step === 0 ? [inside] : { [step]: inside }), value);
    candidates.push(['to replace it', { flag, steps: before, value: nested }]);
  }
  if (Array.isArray(at) && at.length > 0 && typeof after[0] === 'string') {
    candidates.push(['to change its first item', { flag, steps: [...before, 0, ...after], value }]);
  }
  const [purpose, found] = candidates.find(([, each]) => before.length > 0 && isValid(scenario, each)) ?? [];
  if (found === undefined) return '';
  const text = `${pathText(found.steps)}=${yamlText(found.value)}`;
  return `; ${purpose}, write --set '${text.replaceAll("'", "'\\''")}'`;
}

/** Whether an override of the command line leaves the field of the scenario valid. */
function isValid(scenario: unknown, override: Override): boolean {
  try {
    resolveScenario(applyOverrides(scenario, [override]) as Scenario, () => []);
    return true;
  } catch (error) {
    if (error instanceof ScenarioError) return !error.issues.some(({ steps: [field] }) => field === override.steps[0]);
    throw error;
  }
}

/** Formats a path for `--set`: `pets[0].name`, `keys["a.b"].plan`. */
const pathText = (steps: readonly Step[]) =>
  steps
    .map((step) => (typeof step === 'number' ? `[${step}]` : /[.[\]=]/.test(step) ? `["${step}"]` : `.${step}`))
    .join('')
    .replace(/^\./, '');

/** Formats a value as one line of YAML: `{generate: {available: 5000}}`. */
function yamlText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(yamlText).join(', ')}]`;
  if (isMap(value)) {
    const fields = Object.entries(value).map(([name, inside]) => `${yamlText(name)}: ${yamlText(inside)}`);
    return `{${fields.join(', ')}}`;
  }
  const isPlain =
    typeof value === 'string' && /^(?!(?:true|false|null)$)[a-z][\w./-]*$|^\d+(?:ms|[smhd])$/i.test(value);
  return isPlain ? value : jsonText(value);
}

const fieldOf = (value: unknown, name: string) =>
  isMap(value) && Object.hasOwn(value, name) ? value[name] : undefined;

/** Whether a mistake is in the scenario field that a command-line option sets, or in a map around this field. */
export function isInField({ steps }: Override, issue: Issue): boolean {
  return (
    steps.every((step, index) => issue.steps[index] === step || index >= issue.steps.length) && issue.steps.length > 0
  );
}

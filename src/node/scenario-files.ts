import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadScenario } from '../scenario/load.js';
import { nearest } from '../scenario/nearest.js';
import { type Problem, problemAt, ScenarioError } from '../scenario/scenario-error.js';
import type { Scenario } from '../scenario/schema.js';
import { applyOverrides, concerns, type Override } from './overrides.js';
import type { LayeredScenario, Shipped } from './scenario-layers.js';

/** Made by scripts/build-scenarios.mjs from scenarios/*.yaml. */
const builtFolder = fileURLToPath(new URL('../../dist/scenarios/', import.meta.url));

/** The scenarios that come with the package. */
export function shippedScenarios(folder = builtFolder, ending = '.json'): Shipped {
  const names = readdirSync(folder)
    .filter((file) => file.endsWith(ending))
    .map((file) => file.slice(0, -ending.length))
    .sort();
  return { folder, ending, names };
}

/** A shipped scenario by its name. */
export function readShipped(name: string): Scenario {
  return JSON.parse(readFileSync(join(builtFolder, `${name}.json`), 'utf8'));
}

/** The file of a shipped scenario, as its author wrote it. */
export function shippedText(name: string): string {
  return readFileSync(new URL(`../../scenarios/${name}.yaml`, import.meta.url), 'utf8');
}

interface ReadOptions {
  /** Fields that the command line sets. */
  overrides?: readonly Override[];
  /** Where the names that `extends` gives are looked up. */
  shipped?: Shipped;
}

/** Every scenario that comes with the package, by name. */
export const readShippedScenarios = (): Record<string, Scenario> =>
  Object.fromEntries(shippedScenarios().names.map((name) => [name, readShipped(name)]));

/**
 * Reads a scenario for `createSimulator`: a shipped one by its name, or a YAML or JSON file by its path.
 * @throws {ScenarioError} naming every mistake with its file, line and column
 * @example const sim = createSimulator({ scenario: await readScenario('./two-left.yaml') });
 */
export async function readScenario(nameOrFile: string): Promise<Scenario> {
  const { scenario } = await readScenarioAndFiles(nameOrFile);
  return scenario;
}

/** The same, with the files that the scenario came from: its own, those it starts from, and that of its animals. */
export async function readScenarioAndFiles(
  nameOrFile: string,
  { overrides = [], shipped = shippedScenarios() }: ReadOptions = {},
): Promise<{ scenario: Scenario; files: readonly string[] }> {
  const isShipped = shipped.names.includes(nameOrFile);
  const read = isShipped ? shippedAlone(nameOrFile) : await readFileLayers(nameOrFile, shipped);
  const { value, files, isReadable } = read;
  const problems = [...read.problems];
  let scenario = value;
  // The build has checked the shipped ones.
  const isKnownGood = isShipped && overrides.length === 0;
  if (isReadable && !isKnownGood) {
    try {
      scenario = applyOverrides(withoutExtends(value, nameOrFile), overrides);
      loadScenario(scenario as Scenario, () => []);
    } catch (error) {
      if (!(error instanceof ScenarioError)) throw error;
      const isNew = ({ steps }: Problem) => !read.problems.some((known) => isUnder(steps, known.steps));
      problems.push(...error.problems.filter(isNew).map((problem) => placed(problem, overrides, read)));
    }
  }
  if (problems.length > 0) throw new ScenarioError(inOrder(problems, files));
  return { scenario: scenario as Scenario, files };
}

const shippedAlone = (name: string): LayeredScenario => ({
  value: readShipped(name),
  files: [],
  problems: [],
  isReadable: true,
  locate: (problem) => problem,
});

/** The reader of files brings the YAML library along, which a server with a shipped scenario never needs. */
async function readFileLayers(file: string, shipped: Shipped): Promise<LayeredScenario> {
  if (!existsSync(file)) {
    const meant = nearest(file, shipped.names);
    const hint = meant === undefined ? 'petstore-sim scenarios lists the shipped ones' : `did you mean ${meant}?`;
    throw new ScenarioError([{ ...problemAt([], `expected a file or a shipped scenario; ${hint}`), file }]);
  }
  const { readLayers } = await import('./scenario-layers.js');
  return readLayers(file, shipped);
}

/** The merged value as a scenario: named after its file, unless it has a name. */
function withoutExtends(value: unknown, file: string): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const { extends: base, ...fields } = value as Record<string, unknown>;
  // What is no text was not followed, and the check says so.
  return {
    name: basename(file, extname(file)),
    ...fields,
    ...(typeof base !== 'string' && base !== undefined && { extends: base }),
  };
}

/** A problem with the place that it comes from: a flag of the command line, or a file. */
function placed(problem: Problem, overrides: readonly Override[], { locate }: LayeredScenario): Problem {
  if (problem.file !== undefined) return problem;
  const override = overrides.findLast((candidate) => concerns(candidate, problem));
  return override === undefined ? locate(problem) : { ...problem, file: override.flag };
}

const isUnder = (steps: Problem['steps'], above: Problem['steps']) =>
  above.length > 0 && above.every((step, index) => steps[index] === step);

/** As a reader goes through them: file by file, from top to bottom; what no file says, last. */
function inOrder(problems: readonly Problem[], files: readonly string[]): Problem[] {
  const rank = ({ file }: Problem) =>
    file === undefined || !files.includes(file) ? files.length : files.indexOf(file);
  const compare = (a: Problem, b: Problem) =>
    rank(a) - rank(b) || (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0);
  return [...problems].sort(compare);
}

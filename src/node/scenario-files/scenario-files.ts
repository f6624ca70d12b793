import { existsSync } from 'node:fs';
import { basename, extname } from 'node:path';
import { resolveScenario } from '../../scenario/resolve-scenario.js';
import { ScenarioError } from '../../scenario/scenario-error.js';
import type { Scenario } from '../../scenario/scenario-schema.js';
import { type Issue, issueAt } from '../../schema/issue.js';
import { nearest } from '../../schema/nearest.js';
import { applyOverrides, concerns, type Override } from './overrides.js';
import type { LayeredScenario } from './scenario-layers.js';
import { readShipped, type Shipped, shippedScenarios } from './shipped-scenarios.js';

interface ReadOptions {
  /** Fields that the command line sets. */
  overrides?: readonly Override[];
  /** Where the names that `extends` gives are looked up. */
  shipped?: Shipped;
}

/**
 * Reads a scenario for `createSimulator`: a shipped one by its name, or a YAML or JSON file by its path.
 * @throws {ScenarioError} naming every mistake with its file, line and column
 * @example const sim = createSimulator({ scenario: await readScenario('./two-left.yaml') });
 */
export async function readScenario(nameOrFile: string): Promise<Scenario> {
  const { scenario } = await readScenarioAndFiles(nameOrFile);
  return scenario;
}

/** The same, with the files that the scenario came from: its own, those it starts from, and that of its pets. */
export async function readScenarioAndFiles(
  nameOrFile: string,
  { overrides = [], shipped = shippedScenarios() }: ReadOptions = {},
): Promise<{ scenario: Scenario; files: readonly string[] }> {
  const isShipped = shipped.names.includes(nameOrFile);
  const read = isShipped ? shippedAlone(nameOrFile) : await readFileLayers(nameOrFile, shipped);
  const { value, files, isReadable } = read;
  const issues = [...read.issues];
  let scenario = value;
  // The build has checked the shipped ones.
  const isKnownGood = isShipped && overrides.length === 0;
  if (isReadable && !isKnownGood) {
    try {
      scenario = applyOverrides(withoutExtends(value, nameOrFile), overrides);
      resolveScenario(scenario as Scenario, () => []);
    } catch (error) {
      if (!(error instanceof ScenarioError)) throw error;
      const isNew = ({ steps }: Issue) => !read.issues.some((known) => isUnder(steps, known.steps));
      issues.push(...error.issues.filter(isNew).map((issue) => placed(issue, overrides, read)));
    }
  }
  if (issues.length > 0) throw new ScenarioError(inOrder(issues, files));
  return { scenario: scenario as Scenario, files };
}

const shippedAlone = (name: string): LayeredScenario => ({
  value: readShipped(name),
  files: [],
  issues: [],
  isReadable: true,
  locate: (issue) => issue,
});

/** The reader of files brings the YAML library along, which a server with a shipped scenario never needs. */
async function readFileLayers(file: string, shipped: Shipped): Promise<LayeredScenario> {
  if (!existsSync(file)) {
    const meant = nearest(file, shipped.names);
    const hint = meant === undefined ? 'petstore-sim scenarios lists the shipped ones' : `did you mean ${meant}?`;
    throw new ScenarioError([{ ...issueAt([], `expected a file or a shipped scenario; ${hint}`), file }]);
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

/** A issue with the place that it comes from: a flag of the command line, or a file. */
function placed(issue: Issue, overrides: readonly Override[], { locate }: LayeredScenario): Issue {
  if (issue.file !== undefined) return issue;
  const override = overrides.findLast((candidate) => concerns(candidate, issue));
  return override === undefined ? locate(issue) : { ...issue, file: override.flag };
}

const isUnder = (steps: Issue['steps'], above: Issue['steps']) =>
  above.length > 0 && above.every((step, index) => steps[index] === step);

/** As a reader goes through them: file by file, from top to bottom; what no file says, last. */
function inOrder(issues: readonly Issue[], files: readonly string[]): Issue[] {
  const rank = ({ file }: Issue) => (file === undefined || !files.includes(file) ? files.length : files.indexOf(file));
  const compare = (a: Issue, b: Issue) =>
    rank(a) - rank(b) || (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0);
  return [...issues].sort(compare);
}

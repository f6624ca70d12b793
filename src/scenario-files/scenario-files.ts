import { existsSync } from 'node:fs';
import { basename, extname } from 'node:path';
import { defaultScenario } from '../petstore/default-scenario.js';
import { documentedPlans } from '../petstore/document.js';
import { petstore } from '../petstore/petstore.js';
import type { GeneratePets } from '../petstore/resolve-pets.js';
import { resolveScenario } from '../petstore/scenario.js';
import type { PlanLimits, WindowLengths } from '../rate-limits/plan-limits.js';
import { withTable } from '../requests/operation-table.js';
import { type KnownOperations, knownOperations, withoutRoute } from '../scenario/operations.js';
import { readStart } from '../scenario/read-start.js';
import type { ResolvedScenario } from '../scenario/resolve-scenario.js';
import { ScenarioError } from '../scenario/scenario-error.js';
import type { ScenarioRules } from '../scenario/scenario-rules.js';
import type { Scenario } from '../scenario/scenario-schema.js';
import type { SimulatorOptions } from '../simulator/simulator.js';
import { rulesOf } from '../simulator/simulator-state.js';
import { type Issue, issueAt } from '../validation/issue.js';
import { hintFor } from '../validation/nearest.js';
import { checkOptions } from '../values/check-options.js';
import { isMap, mapOf } from '../values/plain-data.js';
import { documentedWindows } from '../values/window-fields.js';
import type { Override } from './overrides.js';
import type { LayeredScenario } from './scenario-layers.js';
import { readShipped, type Shipped, shippedScenarios } from './shipped-scenarios.js';

interface ReadOptions {
  /** Scenario fields that the command line overrides. */
  overrides?: readonly Override[];
  /** Scenarios of the package, to which `extends` can refer by name. */
  shipped?: Shipped;
  /**
   * Generates the pets of the scenario field `pets.generate`. Without this function, the field is checked, but no pets
   * are generated.
   */
  generatePets?: GeneratePets;
  /** Names of operations that the scenario may contain. Default: `listPets`, `createPet` and `getPet`. */
  operations?: KnownOperations | undefined;
  /** Schemas of a simulator with services of the user. Default: those of the Petstore alone. */
  rules?: ScenarioRules | undefined;
}

/** Scenario that was read from a file and checked. */
export interface ReadScenario {
  scenario: Scenario;
  /** Scenario in which each omitted field has its default value, for `createSimulatorFrom`. */
  resolved: ResolvedScenario;
  /**
   * Files from which the scenario was read: its own file, those that it extends, and its pets file. Empty for a
   * scenario of the package.
   */
  files: readonly string[];
  /** Warnings about possible mistakes in the scenario, one sentence each. */
  notes: readonly string[];
}

/**
 * Reads a scenario for `createSimulator`: a shipped one by its name, or a YAML or JSON file by its path.
 * @param options services and operations that the simulator has in addition, as for `createSimulator`
 * @throws {ScenarioError} with every mistake and its file, line and column
 * @example const sim = createSimulator({ scenario: await readScenario('./two-left.yaml') });
 */
export async function readScenario(
  nameOrFile: string,
  options: Pick<SimulatorOptions, 'services' | 'operations'> = {},
): Promise<Scenario> {
  checkOptions('readScenario', options, { services: true, operations: true } satisfies Record<
    keyof typeof options,
    true
  >);
  const { services = [], operations = [] } = options;
  const tables = services.map(withTable);
  const names = [petstore, ...tables].flatMap((service) => service.operations);
  const { scenario } = await readScenarioAndFiles(nameOrFile, {
    rules: rulesOf(petstore, tables),
    operations: knownOperations([...names, ...operations]),
  });
  return scenario;
}

/** Returns the name of a scenario, without the folder of its file. */
export const nameOfScenario = (nameOrFile: string): string => basename(nameOrFile);

/**
 * Reads and checks a scenario. Returns the scenario, its copy with all defaults filled in, and the files that were
 * read.
 * @throws {ScenarioError} with every mistake and its file, line and column
 */
export async function readScenarioAndFiles(
  nameOrFile: string,
  { overrides = [], shipped = shippedScenarios(), generatePets = () => [], operations, rules }: ReadOptions = {},
): Promise<ReadScenario> {
  const isShipped = shipped.names.includes(nameOrFile);
  const layered = isShipped ? readShippedLayers(nameOrFile) : await readFileLayers(nameOrFile, shipped);
  const { value, files, isReadable } = layered;
  const issues = [...layered.issues];
  // Imports the module for `--set` only if the command line overrides scenario fields, so that the program starts
  // faster.
  const applied = overrides.length > 0 ? await import('./overrides.js') : undefined;
  let found: ReadScenario | undefined;
  if (isReadable) {
    try {
      const written = withoutExtends(value, nameOrFile);
      const content = applied?.applyOverrides(written, overrides) ?? written;
      // The words of services are imported only for a scenario that may name one.
      const { faults, words } = mapOf(content);
      const refusals = (faults ?? words) === undefined ? undefined : await import('../scenario/refusals.js');
      const scenario = (refusals?.withRefusals(content) ?? content) as Scenario;
      const resolved = resolveScenario(scenario, generatePets, readStart, operations, rules);
      found = {
        scenario,
        resolved,
        files,
        notes: [
          ...newKeys(value, overrides),
          ...unusualPlans(resolved),
          ...shortDurations(scenario),
          ...resolved.faults.flatMap(({ name, when }) =>
            withoutRoute(when.operation, operations ?? knownOperations(petstore.operations)).map(
              (note) => `fault rule ${name}: ${note}`,
            ),
          ),
        ],
      };
    } catch (error) {
      if (!(error instanceof ScenarioError)) throw error;
      const isNew = ({ steps }: Issue) => !layered.issues.some((known) => isUnder(steps, known.steps));
      const overrideOf = (issue: Issue) => overrides.findLast((each) => applied?.isInField(each, issue));
      issues.push(...error.issues.filter(isNew).map((issue) => withLocation(issue, overrideOf(issue), layered)));
    }
  }
  if (found === undefined || issues.length > 0) throw new ScenarioError(sortIssues(issues, files));
  return found;
}

/**
 * Warns about API keys that a `--set` option adds to the scenario, if their name resembles an existing key. Such a name
 * may be misspelt.
 */
function newKeys(value: unknown, overrides: readonly Override[]): string[] {
  const own = isMap(value) && isMap(value.keys) ? value.keys : {};
  const known = Object.keys({ ...own, ...defaultScenario.keys });
  const named = overrides.flatMap(({ steps: [field, key] }) =>
    field === 'keys' && typeof key === 'string' ? key : [],
  );
  return [...new Set(named)].flatMap((key) => {
    const hint = known.includes(key) ? '' : hintFor(key, known);
    return hint === '' ? [] : [`--set creates a new key, ${JSON.stringify(key)}${hint}`];
  });
}

/**
 * Warns about plans of the scenario: names that may be misspelt, and limits that exceed the limit of a longer window.
 */
function unusualPlans({ scenario, plans, windowSeconds: written, keys, faults }: ResolvedScenario): string[] {
  const used = [...keys.values(), ...faults.map(({ when }) => when)].map(({ plan }) => plan);
  const known = [...Object.keys(documentedPlans), 'enterprise'];
  // A scenario may shorten the day for a test. Its limit is then still the limit of a day.
  const lengths: WindowLengths = { ...written, ...documentedWindows };
  const lengthOf = (window: string) => lengths[window] as number;
  return Object.keys(scenario.plans ?? {}).flatMap((name) => {
    const windows = Object.entries(plans[name] as PlanLimits).sort(([a], [b]) => lengthOf(a) - lengthOf(b));
    const unusual = windows.flatMap(([window, limit], index) => {
      const [longer, more] = windows[index + 1] ?? [window, limit];
      return limit <= more
        ? []
        : `plans.${name}: ${limit} requests per ${window} are more than the ${more} per ${longer}`;
    });
    const hint = known.includes(name) || used.includes(name) ? '' : hintFor(name, known);
    return [...(hint === '' ? [] : [`plans.${name}: a new plan that no key has${hint}`]), ...unusual];
  });
}

/** Maximum delay without a unit for which seconds were probably meant. Clients do not notice such a short delay. */
const maximumUnitlessDelayMs = 10;

/**
 * Returns warnings about durations without a unit, which count as milliseconds, if seconds were probably meant. Warns
 * about delays up to 10 ms, and about ban, expiry and fault rule durations below 1,000 ms.
 */
function shortDurations({ keys, faults = [] }: Scenario): string[] {
  const found = [
    ...Object.entries(keys ?? {}).flatMap(([key, { bannedFor, expiresIn }]) => [
      [`keys.${key}.bannedFor`, bannedFor],
      [`keys.${key}.expiresIn`, expiresIn],
    ]),
    ...faults.flatMap(({ when, then }, index) => [
      [`faults[${index}].when.after`, when?.after],
      [`faults[${index}].when.for`, when?.for],
      [`faults[${index}].then.ban`, then.ban],
    ]),
  ];
  const delays = faults.flatMap(({ then: { delay } }, index) => {
    const path = `faults[${index}].then.delay`;
    return isMap(delay) ? Object.entries(delay).map(([name, value]) => [`${path}.${name}`, value]) : [[path, delay]];
  });
  return [
    ...found.flatMap(([path, value]) =>
      Number.isInteger(value) && Number(value) > 0 && Number(value) < 1_000
        ? [`${path}: ${value} is ${value} ms; did you mean "${value}s"?`]
        : [],
    ),
    ...delays.flatMap(([path, value]) =>
      typeof value === 'number' && value > 0 && value <= maximumUnitlessDelayMs
        ? [`${path}: expected a unit, "${value}s" or "${value}ms"; ${value} is ${value} ms`]
        : [],
    ),
  ];
}

const readShippedLayers = (name: string): LayeredScenario => ({
  value: readShipped(name),
  files: [],
  issues: [],
  isReadable: true,
  locate: (issue) => issue,
});

/**
 * Reads a scenario file and the files that it extends. Imports the YAML parser only here, so that a server with a
 * scenario of the package starts faster.
 */
async function readFileLayers(file: string, shipped: Shipped): Promise<LayeredScenario> {
  if (!existsSync(file)) {
    const hint = hintFor(file, shipped.names, '; npx petstore-sim scenarios lists the shipped ones');
    throw new ScenarioError([{ ...issueAt([], `expected a file or a shipped scenario${hint}`), file }]);
  }
  const { readLayers } = await import('./scenario-layers.js');
  return readLayers(file, shipped);
}

/**
 * Converts a scenario file, merged with the files that it extends, to a scenario. Without a name, the scenario is named
 * after the file.
 */
function withoutExtends(value: unknown, file: string): unknown {
  if (!isMap(value)) return value;
  const { extends: base, ...fields } = value;
  // Keeps an `extends` that is not text, so that the later validation of the scenario reports this mistake.
  return {
    name: basename(file, extname(file)),
    ...fields,
    ...(typeof base !== 'string' && base !== undefined && { extends: base }),
  };
}

/** Adds the source to a mistake in the scenario: the file and line, or the command-line option. */
function withLocation(issue: Issue, override: Override | undefined, { locate }: LayeredScenario): Issue {
  if (issue.file !== undefined) return issue;
  return override === undefined ? locate(issue) : { ...issue, file: override.flag };
}

const isUnder = (steps: Issue['steps'], above: Issue['steps']) =>
  above.length > 0 && above.every((step, index) => steps[index] === step);

/** Sorts mistakes in a scenario by file and position. Those in command-line options come last. */
function sortIssues(issues: readonly Issue[], files: readonly string[]): Issue[] {
  const rank = ({ file }: Issue) => (file === undefined || !files.includes(file) ? files.length : files.indexOf(file));
  const compare = (a: Issue, b: Issue) =>
    rank(a) - rank(b) || (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0);
  return [...issues].sort(compare);
}

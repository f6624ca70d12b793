import type { ClockStart } from '../clock/simulated-clock.js';
import type { FaultRule } from '../faults/fault-rule.js';
import { freeFaultName } from '../faults/fault-rules.js';
import type { HostileHeaders } from '../faults/hostile-headers.js';
import { type StoredPet, toStored } from '../petstore/pet.js';
import type { Settings } from '../petstore/settings.js';
import type { KeyDefinition } from '../rate-limits/api-key.js';
import { type PlanLimits, windowSeconds } from '../rate-limits/plan-limits.js';
import type { CheckInSteps } from '../validation/check-in-steps.js';
import { type Issue, issueAt } from '../validation/issue.js';
import type { Int64 } from '../values/int64.js';
import { isMap, merge } from '../values/plain-data.js';
import { mapInSteps, runToEnd, type Steps } from '../values/steps.js';
import { withPresentNames } from './ban-schema.js';
import { checkScenario } from './check-scenario.js';
import { defaultScenario } from './default-scenario.js';
import { toFaultRule } from './fault-schema.js';
import { type KnownOperations, knownOperations, unknownOperations } from './operations.js';
import type { ReadStart, StartState } from './read-start.js';
import { checkKeyNames, limitsOf, resolveKeys } from './resolve-keys.js';
import { type GeneratePets, resolvePets } from './resolve-pets.js';
import { resolvePlans } from './resolve-plans.js';
import { resolveSettings } from './resolve-settings.js';
import { ScenarioError } from './scenario-error.js';
import type { CheckedScenario, Scenario } from './scenario-schema.js';

/** A scenario with all defaults filled in and all values checked, from which a simulator is built. */
export interface ResolvedScenario {
  /** The scenario merged with the default scenario. Valid as input for `resolveScenario`. */
  scenario: Scenario;
  name: string;
  seed: number;
  clock: ClockStart;
  idStart: Int64 | undefined;
  categories: ReadonlySet<Int64>;
  pets: readonly StoredPet[];
  plans: Readonly<Record<string, PlanLimits>>;
  windowSeconds: PlanLimits;
  keys: ReadonlyMap<string, KeyDefinition>;
  faults: readonly FaultRule[];
  hostileHeaders: HostileHeaders | undefined;
  /** Request rate of other clients with a key, in requests per second, by token. */
  background: ReadonlyMap<string, number>;
  settings: Settings;
  /** Exported state of another simulator to continue from. */
  start: StartState | undefined;
}

/**
 * Checks a scenario and merges it with the default scenario: maps merge, all other values replace.
 * @throws {ScenarioError} with every issue and its path
 */
export const resolveScenario = (
  scenario: Scenario,
  generatePets?: GeneratePets,
  readStart?: ReadStart,
  operations?: KnownOperations,
): ResolvedScenario => runToEnd(resolveInSteps(scenario, generatePets, readStart, undefined, operations));

/**
 * Resolves a scenario like `resolveScenario`, in steps.
 * @param checkAll checks the scenario against its schema; default: in one step
 * @param operations those that the scenario may name; default: those of the document
 */
export function* resolveInSteps(
  scenario: Scenario,
  generatePets?: GeneratePets,
  readStart?: ReadStart,
  checkAll?: CheckInSteps,
  operations: KnownOperations = knownOperations(),
): Steps<ResolvedScenario> {
  const complete = completed(scenario);
  yield;
  const issues: Issue[] = [];
  const checked = yield* checkScenario(complete, issues, checkAll);
  issues.push(...unknownOperations(checked, operations));
  const settings = resolveSettings(checked, issues);
  if (checked.extends !== undefined && checked.extends !== 'default') {
    const message = `expected "default" (only scenario files can extend another), got ${JSON.stringify(checked.extends)}`;
    issues.push(issueAt(['extends'], message));
  }
  // Includes keys with issues, which are already reported.
  if (!settings.acceptAnyKey && isMap(complete?.keys)) checkKeyNames(checked, complete.keys, issues);
  const plans = resolvePlans(checked, settings, issues);
  const seed = checked.seed ?? 1;
  const { start: startMs, skew: skewMs, mode, speed } = checked.clock ?? {};
  const idStart = checked.ids?.start;
  const categories = checked.categories ?? [];
  const windowLengths = {
    minute: checked.windows?.minute ?? windowSeconds.minute,
    day: checked.windows?.day ?? windowSeconds.day,
  };
  const resolved: ResolvedScenario = {
    scenario: complete,
    name: checked.name ?? 'unnamed',
    seed,
    clock: { startMs, skewMs, mode, speed },
    idStart,
    categories: new Set(categories),
    pets: yield* mapInSteps(resolvePets(checked, { seed, categories, settings, generatePets }, issues), toStored),
    plans,
    windowSeconds: windowLengths,
    keys: yield* resolveKeys(checked, plans, issues),
    faults: resolveFaults(checked, plans, issues),
    hostileHeaders: checked.hostileHeaders,
    background: new Map(Object.entries(checked.background ?? {})),
    settings,
    start: readStart?.(checked, { plans, windowSeconds: windowLengths, settings }, issues),
  };
  if (checked.state !== undefined && readStart === undefined) {
    const message = 'expected a reader: pass { readStart } from "petstore-sim/control" to createSimulator';
    issues.push(issueAt(['state'], message));
  }
  if (issues.length > 0) throw new ScenarioError(issues);
  return resolved;
}

/** Merges a scenario with the default scenario. */
export function completed(scenario: Scenario): Scenario {
  const present = withPresentNames(scenario);
  if (!isMap(present)) return merge<Scenario>(defaultScenario, present);
  const { keys, ...rest } = present;
  const { description, ...others } = merge<Scenario>(defaultScenario, isMap(keys) ? rest : present);
  return {
    ...others,
    // The description of the default scenario does not apply to others.
    ...((scenario.description !== undefined || scenario.name === undefined) && { description }),
    // Own keys first, because clients get the first key. Merged as elsewhere, but with a single copy of possibly
    // thousands of keys.
    ...(isMap(keys) && { keys: Object.assign({ ...keys }, mergeEach(defaultScenario.keys, keys)) }),
  };
}

/** Merges the entries of `base` with those of the same name in `over`. */
const mergeEach = (base: object = {}, over: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(base).map(([name, value]) => [name, merge(value, over[name])]));

/** Fault rules in order, with names for unnamed rules. */
function resolveFaults(
  { faults = [] }: CheckedScenario,
  plans: Readonly<Record<string, PlanLimits>>,
  issues: Issue[],
): FaultRule[] {
  const given = faults.map(({ name }) => name);
  const taken = new Set(given.filter((name) => name !== undefined));
  return faults.map((fault, index) => {
    const rule = toFaultRule(fault, freeFaultName(taken, index + 1));
    if (fault.name !== undefined && given.indexOf(fault.name) < index) {
      issues.push(issueAt(['faults', index, 'name'], `expected a free name, got "${rule.name}", which is taken`));
    }
    taken.add(rule.name);
    const { plan } = rule.when;
    if (plan !== undefined) limitsOf(plan, plans, ['faults', index, 'when', 'plan'], issues);
    return rule;
  });
}

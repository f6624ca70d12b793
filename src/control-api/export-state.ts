import type { FaultRulesState } from '../faults/fault-rules.js';
import { type Pet, toStored } from '../petstore/pet.js';
import { petsOf, petstore } from '../petstore/petstore.js';
import { generatedPets, maximumPetsWhileServing } from '../petstore/resolve-pets.js';
import { type ApiKey, withWindows } from '../rate-limits/api-key.js';
import type { Window } from '../rate-limits/window.js';
import { toFaultRule } from '../scenario/fault-schema.js';
import type { ExportedKey } from '../scenario/key-state-schema.js';
import type { ResolvedScenario } from '../scenario/resolve-scenario.js';
import type { Scenario } from '../scenario/scenario-schema.js';
import { toApiKey } from '../scenario/to-api-key.js';
import { coreOf, type Simulator, type Snapshot } from '../simulator/simulator.js';
import { readCopy, type ServiceCopies, writeCopy } from '../simulator/simulator-state.js';
import { checkInSteps } from '../validation/check-in-steps.js';
import type { Issue } from '../validation/issue.js';
import { mapInSteps, type Steps } from '../values/steps.js';
import { invalid } from './control-error.js';
import { maximumGenerated } from './input-values.js';
import { computeLazyParts, jsonPieces, lazyCopy, lazyList } from './lazy-result.js';
import { type ExportedState, stateVersion } from './state-schema.js';

/** Converts a simulator's state to plain data with exact int64 values. The large parts are lazy. */
export function exportLazily(sim: Simulator): ExportedState {
  const { resolved, dataFrom, clock, services, keys, faults } = sim.snapshot();
  const state: ExportedState = {
    version: stateVersion,
    scenario: lazyCopy(resolved.scenario),
    ...(dataFrom !== resolved && { dataFrom: lazyCopy(dataFrom.scenario) }),
    clock,
    pets: lazyList(exported(petsOf(services).pets, exportPet)),
    nextId: petsOf(services).nextId,
    keys: lazyList(exported(keys.keys, exportKey)),
    unlistedKeys: lazyList(exported(keys.unlisted, exportKey)),
    faults: exportFaults(faults),
  };
  for (const other of coreOf(sim).state.services) {
    const { name } = other.service;
    if (name === petstore.name || !Object.hasOwn(services, name)) continue;
    state.services = { ...state.services, [name]: [...writeCopy(other, services[name])] };
  }
  return state;
}

/** Converts a simulator's state to plain data. Computes all parts now. */
export const exportState = (sim: Simulator) => computeLazyParts(exportLazily(sim)) as ExportedState;

function* exported<Item, Exported>(items: readonly Item[], show: (item: Item) => Exported): Generator<Exported> {
  for (const item of items) yield show(item);
}

/** Exports the fault rules with their numbers of matching and affected requests. */
export function exportFaults({ rules, counts, startMs }: FaultRulesState): ExportedState['faults'] {
  const countsOf = new Map(counts);
  return {
    startMs,
    rules: rules.map(({ name, definition }) => {
      const { seen = 0, applied = 0, failed = [] } = countsOf.get(name) ?? {};
      return { rule: definition as ExportedFault['rule'], seen, applied, failed: [...failed] };
    }),
  };
}

export function importFaults({ startMs, rules: exported }: ExportedState['faults']): FaultRulesState {
  const rules = exported.map(({ rule }, index) => toFaultRule(rule, `fault-${index + 1}`));
  return {
    startMs,
    rules,
    counts: rules.map(({ name }, index) => {
      const { seen, applied, failed } = exported[index] as ExportedFault;
      return [name, { seen, applied, failed: new Map(failed) }];
    }),
  };
}

type ExportedFault = ExportedState['faults']['rules'][number];

/**
 * Restores the snapshot of an exported state. Changes nothing in the simulator.
 * @throws {ScenarioError} for mistakes in the scenario; {ControlError} for contradictions, and for a scenario that generates
 * far more pets than the state has
 */
export function* importState(sim: Simulator, state: ExportedState): Steps<Snapshot> {
  const { scenario, dataFrom = scenario, pets } = state;
  const resolved = yield* resolve(sim, scenario, pets.length);
  refuseDuplicates(
    'pets',
    'id',
    state.pets.map(({ id }) => id),
  );
  yield;
  refuseDuplicates(
    'keys',
    'key',
    [...state.keys, ...state.unlistedKeys].map(({ key }) => key),
  );
  yield;
  refuseDuplicates(
    'faults.rules',
    'name',
    state.faults.rules.map(({ rule }) => rule.name),
  );
  const importAt = (path: string) => (key: ExportedKey, index: number) =>
    importKey(key, `${path}[${index}]`, resolved, state.clock.nowMs);
  return {
    resolved,
    dataFrom: dataFrom === scenario ? resolved : yield* resolve(sim, dataFrom, pets.length),
    clock: state.clock,
    services: {
      ...importServices(sim, state),
      [petstore.name]: { pets: yield* mapInSteps(state.pets, toStored), nextId: state.nextId },
    },
    keys: {
      keys: yield* mapInSteps(state.keys, importAt('keys')),
      unlisted: yield* mapInSteps(state.unlistedKeys, importAt('unlistedKeys')),
    },
    faults: importFaults(state.faults),
  };
}

/** Reads the data of services besides the Petstore. */
function importServices(sim: Simulator, { services = {} }: ExportedState): ServiceCopies {
  const copies: Record<string, unknown> = {};
  for (const [name, values] of Object.entries(services)) {
    const other = coreOf(sim).state.services.find(({ service }) => service.name === name);
    if (other === undefined) throw invalid(`expected services of this simulator, got ${name}`);
    copies[name] = readCopy(other, values);
  }
  return copies;
}

/** Resolves the scenario of an imported state. Reuses the simulator's current scenario if both are equal. */
function* resolve(sim: Simulator, scenario: Scenario, pets: number): Steps<ResolvedScenario> {
  const { state, resolve } = coreOf(sim);
  const { resolved } = state;
  if (yield* isSame(jsonPieces(scenario), jsonPieces(resolved.scenario))) return resolved;
  // Allows more pets than usual, because the server that exported the state could hold them.
  const most = Math.max(maximumPetsWhileServing, pets);
  if (generatedPets(scenario) > most) throw invalid(`scenario: expected ${maximumGenerated(most)}`);
  return yield* resolve(scenario, checkInSteps);
}

function* isSame(pieces: Iterator<string>, others: Iterator<string>): Steps<boolean> {
  for (;;) {
    const [one, other] = [pieces.next(), others.next()];
    if (one.value !== other.value) return false;
    if (one.done) return true;
    yield;
  }
}

export const exportPet = ({ id, name, categoryId, status, extra }: Pet) => ({
  id,
  name,
  categoryId,
  ...(status !== undefined && { status }),
  ...(extra !== undefined && { extra }),
});

/** Exports a key, with its fields in a fixed order. */
export const exportKey = (key: ApiKey): ExportedKey =>
  withWindows(key, exportWindow(key.minute), exportWindow(key.day));

const exportWindow = ({ startSeconds, used, log, logStart }: Window) => ({
  startSeconds,
  used,
  log: log.slice(logStart),
});

/**
 * Imports a key.
 * @throws {ControlError} with the path of the mistake, if fields contradict each other
 */
export function importKey(key: ExportedKey, path: string, resolved: ResolvedScenario, nowMs: number): ApiKey {
  const issues: Issue[] = [];
  const imported = toApiKey(key, resolved, nowMs, [], issues);
  if (issues[0] !== undefined) throw invalid(`${path}.${issues[0].path}: ${issues[0].message}`);
  return imported;
}

function refuseDuplicates(path: string, field: string, values: readonly unknown[]): void {
  const named = values.filter((value) => value !== undefined);
  if (new Set(named).size < named.length) throw invalid(`${path}: expected each ${field} once, got one twice`);
}

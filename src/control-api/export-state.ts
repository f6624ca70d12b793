import type { FaultRulesState } from '../faults/fault-rules.js';
import type { ApiKey } from '../rate-limits/api-key.js';
import type { Window } from '../rate-limits/window.js';
import { readFaultRule } from '../scenario/check-scenario.js';
import type { FaultSchema } from '../scenario/fault-schema.js';
import type { ExportedKey } from '../scenario/key-state-schema.js';
import type { ResolvedScenario } from '../scenario/resolve-scenario.js';
import type { Scenario } from '../scenario/scenario-schema.js';
import { toApiKey } from '../scenario/to-api-key.js';
import { coreOf, type Simulator, type Snapshot } from '../simulator/simulator.js';
import { mountServices, readCopy, type ServiceCopies, writeCopy } from '../simulator/simulator-state.js';
import { checkInSteps } from '../validation/check-in-steps.js';
import type { Issue } from '../validation/issue.js';
import { mapInSteps, type Steps } from '../values/steps.js';
import { toWindowFields } from '../values/window-fields.js';
import { invalid } from './control-error.js';
import { computeLazyParts, jsonPieces, lazyCopy, lazyList } from './lazy-result.js';
import { type ExportedState, type StateForm, type StateSchema, stateVersion, withFaultSchema } from './state-schema.js';

/**
 * Converts a simulator's state to plain data with exact int64 values. Large parts, such as the list of API keys, are
 * computed only when they are read or sent.
 */
export function exportLazily(sim: Simulator, { data }: StateForm): ExportedState {
  const { resolved, dataFrom, clock, services, keys, faults } = sim.snapshot();
  const { main, state } = coreOf(sim);
  const exported = {
    version: stateVersion,
    scenario: lazyCopy(resolved.scenario),
    ...(dataFrom !== resolved && { dataFrom: lazyCopy(dataFrom.scenario) }),
    clock,
    ...data?.write(services[main.name]),
    keys: lazyList(exportKeys(keys.keys)),
    unlistedKeys: lazyList(exportKeys(keys.unlisted)),
    faults: exportFaults(faults),
  } as ExportedState;
  for (const other of state.services) {
    const { name } = other.service;
    if ((data && name === main.name) || !Object.hasOwn(services, name)) continue;
    exported.services = { ...exported.services, [name]: [...writeCopy(other, services[name])] };
  }
  return exported;
}

/** Converts a simulator's state to plain data. Unlike `exportLazily`, computes every part immediately. */
export const exportState = (sim: Simulator, form: StateForm) =>
  computeLazyParts(exportLazily(sim, form)) as ExportedState;

function* exportKeys(keys: readonly ApiKey[]): Generator<ExportedKey> {
  for (const key of keys) yield exportKey(key);
}

/** Converts a simulator's fault rules, and how many requests each matched and changed so far, to plain data. */
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

/** Returns the schema of exported states for a simulator, whose own services can add conditions of fault rules. */
export const stateSchemaOf = (sim: Simulator, { schema }: Pick<StateForm, 'schema'>): StateSchema =>
  withFaultSchema(schema, coreOf(sim).main.rules.faultSchema);

/** @param faultSchema schema of the simulator's fault rules, which an exported state has as written */
export function importFaults(
  { startMs, rules: exported }: ExportedState['faults'],
  faultSchema: FaultSchema,
): FaultRulesState {
  const rules = exported.map(({ rule }, index) => readFaultRule(rule, faultSchema, `fault-${index + 1}`));
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
 * Converts an exported state to a snapshot for `restore`. Does not change the simulator.
 * @throws {ScenarioError} for mistakes in the state's scenario; {ControlError} for mistakes in the rest of the state,
 * and for a scenario that generates far more pets than the state contains
 */
export function* importState(sim: Simulator, state: ExportedState, form: StateForm): Steps<Snapshot> {
  const { scenario, dataFrom = scenario } = state;
  const resolved = yield* resolve(sim, scenario, state, form);
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
    dataFrom: dataFrom === scenario ? resolved : yield* resolve(sim, dataFrom, state, form),
    clock: state.clock,
    services: {
      ...importServices(sim, state, resolved, form),
      ...(form.data && { [coreOf(sim).main.name]: yield* form.data.read(state) }),
    },
    keys: {
      keys: yield* mapInSteps(state.keys, importAt('keys')),
      unlisted: yield* mapInSteps(state.unlistedKeys, importAt('unlistedKeys')),
    },
    faults: importFaults(state.faults, coreOf(sim).main.rules.faultSchema),
  };
}

/**
 * Reads the data of each simulated API from the field `services` of an exported state. The data of the main API (the
 * Petstore) may be in separate fields instead, such as `pets`, which are read elsewhere.
 */
function importServices(
  sim: Simulator,
  { services = {} }: ExportedState,
  resolved: ResolvedScenario,
  { data }: StateForm,
): ServiceCopies {
  const { main, state } = coreOf(sim);
  const copies: Record<string, unknown> = {};
  for (const [name, values] of Object.entries(services)) {
    const other = state.services.find(({ service }) => service.name === name && (!data || service !== main));
    if (other === undefined) throw invalid(`services: expected services of this simulator, got ${name}`);
    try {
      copies[name] = readCopy(other, values);
      // Restores the imported data in a temporary copy of the API, such as the Petstore. Invalid data is thus rejected
      // before the simulator changes.
      mountServices([other.service], resolved)[0]?.data?.restore(copies[name]);
    } catch (error) {
      throw invalid(`services.${name}: expected data that the service exported: ${error}`);
    }
  }
  return copies;
}

/** Resolves the scenario of an imported state. Reuses the simulator's current scenario if both are equal. */
function* resolve(
  sim: Simulator,
  scenario: Scenario,
  exported: ExportedState,
  form: StateForm,
): Steps<ResolvedScenario> {
  const { state, resolve } = coreOf(sim);
  const { resolved } = state;
  if (yield* isSame(jsonPieces(scenario), jsonPieces(resolved.scenario))) return resolved;
  form.check?.(scenario, exported);
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

/** Converts an API key to its form in an exported state, with the fields in a fixed order. */
export function exportKey(exported: ApiKey): ExportedKey {
  const { key, plan, state, expiresAtMs, episodes, strikes, bans, bannedFromMs, bannedUntilMs, banCause } = exported;
  const { preset, episode, backgroundSeconds } = exported;
  return {
    key,
    plan,
    state,
    expiresAtMs,
    ...toWindowFields(exported.windows.map((window) => [window.name, exportWindow(window)])),
    preset: preset && { ...preset, usage: { ...preset.usage } },
    episode: episode && { ...episode },
    episodes,
    strikes,
    bans,
    bannedFromMs,
    bannedUntilMs,
    banCause,
    backgroundSeconds,
  };
}

const exportWindow = ({ startSeconds, used, log, logStart }: Window) => ({
  startSeconds,
  used,
  log: log.slice(logStart),
});

/**
 * Converts an API key of an exported state to a key of a simulator.
 * @throws {ControlError} with the path of the mistake, if fields contradict each other
 */
export function importKey(key: ExportedKey, path: string, resolved: ResolvedScenario, nowMs: number): ApiKey {
  const issues: Issue[] = [];
  const imported = toApiKey(key, resolved, nowMs, [], issues);
  if (issues[0] !== undefined) throw invalid(`${path}.${issues[0].path}: ${issues[0].message}`);
  return imported;
}

export function refuseDuplicates(path: string, field: string, values: readonly unknown[]): void {
  const named = values.filter((value) => value !== undefined);
  if (new Set(named).size < named.length) throw invalid(`${path}: expected each ${field} once, got one twice`);
}

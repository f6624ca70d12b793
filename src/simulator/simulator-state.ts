import type { TimeSource } from '../clock/machine-time.js';
import { SimulatedClock } from '../clock/simulated-clock.js';
import { FaultRules } from '../faults/fault-rules.js';
import { RequestJournal } from '../journal/journal.js';
import { JournalBudget } from '../journal/journal-budget.js';
import { KeyRegistry } from '../rate-limits/key-registry.js';
import { windowAlgorithm } from '../rate-limits/window.js';
import type { ApiHandler } from '../requests/api-call.js';
import { createOperationFinder } from '../requests/operation-table.js';
import { createHeaderRecorder, type HeaderRecorder } from '../requests/recorded-headers.js';
import type { OperationRows, Service, ServiceData } from '../requests/service.js';
import { conditionSchemas } from '../scenario/fault-schema.js';
import type { KnownOperations } from '../scenario/operations.js';
import type { ResolvedScenario } from '../scenario/resolve-scenario.js';
import { createScenarioRules, type ScenarioRules } from '../scenario/scenario-rules.js';
import type { JsonValue } from '../values/json.js';
import { expectedKeyFrom, type KeyFrom, type KeyPlace, keyFromPattern, toKeyPlace } from '../values/key-place.js';
import { createHeaderWriter, type HeaderWriter } from './response-headers.js';
import type { DelayedRequest, RunningRequest } from './to-record.js';

/** Scenario and mutable state of a simulator. */
export interface SimulatorState {
  resolved: ResolvedScenario;
  readonly clock: SimulatedClock;
  /**
   * APIs that the simulator serves, in matching order: the first API with an operation for the request responds. The
   * main API, such as the Petstore, is last.
   */
  readonly services: readonly MountedService[];
  /** Base paths of the simulator's services, such as `/v1`. The main service's path is first. */
  readonly basePaths: ApiHandler['basePaths'];
  readonly keys: KeyRegistry;
  readonly faults: FaultRules;
  readonly journal: RequestJournal;
  /** Requests delayed by fault rules, in the order in which they continue. */
  readonly delayed: DelayedRequest[];
  /** Requests to custom routes whose functions are running, by request id. */
  readonly running: Map<number, RunningRequest>;
  /**
   * Scenario whose initial data (such as pets) a reset restores. Differs from the current scenario if the current
   * scenario was loaded without `reseed`, which leaves the data unchanged.
   */
  dataFrom: ResolvedScenario;
  /**
   * Source of the machine's time, for example the times of the entries in the log that stores the server's state. If
   * `undefined`, the simulator's clock reads the machine's time itself.
   */
  readonly time: TimeSource | undefined;
  readonly shared: SharedParts;
}

/** API that a simulator serves, such as the Petstore, with the API's data (such as pets) in this simulator. */
export interface MountedService {
  readonly service: SimulatedService;
  data: ServiceData<ResolvedScenario> | undefined;
  /** Place of the API's keys, if the API has its own. */
  readonly keyPlace: KeyPlace | undefined;
}

/**
 * Service (an API that a simulator serves) whose data may be of any type. The service gets scenarios in resolved form,
 * with all defaults filled in.
 */
export type SimulatedService = Service<unknown, ResolvedScenario>;

/** Properties that the main service (the Petstore) adds to a simulator, by declaration merging. */
// biome-ignore lint/suspicious/noEmptyInterface: the main service adds members by declaration merging
export interface ServiceProperties {}

/**
 * Main API of a simulator (the Petstore). Besides operations and data, this API defines scenario fields and properties
 * of the simulator, such as `sim.pets`.
 */
export interface MainService<Data = unknown> extends Service<Data, ResolvedScenario> {
  readonly rules: ScenarioRules;
  /**
   * Creates the properties that an API adds to its simulator, such as `sim.pets` of the Petstore.
   * @param data returns the API's current data
   * @param isLogged whether the simulator's state is restored from a log; the properties must then not change the data,
   * because the log would lack the change
   */
  simulatorFields(data: () => Data, isLogged: boolean): ServiceProperties;
}

/** Returns the rules of scenarios that may name the operations of all services, with the conditions of each. */
export function rulesOf(
  { rules }: MainService,
  services: readonly Pick<Service, 'rows' | 'basePath'>[],
): ScenarioRules {
  if (services.every((service) => service.rows === undefined)) return rules;
  const others: OperationRows = Object.fromEntries(
    services.flatMap(({ rows = {}, basePath }) =>
      Object.entries(rows).map(([name, row]) => [name, { ...row, basePath }]),
    ),
  );
  return createScenarioRules({
    ...rules,
    rows: { ...others, ...rules.rows },
    conditions: { ...rules.conditions, ...conditionSchemas(others, rules.conditions) },
  });
}

/**
 * Caches and settings that a simulator shares with its copies (sandboxes and results of `sim.fork`), to save memory and
 * time. Sharing never affects a response.
 */
export interface SharedParts {
  readonly writeHeaders: HeaderWriter;
  readonly recordHeaders: HeaderRecorder;
  /** Memory budget of the journals of a simulator and its forks. */
  readonly budget: JournalBudget;
  readonly operations: KnownOperations;
  /**
   * Returns the name by which scenarios refer to an operation. A custom route without a name, with the method and path
   * of an operation of the simulated APIs, has the operation's name.
   */
  nameInScenario(operation?: string): string;
}

export function createSharedParts(
  operations: KnownOperations,
  { rows, basePath }: Pick<ScenarioRules, 'rows' | 'basePath'>,
): SharedParts {
  const find = createOperationFinder(rows, basePath);
  return {
    writeHeaders: createHeaderWriter(),
    recordHeaders: createHeaderRecorder(),
    budget: new JournalBudget(),
    operations,
    nameInScenario: (operation = '') => (operation.includes('/') ? (find(operation)[0] ?? operation) : operation),
  };
}

/**
 * Creates a simulator's state at the start of a scenario.
 * @param onError receives the error that a listener for journal records threw
 * @param parts.services APIs with their data at the start of the scenario, which no other simulator shares
 */
export function createSimulatorState(
  resolved: ResolvedScenario,
  onError: (error: unknown) => void,
  { services, shared, time }: Pick<SimulatorState, 'services' | 'shared' | 'time'>,
): SimulatorState {
  const clock = new SimulatedClock(resolved.clock, time);
  const nowMs = clock.now();
  const keys = new KeyRegistry(keyRegistryOptions(resolved, clock), nowMs);
  const faults = new FaultRules();
  faults.configure(resolved.faults, resolved.seed, resolved.start?.faults);
  faults.reset(nowMs);
  return {
    resolved,
    clock,
    services,
    basePaths: [...new Set(services.map(({ service }) => service.basePath).reverse())] as [string, ...string[]],
    keys,
    faults,
    journal: new RequestJournal(onError, {}, shared.budget),
    delayed: [],
    running: new Map(),
    dataFrom: resolved,
    time,
    shared,
  };
}

const createData = (service: SimulatedService, resolved: ResolvedScenario) =>
  service.createData?.(resolved) as ServiceData<ResolvedScenario> | undefined;

/** @throws {TypeError} for an unknown place of keys */
function checkKeyFrom({ name, keyFrom = 'bearer' }: SimulatedService): KeyFrom {
  if (keyFromPattern.test(keyFrom)) return keyFrom;
  throw new TypeError(`services: expected keyFrom of ${name} to be ${expectedKeyFrom}, got ${JSON.stringify(keyFrom)}`);
}

/** Creates the data of each served API, such as pets, as at the start of a scenario. */
export const mountServices = (services: readonly SimulatedService[], resolved: ResolvedScenario): MountedService[] =>
  services.map((service) => ({
    service,
    data: createData(service, resolved),
    keyPlace: service.keyFrom && toKeyPlace(checkKeyFrom(service)),
  }));

/**
 * Creates the data of each served API, such as pets, for a copy of the simulator (`sim.fork`). The data is as at the
 * start of the scenario.
 */
export const forkServices = (
  { services, dataFrom }: Pick<SimulatorState, 'services' | 'dataFrom'>,
  resolved: ResolvedScenario,
): MountedService[] =>
  services.map(({ service, data, keyPlace }) => {
    const fork = dataFrom === resolved ? data?.fork?.() : undefined;
    return { service, data: fork ?? createData(service, resolved), keyPlace };
  });

/** Copies of the data of a simulator's APIs, such as pets, by API name. A snapshot contains these copies. */
export type ServiceCopies = Readonly<Record<string, unknown>>;

export const captureServices = ({ services }: SimulatorState): ServiceCopies =>
  Object.fromEntries(
    services.flatMap(({ service, data }) => (data === undefined ? [] : [[service.name, data.capture()]])),
  );

/** Converts a copy of the data of a simulated API, such as its pets, to JSON values for a log or an exported state. */
export const writeCopy = ({ data }: MountedService, copy: unknown): Iterable<JsonValue> =>
  data?.write?.(copy) ?? [copy as JsonValue];

/** Converts JSON values that `writeCopy` created from an API's data, such as its pets, back to a copy of the data. */
export const readCopy = ({ data }: MountedService, values: readonly JsonValue[]): unknown =>
  data?.read === undefined ? values[0] : data.read(values);

/**
 * Restores the data of each simulated API, such as the pets, from a captured copy. Data without a copy is reset to its
 * state at the scenario's start.
 */
export function restoreServices({ services, resolved }: SimulatorState, copies: ServiceCopies = {}): void {
  for (const mounted of services) {
    const { service, data } = mounted;
    if (Object.hasOwn(copies, service.name)) data?.restore(copies[service.name]);
    else if (data?.reset === undefined) mounted.data = createData(service, resolved);
    else data.reset();
  }
}

/**
 * Loads another scenario into a simulator and resets keys and faults. `reseed` also restarts data and clock; different
 * clock settings also restart the clock.
 */
export function applyScenario(state: SimulatorState, resolved: ResolvedScenario, reseed: boolean): void {
  configureScenario(state, resolved, reseed);
  const nowMs = state.clock.now();
  state.keys.reset(nowMs);
  state.faults.reset(nowMs);
}

/**
 * Loads another scenario into a simulator, but does not reset its API keys and fault rules, unlike `applyScenario`. The
 * caller must reset them or restore their saved state.
 */
export function configureScenario(state: SimulatorState, resolved: ResolvedScenario, reseed: boolean): void {
  const { clock, services, keys, faults } = state;
  const before = state.resolved;
  if (reseed || JSON.stringify(resolved.clock) !== JSON.stringify(before.clock)) clock.configure(resolved.clock);
  state.resolved = resolved;
  if (reseed) state.dataFrom = resolved;
  for (const mounted of services) {
    if (reseed) mounted.data = createData(mounted.service, resolved);
    else mounted.data?.change?.(resolved);
  }
  keys.configure(keyRegistryOptions(resolved, clock));
  faults.configure(resolved.faults, resolved.seed, resolved.start?.faults);
}

const keyRegistryOptions = (
  { keys, plans, windowSeconds, settings, background, start }: ResolvedScenario,
  clock: SimulatedClock,
) => ({
  start: start?.keys,
  definitions: keys,
  plans,
  windowSeconds,
  algorithm: windowAlgorithm(settings),
  acceptAnyKey: settings.acceptAnyKey,
  background,
  clockMovedMs: () => clock.movedMs,
});

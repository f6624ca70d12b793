import type { TimeSource } from '../clock/machine-time.js';
import { SimulatedClock } from '../clock/simulated-clock.js';
import { FaultRules } from '../faults/fault-rules.js';
import { RequestJournal } from '../journal/journal.js';
import { JournalBudget } from '../journal/journal-budget.js';
import { ListCache } from '../petstore/list-cache.js';
import { PetStore } from '../petstore/pet-store.js';
import { petstore } from '../petstore/petstore.js';
import { readToken } from '../rate-limits/authentication.js';
import { KeyRegistry } from '../rate-limits/key-registry.js';
import { windowAlgorithm } from '../rate-limits/window.js';
import type { Service } from '../requests/service.js';
import { type KnownOperations, knownOperations } from '../scenario/operations.js';
import type { ResolvedScenario } from '../scenario/resolve-scenario.js';
import type { JsonValue } from '../values/json.js';
import { rememberLast } from '../values/remember-last.js';
import { createHeaderWriter, type HeaderWriter } from './response-headers.js';
import type { DelayedRequest, RunningRequest } from './to-record.js';

/** What a simulator consists of: its scenario and everything that changes. */
export interface SimulatorState {
  resolved: ResolvedScenario;
  readonly clock: SimulatedClock;
  readonly pets: PetStore;
  /** In the order in which they are asked for an operation; the Petstore is the last. */
  readonly services: readonly MountedService[];
  readonly keys: KeyRegistry;
  readonly faults: FaultRules;
  readonly journal: RequestJournal;
  /** In the order in which they go on. */
  readonly delayed: DelayedRequest[];
  /** Requests of routes whose functions run, by id. */
  readonly running: Map<number, RunningRequest>;
  /** The scenario that the pets go back to: another one, where the present one was loaded without `reseed`. */
  petsFrom: ResolvedScenario;
  /** Where the machine's time comes from; `undefined`: each clock has its own reading of it. */
  readonly time: TimeSource | undefined;
  readonly shared: SharedParts;
}

/** A service with its data in one simulator. */
export interface MountedService {
  readonly service: SimulatedService;
  data: unknown;
}

/** A service as the engine calls it. */
export type SimulatedService = Service<unknown, ResolvedScenario>;

/** What a simulator and its forks have in common. None of it can be seen in an answer; it saves memory and time. */
export interface SharedParts {
  readonly lists: ListCache;
  readonly writeHeaders: HeaderWriter;
  readonly readToken: typeof readToken;
  /** The memory for journals. */
  readonly budget: JournalBudget;
  readonly operations: KnownOperations;
}

const createSharedParts = (operations = knownOperations()): SharedParts => ({
  lists: new ListCache(),
  writeHeaders: createHeaderWriter(),
  // Most requests of a client bring the same header.
  readToken: rememberLast(readToken),
  budget: new JournalBudget(),
  operations,
});

/** What a simulator has from another one, or from a log. */
interface GivenParts {
  pets?: PetStore | undefined;
  shared?: SharedParts;
  time?: TimeSource | undefined;
  services?: readonly SimulatedService[];
  operations?: KnownOperations | undefined;
}

/**
 * @param onError reports a failing listener of the journal
 * @param given.pets a store with the pets of the scenario; default: a new one
 * @param given.shared what it has in common with others; default: its own
 * @param given.time where the machine's time comes from; default: the machine's own
 * @param given.services those beside the Petstore; default: none
 * @param given.operations those that scenarios may name; default: those of the document
 */
export function createSimulatorState(
  resolved: ResolvedScenario,
  onError: (error: unknown) => void,
  { pets: givenPets, operations, shared = createSharedParts(operations), time, services = [] }: GivenParts = {},
): SimulatorState {
  const clock = new SimulatedClock(resolved.clock, time);
  const nowMs = clock.now();
  const keys = new KeyRegistry(keyRegistryOptions(resolved, clock), nowMs);
  const pets = givenPets ?? new PetStore(resolved.pets, petStoreOptions(resolved));
  const faults = new FaultRules();
  faults.configure(resolved.faults, resolved.seed, resolved.start?.faults);
  faults.reset(nowMs);
  return {
    resolved,
    clock,
    pets,
    services: [
      ...services.map((service) => ({ service, data: service.data?.create(resolved) })),
      { service: petstore, data: { pets, lists: shared.lists } },
    ],
    keys,
    faults,
    journal: new RequestJournal(onError, {}, shared.budget),
    delayed: [],
    running: new Map(),
    petsFrom: resolved,
    time,
    shared,
  };
}

/** The state of another simulator that starts as this one did. */
export const forkSimulatorState = (
  { resolved, pets, petsFrom, time, shared, services }: SimulatorState,
  onError: (error: unknown) => void,
): SimulatorState =>
  createSimulatorState(resolved, onError, {
    shared,
    time,
    services: addedServices(services),
    ...(petsFrom === resolved && { pets: pets.fork() }),
  });

/** The services beside the Petstore. */
export const addedServices = (services: SimulatorState['services']) =>
  services.map(({ service }) => service).filter((service) => service !== petstore);

/** The data of the services beside the Petstore, by their names. */
export const copyServices = ({ services }: SimulatorState): ServiceCopies =>
  Object.fromEntries(
    services.flatMap(({ service: { name, data }, data: own }) => (data === undefined ? [] : [[name, data.write(own)]])),
  );

export type ServiceCopies = Readonly<Record<string, JsonValue>>;

/** Sets the data of each service to its copy; without one to that at the start of the scenario. */
export function restoreServices({ services, resolved }: SimulatorState, copies: ServiceCopies = {}): void {
  for (const mounted of services) {
    const { name, data } = mounted.service;
    const copy = Object.hasOwn(copies, name) ? copies[name] : undefined;
    if (data !== undefined) mounted.data = copy === undefined ? data.create(resolved) : data.read(copy);
  }
}

/** Starts another scenario. Its pets replace those that are there only with `reseed`; the clock goes on unless its own settings differ. */
export function applyScenario(state: SimulatorState, resolved: ResolvedScenario, reseed: boolean): void {
  configureScenario(state, resolved, reseed);
  const nowMs = state.clock.now();
  state.keys.reset(nowMs);
  state.faults.reset(nowMs);
}

/** As `applyScenario`, but keys and faults stay until they are reset or restored. */
export function configureScenario(state: SimulatorState, resolved: ResolvedScenario, reseed: boolean): void {
  const { clock, pets, keys, faults } = state;
  const before = state.resolved;
  if (reseed || JSON.stringify(resolved.clock) !== JSON.stringify(before.clock)) clock.configure(resolved.clock);
  if (reseed) {
    pets.seed(resolved.pets, petStoreOptions(resolved));
    state.petsFrom = resolved;
  } else if (resolved.settings.listOrder !== before.settings.listOrder || resolved.seed !== before.seed) {
    pets.reorder(resolved.settings.listOrder, resolved.seed);
  }
  state.resolved = resolved;
  if (reseed) restoreServices(state);
  keys.configure(keyRegistryOptions(resolved, clock));
  faults.configure(resolved.faults, resolved.seed, resolved.start?.faults);
}

const petStoreOptions = ({ settings, seed, idStart }: ResolvedScenario) => ({
  order: settings.listOrder,
  seed,
  idStart,
});

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

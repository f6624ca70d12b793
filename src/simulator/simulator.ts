import type { Clock } from '../clock/clock.js';
import type { TimeSource } from '../clock/machine-time.js';
import type { ClockState } from '../clock/simulated-clock.js';
import type { FaultRulesState } from '../faults/fault-rules.js';
import { callersKey, createCallers, createFetch, type OwnHandler, ownHandlersKey } from '../in-process/fetch.js';
import type { PetStore, PetStoreState } from '../petstore/pet-store.js';
import type { Settings } from '../petstore/settings.js';
import { copyKeys, type KeyRegistryState } from '../rate-limits/key-registry.js';
import type { ApiHandler } from '../requests/api-call.js';
import type { Outcome } from '../requests/outcome.js';
import { defaultScenario } from '../scenario/default-scenario.js';
import { anyOperation, type KnownOperations, knownOperations, unknownOperations } from '../scenario/operations.js';
import type { ReadStart } from '../scenario/read-start.js';
import { resolveContent } from '../scenario/resolve-content.js';
import type { GeneratePets } from '../scenario/resolve-pets.js';
import type { ResolvedScenario } from '../scenario/resolve-scenario.js';
import { ScenarioError } from '../scenario/scenario-error.js';
import type { Scenario } from '../scenario/scenario-schema.js';
import { checkOptions } from '../values/check-options.js';
import { runToEnd, type Steps } from '../values/steps.js';
import { type ClientError, clientError } from './client-error.js';
import type { ControlChanges } from './control-change.js';
import { createFaults, type Faults } from './faults.js';
import { createFrozenClockNotice } from './frozen-clock-notice.js';
import { createJournal, type Journal } from './journal.js';
import { createKeys, type Keys } from './keys.js';
import { createPets, type Pets } from './pets.js';
import { RequestPipeline } from './request-pipeline.js';
import { createScenarioView } from './scenario-view.js';
import { type OptionsOf, simulatorOptions } from './simulator-options.js';
import {
  addedServices,
  applyScenario,
  configureScenario,
  copyServices,
  createSimulatorState,
  forkSimulatorState,
  restoreServices,
  type ServiceCopies,
  type SimulatorState,
} from './simulator-state.js';

/** Everything that requests and the clock can change, to go back to with `restore`. Its content never changes. */
export interface Snapshot {
  readonly resolved: ResolvedScenario;
  /** The scenario whose pets `reset` goes back to. */
  readonly petsFrom: ResolvedScenario;
  readonly clock: ClockState;
  readonly pets: PetStoreState;
  /** The data of services beside the Petstore; `undefined` in a state that was imported. */
  readonly services?: ServiceCopies;
  readonly keys: KeyRegistryState;
  readonly faults: FaultRulesState;
}

/** A stateful stand-in for the service: pets, API keys with their limits and bans, and the clock that drives them. */
export interface Simulator extends ApiHandler {
  /** The name of the scenario. */
  readonly name: string;
  /** The scenario, completed from the default scenario. A frozen copy. */
  readonly scenario: Scenario;
  /** The scenarios that can be loaded by their names: `default` and those of the options. */
  readonly scenarios: ReadonlyMap<string, Scenario>;
  readonly clock: Clock;
  readonly pets: Pets;
  readonly keys: Keys;
  readonly faults: Faults;
  /** Every request with its answer, within bounds; `judge` of `petstore-sim/verdict` judges the client by it. */
  readonly journal: Journal;
  /** What it does where the interface document leaves a choice. */
  readonly settings: Readonly<Settings>;
  /**
   * The 400 of the API for what a client sent to a route of your own; `guarded` and `serveRoute` respond with it by themselves.
   * @param thrown what `sim.pets.add`, `sim.pets.update` or `parseJson` threw; `undefined` for any other error
   * @example try { sim.pets.update(1, body) } catch (error) { const answer = sim.clientError(error); }
   */
  clientError(thrown: unknown): ClientError | undefined;
  /**
   * The simulator as a `fetch`: any origin, API under `/v1`. Pass it to a client that accepts one.
   * @example const response = await sim.fetch('http://petstore.test/v1/pets', { headers: { authorization: 'Bearer free-key' } });
   */
  readonly fetch: typeof fetch;
  /**
   * Loads another scenario: keys, limits, bans and faults start again. Pets stay, unless `reseed`; the clock goes on,
   * unless the scenario has other clock settings.
   * @throws {ScenarioError} and changes nothing
   */
  load(scenario: Scenario, options?: { reseed?: boolean }): void;
  /** Goes back to the start of the scenario: pets, identifiers, keys, limits, bans, faults, clock and journal. */
  reset(): void;
  /**
   * Checks a scenario without loading it.
   * @throws {ScenarioError} listing every issue with its path
   */
  check(scenario: Scenario): ResolvedScenario;
  snapshot(): Snapshot;
  /** Goes back to a snapshot and to its scenario. The journal stays. */
  restore(snapshot: Snapshot): void;
  /** Snapshots by name, as the control API saves them. A reset or another scenario leaves them alone. */
  readonly snapshots: Map<string, Snapshot>;
  /** What control operations have changed, and who sent them. */
  readonly changes: ControlChanges;
  /**
   * Another simulator that shares nothing with this one: at the start of the same scenario, or of another.
   * @throws {ScenarioError}
   */
  fork(options?: { scenario?: Scenario | undefined }): Simulator;
}

export interface SimulatorOptions extends OptionsOf<Simulator> {}

/**
 * Builds a simulator. Synchronous and without I/O, in Node and in browsers; two simulators share nothing.
 * @throws {ScenarioError} listing every issue of the scenario with its path; {TypeError} for an option that there is not
 * @example const sim = createSimulator({ scenario: { keys: { 'free-key': { usage: { minute: 60 } } } } });
 */
export function createSimulator(options: SimulatorOptions = {}): Simulator {
  checkOptions('createSimulator', options, simulatorOptions);
  const { scenario = {}, services = [], operations = [], handlers, generatePets, readStart } = options;
  const known = knownOperations([...services.flatMap((service) => service.operations), ...operations]);
  const first = handlers === undefined ? known : anyOperation;
  const resolved = runToEnd(resolveContent(scenario, generatePets, readStart, undefined, first));
  const sim = createSimulatorFrom(resolved, options, undefined, known);
  // `guarded` adds the names of its operations.
  coreOf(sim).ownHandlers();
  const issues = [...unknownOperations(resolved.scenario, known)];
  if (issues.length > 0) throw new ScenarioError(issues);
  return sim;
}

/**
 * Builds a simulator from a scenario that has been checked already.
 * @param time where the machine's time comes from; default: the machine's own
 * @param operations those that scenarios may name; default: those of the document
 */
export function createSimulatorFrom(
  resolved: ResolvedScenario,
  {
    scenarios = {},
    generatePets,
    readStart,
    services = [],
    handlers,
    onError = console.error,
    onWarning = console.warn,
  }: Omit<SimulatorOptions, 'scenario'>,
  time?: TimeSource,
  operations?: KnownOperations,
): Simulator {
  let byName: ReadonlyMap<string, Scenario> | undefined;
  const readScenarios = () => {
    const given = () => (typeof scenarios === 'function' ? scenarios() : scenarios);
    byName ??= new Map(Object.entries({ default: defaultScenario, ...given() }));
    return byName;
  };
  return assemble(createSimulatorState(resolved, onError, { time, services, operations }), {
    readScenarios,
    generatePets,
    readStart,
    handlers,
    onError,
    onWarning,
  });
}

/** Serves the requests of routes of the user's own. A log replaces `handle` and `finish` by its own. */
export interface RouteHost {
  handle: ApiHandler['handle'];
  /** Continues a request with the outcome of its function; without an effect after a reset. */
  finish(id: number, outcome: Outcome): void;
  onError(error: unknown): void;
}

/** What the view of a scenario, a log and tests need of a simulator, beside its public side. */
export interface SimulatorCore extends Pick<RequestPipeline, 'waiting'> {
  readonly state: SimulatorState;
  readonly routes: RouteHost;
  /** Own handlers of the present generation. */
  ownHandlers(): readonly OwnHandler[];
  /** Makes the own handlers of any simulator; `undefined` without the option. */
  readonly handlerSource: SimulatorOptions['handlers'];
  readonly readScenarios: () => ReadonlyMap<string, Scenario>;
  /** As `check`, in steps. */
  resolve(scenario: Scenario, checkAll?: Parameters<typeof resolveContent>[3]): Steps<ResolvedScenario>;
  /** As `restore`. Changes nothing before its last step. */
  restoreInSteps(saved: Snapshot): Steps<void>;
  /**
   * As `fork`, at the start of a scenario that has been checked already.
   * @param pets a store of its own with the pets of the scenario; default: a new one
   */
  forkFrom(resolved: ResolvedScenario, pets?: PetStore): Simulator;
  /** Called after each reset. */
  readonly resetListeners: (() => void)[];
}

/** The same in every copy of the package that a program has loaded. No private field: tests put an object in front of a simulator. */
const coreKey = Symbol.for('petstore-sim core');

export const coreOf = (sim: object): SimulatorCore => (sim as { [coreKey]: SimulatorCore })[coreKey];

/** @param of the function that takes it @throws {TypeError} for what is no simulator */
export function checkSimulator(of: string, value: unknown): void {
  if (typeof value === 'object' && value !== null && coreOf(value) !== undefined) return;
  throw new TypeError(`${of}: expected a simulator of createSimulator, got ${value && typeof value}`);
}

const scenarioView = createScenarioView(coreOf);

interface AssembleOptions {
  handlers: SimulatorOptions['handlers'] | undefined;
  readScenarios: () => ReadonlyMap<string, Scenario>;
  generatePets: GeneratePets | undefined;
  readStart: ReadStart | undefined;
  onError: (error: unknown) => void;
  onWarning: (message: string) => void;
}

function assemble(state: SimulatorState, options: AssembleOptions): Simulator {
  const { clock, pets, keys, faults, journal, time, shared } = state;
  const { generatePets, readStart, onError, onWarning, readScenarios } = options;
  const pipeline = new RequestPipeline(state, onError);
  const noticeFrozen = createFrozenClockNotice(clock, onWarning);
  const handle: Simulator['handle'] = (call) => {
    const answer = pipeline.handle(call);
    if (clock.frozen && !(answer instanceof Promise)) noticeFrozen(answer);
    return answer;
  };
  const resolve: SimulatorCore['resolve'] = (scenario, checkAll) =>
    resolveContent(scenario, generatePets, readStart, checkAll, shared.operations);
  const check = (scenario: Scenario) => runToEnd(resolve(scenario));

  const forkFrom: SimulatorCore['forkFrom'] = (resolved, pets) =>
    assemble(
      createSimulatorState(resolved, onError, { pets, shared, time, services: addedServices(state.services) }),
      options,
    );

  function* restoreInSteps(saved: Snapshot): Steps<void> {
    const savedKeys = yield* copyKeys(saved.keys);
    // The pets that a reset goes back to, then the scenario.
    if (saved.petsFrom !== state.petsFrom) configureScenario(state, saved.petsFrom, true);
    if (saved.resolved !== state.resolved) configureScenario(state, saved.resolved, saved.resolved === saved.petsFrom);
    clock.restore(saved.clock);
    pets.restore(saved.pets);
    restoreServices(state, saved.services);
    keys.restore(savedKeys);
    faults.restore(saved.faults);
  }

  const callers = createCallers();
  const routes: RouteHost = {
    handle,
    finish: pipeline.waiting.finishRoute,
    onError,
  };
  let own: readonly OwnHandler[] | undefined;
  const ownHandlers = () => {
    own ??= options.handlers?.(sim) ?? [];
    return own;
  };
  const resetListeners: (() => void)[] = [
    () => {
      own = undefined;
    },
  ];
  const fields = {
    clock,
    pets: createPets(pets, time !== undefined),
    keys: createKeys(keys, clock),
    faults: createFaults(faults, shared.operations),
    journal: createJournal(journal, () => clock.now()),
    handle,
    clientError: (thrown) => clientError(thrown, state.resolved.settings),
    fetch: createFetch({
      handle,
      clock,
      [callersKey]: callers,
      [ownHandlersKey]: ownHandlers,
      unrecorded: journal.unrecorded,
      basePaths: state.services.map(({ service }) => service.basePath),
    }),
    load(next, { reseed = false } = {}) {
      applyScenario(state, check(next), reseed);
    },
    reset() {
      clock.reset();
      pets.reset();
      restoreServices(state);
      const nowMs = clock.now();
      keys.reset(nowMs);
      faults.reset(nowMs);
      journal.clear();
      for (const listener of resetListeners) listener();
    },
    check,
    snapshot: () => ({
      resolved: state.resolved,
      petsFrom: state.petsFrom,
      clock: clock.state(),
      pets: pets.state(),
      services: copyServices(state),
      keys: keys.state(),
      faults: faults.state(),
    }),
    restore: (saved) => runToEnd(restoreInSteps(saved)),
    snapshots: new Map(),
    changes: { count: 0, last: [] },
    fork: ({ scenario } = {}) =>
      scenario === undefined ? assemble(forkSimulatorState(state, onError), options) : forkFrom(check(scenario)),
    [callersKey]: callers,
    [ownHandlersKey]: ownHandlers,
    [coreKey]: {
      state,
      waiting: pipeline.waiting,
      routes,
      ownHandlers,
      handlerSource: options.handlers,
      readScenarios,
      resolve,
      restoreInSteps,
      forkFrom,
      resetListeners,
    },
  } satisfies Omit<Simulator, keyof typeof scenarioView> & {
    [callersKey]: object;
    [ownHandlersKey]: object;
    [coreKey]: SimulatorCore;
  };
  const sim: Simulator = Object.setPrototypeOf(fields, scenarioView);
  return sim;
}

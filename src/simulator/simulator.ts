import type { Clock } from '../clock/clock.js';
import type { TimeSource } from '../clock/machine-time.js';
import type { ClockState } from '../clock/simulated-clock.js';
import type { FaultRulesState } from '../faults/fault-rules.js';
import { callersKey, createCallers, createFetch, type OwnHandler, ownHandlersKey } from '../in-process/fetch.js';
import { copyKeys, type KeyRegistryState } from '../rate-limits/key-registry.js';
import type { Answer, ApiHandler } from '../requests/api-call.js';
import { invalidRequest } from '../requests/api-error.js';
import { withTable } from '../requests/operation-table.js';
import { errorOutcome, type Outcome } from '../requests/outcome.js';
import { anyOperation, knownOperations, unknownOperations } from '../scenario/operations.js';
import { resolveContent } from '../scenario/resolve-content.js';
import type { ResolvedScenario } from '../scenario/resolve-scenario.js';
import { ScenarioError } from '../scenario/scenario-error.js';
import type { ResolveOptions } from '../scenario/scenario-rules.js';
import type { Scenario } from '../scenario/scenario-schema.js';
import type { Settings } from '../scenario/settings.js';
import { formatDuration } from '../values/format-duration.js';
import { frozenCopy } from '../values/plain-data.js';
import { runToEnd, type Steps } from '../values/steps.js';
import type { ControlChanges } from './control-change.js';
import { createFaults, type Faults } from './faults.js';
import { createFrozenClockNotice } from './frozen-clock-notice.js';
import { createJournal, type Journal } from './journal.js';
import { createKeys, type Keys } from './keys.js';
import { RequestPipeline } from './request-pipeline.js';
import { tokenAt } from './sent-key.js';
import type { OptionsOf } from './simulator-options.js';
import {
  applyScenario,
  captureServices,
  configureScenario,
  createSharedParts,
  createSimulatorState,
  forkServices,
  type MainService,
  type MountedService,
  mountServices,
  restoreServices,
  rulesOf,
  type ServiceCopies,
  type ServiceProperties,
  type SimulatorState,
} from './simulator-state.js';

/**
 * Immutable saved state of a simulator, for the method `restore`: scenario, clock, pets, keys and faults. Omits the
 * list of received requests.
 */
export interface Snapshot {
  /** Scenario that was loaded when the snapshot was taken. */
  readonly resolved: ResolvedScenario;
  /**
   * Scenario from which the simulator's data, such as its pets, was created. A `reset` after the restoration of this
   * snapshot restores that initial data.
   */
  readonly dataFrom: ResolvedScenario;
  readonly clock: ClockState;
  /**
   * Data of each service, such as the Petstore's pets, at the time of the snapshot, by the service's name. A service
   * without an entry is restored to its data at the start of the scenario.
   */
  readonly services: ServiceCopies;
  readonly keys: KeyRegistryState;
  readonly faults: FaultRulesState;
}

/** A stateful simulation of the Petstore API, with pets, API keys, rate limits, bans and a simulated clock. */
export interface Simulator extends ApiHandler, ServiceProperties {
  /** Name of the simulator's current scenario. */
  readonly name: string;
  /** Frozen copy of the simulator's current scenario, merged with the default scenario. */
  readonly scenario: Scenario;
  /** Scenarios that can be loaded by name: `default` and the members of the option `scenarios`. */
  readonly scenarios: ReadonlyMap<string, Scenario>;
  /** Simulated clock, which determines rate-limit windows, bans and delayed responses. */
  readonly clock: Clock;
  readonly keys: Keys;
  readonly faults: Faults;
  /** Recorded requests and responses, from which `judge` of `petstore-sim/verdict` evaluates the client. */
  readonly journal: Journal;
  /** Values of the assumptions: decisions where the API's documentation leaves the API's behavior open. */
  readonly settings: Readonly<Settings>;
  /**
   * Returns the API's 400 response to invalid input, for use in a custom route. `guarded` and `serveRoute` send this
   * response automatically.
   * @param thrown error of `sim.pets.add`, `sim.pets.update` or `parseJson`; any other error returns `undefined`
   * @example try { sim.pets.update(1, body) } catch (error) { const answer = sim.clientError(error); }
   */
  clientError(thrown: unknown): ClientError | undefined;
  /**
   * The simulator as a `fetch` function, for clients that accept such a function. Serves the API under `/v1` of any
   * origin.
   * @example const response = await sim.fetch('http://petstore.test/v1/pets', { headers: { authorization: 'Bearer free-key' } });
   */
  readonly fetch: typeof fetch;
  /**
   * Loads another scenario and resets keys, limits, bans and faults. Keeps the pets unless `reseed` is true. Restarts
   * the clock if `reseed` is true or the clock settings differ.
   * @throws {ScenarioError} if the scenario is invalid; the simulator is then unchanged
   */
  load(scenario: Scenario, options?: { reseed?: boolean }): void;
  /**
   * Restores the simulator to the start of the scenario: pets, ids, keys, limits, bans, faults and clock. Clears the
   * journal.
   */
  reset(): void;
  /**
   * Checks a scenario without loading it.
   * @throws {ScenarioError} listing every issue with its path
   */
  check(scenario: Scenario): ResolvedScenario;
  /** Saves the simulator's current state, without the journal. */
  snapshot(): Snapshot;
  /** Restores the simulator's state from a snapshot, including the scenario. The journal is unchanged. */
  restore(snapshot: Snapshot): void;
  /** Snapshots saved with the control API, by name. `reset` and `load` do not change this map. */
  readonly snapshots: Map<string, Snapshot>;
  /** Changes to the simulator made by control operations, with the names of the callers. */
  readonly changes: ControlChanges;
  /**
   * Creates an independent simulator, in the initial state of a scenario. Default: the current scenario.
   * @throws {ScenarioError} if the scenario is invalid
   */
  fork(options?: { scenario?: Scenario | undefined }): Simulator;
}

/** Options of a simulator of any API. */
export interface SimulatorOptions extends OptionsOf<Simulator> {}

/**
 * Creates a simulator of a main API (such as the Petstore) and of the additional APIs in `options.services`.
 * @throws as `createSimulator`
 */
export function simulate(main: MainService, options: SimulatorOptions): Simulator {
  const { scenario = {}, operations = [], handlers } = options;
  const services = options.services?.map(withTable) ?? [];
  const known = knownOperations([...main.operations, ...services.flatMap((each) => each.operations), ...operations]);
  const first = handlers === undefined ? known : anyOperation;
  const resolved = runToEnd(resolveContent(scenario, rulesOf(main, services), options, undefined, first));
  const sim = simulateFrom(main, resolved, { ...options, services }, undefined, known);
  // Creates the user's own msw handlers before the scenario is checked. A handler created by `guarded` (a custom route
  // under the API's limits) adds an operation, which the scenario may name.
  coreOf(sim).ownHandlers();
  const issues = [...unknownOperations(resolved.scenario, known)];
  if (issues.length > 0) throw new ScenarioError(issues);
  return sim;
}

/**
 * Creates a simulator from a checked scenario.
 * @param service simulated API at the base path `/v1`
 * @param time source of the machine's time; default: the machine's clock
 * @param operations operations that scenarios may name; default: those of `service`
 */
export function simulateFrom(
  service: MainService,
  resolved: ResolvedScenario,
  {
    scenarios = {},
    services: given = [],
    handlers,
    onError = console.error,
    onWarning = console.warn,
    ...resolving
  }: Omit<SimulatorOptions, 'scenario'>,
  time?: TimeSource,
  operations = knownOperations(service.operations),
): Simulator {
  const services = given.map(withTable);
  const rules = rulesOf(service, services);
  const main = rules === service.rules ? service : { ...service, rules };
  let byName: ReadonlyMap<string, Scenario> | undefined;
  const readScenarios = () => {
    const given = () => (typeof scenarios === 'function' ? scenarios() : scenarios);
    byName ??= new Map(Object.entries({ default: main.rules.base, ...given() }));
    return byName;
  };
  const mounted = mountServices([...services, main], resolved);
  const shared = createSharedParts(operations, rules);
  return assemble(createSimulatorState(resolved, onError, { time, services: mounted, shared }), {
    main,
    readScenarios,
    resolving,
    handlers,
    onError,
    onWarning,
  });
}

/**
 * Functions of a simulator for requests to custom routes, which the user's own code handles. A server that stores its
 * state in a log replaces `handle` and `finish`, so that requests and outcomes are first stored in the log.
 */
export interface RouteHost {
  handle: ApiHandler['handle'];
  /**
   * Continues a request with the outcome of its custom route's function. Has no effect if the simulator was reset
   * meanwhile.
   */
  finish(id: number, outcome: Outcome): void;
  onError(error: unknown): void;
}

/**
 * Internal parts of a simulator, for other modules of petstore-sim (such as the one that stores the state for `--data`)
 * and for tests.
 */
export interface SimulatorCore extends Pick<RequestPipeline, 'waiting'> {
  readonly state: SimulatorState;
  readonly main: MainService;
  readonly routes: RouteHost;
  /** Returns the msw handlers from the user's option `handlers`, which are created anew after each reset. */
  ownHandlers(): readonly OwnHandler[];
  /** Function of the option `handlers`, which creates the user's own msw handlers; `undefined` without the option. */
  readonly handlerSource: SimulatorOptions['handlers'];
  readonly readScenarios: () => ReadonlyMap<string, Scenario>;
  /**
   * Checks a scenario and fills in its defaults, like the simulator's method `check`. Runs in steps, so that the server
   * can handle other requests between them.
   */
  resolve(scenario: Scenario, checkAll?: Parameters<typeof resolveContent>[3]): Steps<ResolvedScenario>;
  /** Restores a snapshot like the simulator's `restore`, in steps. Only the last step changes the state. */
  restoreInSteps(saved: Snapshot): Steps<void>;
  /**
   * Creates a simulator from a checked scenario, with the options and the caches of this simulator.
   * @param services APIs that the new simulator serves, each with its data (such as pets); default: the APIs of this
   * simulator, with data as at the scenario's start
   */
  forkFrom(resolved: ResolvedScenario, services?: readonly MountedService[]): Simulator;
  /** Functions that the simulator calls after each call of its method `reset`. */
  readonly resetListeners: (() => void)[];
  /** Returns the maximum lag of the machine during a test. Set by the test kits. */
  lagMs?: () => number;
}

/**
 * Property name of a simulator's internal parts, shared by all copies of the package in a program. A symbol instead of
 * a private field, because tests wrap simulators in other objects.
 */
const coreKey = Symbol.for('petstore-sim core');

export const coreOf = (sim: object): SimulatorCore => (sim as { [coreKey]: SimulatorCore })[coreKey];

/**
 * Checks that a value is a simulator.
 * @param of name of the function whose argument is checked
 * @throws {TypeError} if the value is not a simulator
 */
export function checkSimulator(of: string, value: unknown): void {
  if (typeof value === 'object' && value !== null && coreOf(value) !== undefined) return;
  throw new TypeError(`${of}: expected a simulator of createSimulator, got ${value && typeof value}`);
}

/** Prototype of all simulators, with getters for the scenario. In V8, own getters would make simulators slow. */
const scenarioView = {
  get name(): string {
    return coreOf(this).state.resolved.name;
  },

  get scenario(): Scenario {
    return frozenCopy(coreOf(this).state.resolved.scenario);
  },

  get scenarios(): ReadonlyMap<string, Scenario> {
    return coreOf(this).readScenarios();
  },

  get settings(): SimulatorState['resolved']['settings'] {
    return coreOf(this).state.resolved.settings;
  },
};

interface AssembleOptions
  extends Pick<SimulatorCore, 'main' | 'readScenarios'>,
    Required<Pick<SimulatorOptions, 'onError' | 'onWarning'>> {
  handlers: SimulatorOptions['handlers'] | undefined;
  resolving: ResolveOptions;
}

/** Step of the machine's clock that no synchronization of clocks makes, but fake timers of a test do. */
const noticedSetBackMs = 60_000;

const setBackMessage = (setBackMs: number) =>
  `petstore-sim: the time of this process went back by ${formatDuration(setBackMs)}, as fake timers do when a test sets or ends them. ` +
  "The simulator's clock does not go back, so that its limits stay correct, and is now ahead by that. To start it again at the new time, call sim.reset() " +
  'or send POST /__sim/reset after the change.';

function assemble(state: SimulatorState, options: AssembleOptions): Simulator {
  const { clock, keys, faults, journal, time, shared } = state;
  const { main, resolving, onError, onWarning, readScenarios } = options;
  const pipeline = new RequestPipeline(state, onError);
  journal.unrecorded.tokenOf = (call) => tokenAt(state, call);
  const noticeFrozen = createFrozenClockNotice(clock, onWarning);
  let hasToldSetBack = false;
  const handle: Simulator['handle'] = (call) => {
    const answer = pipeline.handle(call);
    if (!hasToldSetBack && clock.setBackMs >= noticedSetBackMs) {
      hasToldSetBack = true;
      onWarning(setBackMessage(clock.setBackMs));
    }
    if (clock.frozen && !(answer instanceof Promise)) noticeFrozen(answer);
    return answer;
  };
  const resolve: SimulatorCore['resolve'] = (scenario, checkAll) =>
    resolveContent(scenario, main.rules, resolving, checkAll, shared.operations);
  const check = (scenario: Scenario) => runToEnd(resolve(scenario));

  const forkFrom: SimulatorCore['forkFrom'] = (resolved, services = forkServices(state, resolved)) =>
    assemble(createSimulatorState(resolved, onError, { services, shared, time }), options);

  function* restoreInSteps(saved: Snapshot): Steps<void> {
    const savedKeys = yield* copyKeys(saved.keys);
    // Loads the scenario of the initial data first, so that later resets restore that data. Then loads the scenario
    // that was current when the snapshot was taken.
    if (saved.dataFrom !== state.dataFrom) configureScenario(state, saved.dataFrom, true);
    if (saved.resolved !== state.resolved) configureScenario(state, saved.resolved, saved.resolved === saved.dataFrom);
    clock.restore(saved.clock);
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
    keys: createKeys(keys, clock),
    faults: createFaults(faults, main.rules, shared.operations, clock),
    journal: createJournal(state, main.rules),
    handle,
    basePaths: state.basePaths,
    clientError: (thrown) => clientError(thrown, state.resolved.settings),
    fetch: createFetch({
      handle,
      clock,
      [callersKey]: callers,
      [ownHandlersKey]: ownHandlers,
      unrecorded: journal.unrecorded,
      basePaths: state.basePaths,
    }),
    load(next, { reseed = false } = {}) {
      applyScenario(state, check(next), reseed);
    },
    reset() {
      clock.reset();
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
      dataFrom: state.dataFrom,
      clock: clock.state(),
      services: captureServices(state),
      keys: keys.state(),
      faults: faults.state(),
    }),
    restore: (saved) => runToEnd(restoreInSteps(saved)),
    snapshots: new Map(),
    changes: { count: 0, last: [] },
    fork: ({ scenario } = {}) => forkFrom(scenario === undefined ? state.resolved : check(scenario)),
    [callersKey]: callers,
    [ownHandlersKey]: ownHandlers,
    [coreKey]: {
      state,
      main,
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
  } satisfies Omit<Simulator, keyof typeof scenarioView | keyof ServiceProperties> & {
    [callersKey]: object;
    [ownHandlersKey]: object;
    [coreKey]: SimulatorCore;
  };
  const properties = main.simulatorFields(() => state.services.at(-1)?.data, time !== undefined);
  const sim: Simulator = Object.setPrototypeOf(Object.assign(fields, properties), scenarioView);
  return sim;
}

/** Status, headers and body of an error response. A custom route can send the response for invalid input. */
type ClientError = Pick<Answer, 'status' | 'headers' | 'body'>;

/** Maximum number of issues that the message of one error response lists. */
const maximumMistakes = 10;

/** Returns the 400 response for an error about a client's invalid pet or JSON text; `undefined` for any other error. */
function clientError(thrown: unknown, settings: Settings): ClientError | undefined {
  const message = messageOf(thrown);
  if (message === undefined) return undefined;
  const { status, body } = errorOutcome(invalidRequest(message), settings);
  return { status, headers: { 'Content-Type': 'application/json' }, body };
}

function messageOf(thrown: unknown): string | undefined {
  // Errors are compared by class name, because a program may load two copies of petstore-sim with separate classes.
  if (thrown instanceof Error && thrown.name === 'JsonError') return `The body is not valid JSON: ${thrown.message}.`;
  const isPet = thrown instanceof ScenarioError && thrown.subject === 'pet';
  return isPet ? thrown.message.split('\n').slice(0, maximumMistakes).join('; ') : undefined;
}

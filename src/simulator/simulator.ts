import type { Clock } from '../clock/clock.js';
import type { TimeSource } from '../clock/machine-time.js';
import type { ClockState } from '../clock/simulated-clock.js';
import type { FaultRulesState } from '../faults/fault-rules.js';
import { createFetch } from '../in-process/fetch.js';
import { otherPaths } from '../journal/unrecorded.js';
import type { PetStore, PetStoreState } from '../petstore/pet-store.js';
import type { Settings } from '../petstore/settings.js';
import { copyKeys, type KeyRegistryState } from '../rate-limits/key-registry.js';
import type { Answer, ApiHandler } from '../requests/api-call.js';
import { defaultScenario } from '../scenario/default-scenario.js';
import type { ReadStart } from '../scenario/read-start.js';
import { resolveContent } from '../scenario/resolve-content.js';
import type { GeneratePets } from '../scenario/resolve-pets.js';
import type { ResolvedScenario } from '../scenario/resolve-scenario.js';
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
import { type SimulatorOptions, simulatorOptions } from './simulator-options.js';
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
   * Authenticates and counts a request that your own code serves: a route that the API does not have. It shares keys,
   * windows and bans with the API; fault rules do not apply. For msw, `guarded` of `petstore-sim/msw` does this.
   * @param authorization the header of the request
   * @param request its method and path, for what the verdict says of requests that the journal does not have
   * @returns the 401 or 429 to answer with, if any; else `headers` (X-RateLimit-*, Date) for the answer of the route
   */
  admit(
    authorization: string | null | undefined,
    request?: { method: string; path: string },
  ): { refusal: Answer | undefined; headers: Record<string, string> };
  /**
   * The 400 of the API for what a client sent to a route of your own; `guarded` responds with it by itself.
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

/**
 * Builds a simulator. Synchronous and without I/O, in Node and in browsers; two simulators share nothing.
 * @throws {ScenarioError} listing every issue of the scenario with its path; {TypeError} for an option that there is not
 * @example const sim = createSimulator({ scenario: { keys: { 'free-key': { usage: { minute: 60 } } } } });
 */
export function createSimulator(options: SimulatorOptions = {}): Simulator {
  checkOptions('createSimulator', options, simulatorOptions);
  const { scenario = {} } = options;
  return createSimulatorFrom(runToEnd(resolveContent(scenario, options.generatePets, options.readStart)), options);
}

/**
 * Builds a simulator from a scenario that has been checked already.
 * @param time where the machine's time comes from; default: the machine's own
 */
export function createSimulatorFrom(
  resolved: ResolvedScenario,
  {
    scenarios = {},
    generatePets,
    readStart,
    services = [],
    onError = console.error,
    onWarning = console.warn,
  }: Omit<SimulatorOptions, 'scenario'>,
  time?: TimeSource,
): Simulator {
  let byName: ReadonlyMap<string, Scenario> | undefined;
  const readScenarios = () => {
    const given = () => (typeof scenarios === 'function' ? scenarios() : scenarios);
    byName ??= new Map(Object.entries({ default: defaultScenario, ...given() }));
    return byName;
  };
  return assemble(createSimulatorState(resolved, onError, { time, services }), {
    readScenarios,
    generatePets,
    readStart,
    onError,
    onWarning,
  });
}

/** What the view of a scenario, a log and tests need of a simulator, beside its public side. */
export interface SimulatorCore extends Pick<RequestPipeline, 'delayed'> {
  readonly state: SimulatorState;
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
    resolveContent(scenario, generatePets, readStart, checkAll);
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

  const resetListeners: (() => void)[] = [];
  const fields = {
    clock,
    pets: createPets(pets),
    keys: createKeys(keys, clock),
    faults: createFaults(faults),
    journal: createJournal(journal, () => clock.now()),
    handle,
    admit(authorization, { method, path } = { method: '', path: otherPaths }) {
      const answer = pipeline.admitExtension(authorization ?? undefined);
      const { 'Content-Type': _, ...headers } = answer.headers;
      const refusal = answer.status === 200 ? undefined : answer;
      journal.unrecorded.record({ why: 'guarded', method, path, status: refusal?.status }, authorization);
      return { refusal, headers };
    },
    clientError: (thrown) => clientError(thrown, state.resolved.settings),
    fetch: createFetch({
      handle,
      clock,
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
    [coreKey]: { state, delayed: pipeline.delayed, readScenarios, resolve, restoreInSteps, forkFrom, resetListeners },
  } satisfies Omit<Simulator, keyof typeof scenarioView> & { [coreKey]: SimulatorCore };
  return Object.setPrototypeOf(fields, scenarioView);
}

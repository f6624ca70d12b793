import { createFetch } from '../adapters/fetch.js';
import type { Settings } from '../contract/assumptions.js';
import type { Faults } from '../faults/faults.js';
import type { Keys } from '../limits/keys.js';
import { checkFault } from '../scenario/check-scenario.js';
import { defaultScenario } from '../scenario/default-scenario.js';
import { type Fault, toFaultRule } from '../scenario/fault-schema.js';
import { type GeneratePets, type ResolvedScenario, resolveScenario } from '../scenario/resolve-scenario.js';
import type { Scenario } from '../scenario/scenario-schema.js';
import type { Clock, ClockState } from '../state/clock.js';
import type { Journal } from '../state/journal.js';
import type { Pets } from '../state/pets.js';
import type { Answer, ApiCall } from './api-call.js';
import { createHandle } from './request-pipeline.js';
import { extensionRoute } from './routes.js';
import { applyScenario, createSimulatorState, forkSimulatorState, type SimulatorState } from './simulator-state.js';

export interface SimulatorOptions {
  /** What the simulator starts with and does. What it leaves out comes from the default scenario. */
  scenario?: Scenario;
  /** Scenarios that can be put in force by their names, or what reads them once, when they are first asked for. */
  scenarios?: Readonly<Record<string, Scenario>> | (() => Readonly<Record<string, Scenario>>);
  /** Needed only for a scenario with `pets.generate`: `generatePets` of `petstore-sim/seed`. */
  generatePets?: GeneratePets;
  /** Told of every answer with status 500, which is a bug of the simulator. Default: `console.error`. */
  onError?: (error: unknown) => void;
}

/** Everything that requests and the clock can change, to go back to with `restore`. Nothing in it is ever changed. */
export interface Snapshot {
  /** The scenario in force. */
  readonly resolved: ResolvedScenario;
  readonly clock: ClockState;
  readonly pets: ReturnType<Pets['state']>;
  readonly keys: ReturnType<Keys['state']>;
  readonly faults: ReturnType<Faults['state']>;
}

/** Fault rules that can be changed while the simulator runs. */
export interface FaultControl {
  /** Every rule in order, as a scenario writes it: how many requests met its conditions, and to how many it applied. */
  list(): { name: string; definition: Readonly<Record<string, unknown>>; seen: number; applied: number }[];
  /**
   * Adds a rule behind the others and gives its name.
   * @throws {ScenarioError} for a rule that is none, {RangeError} for a name that is taken
   * @example sim.faults.add({ when: { operation: 'createPet', nth: 1 }, then: { reset: true, phase: 'after' } })
   */
  add(fault: Fault): string;
  /** Removes a rule; `false` when there is none with this name. */
  remove(name: string): boolean;
}

/** A whole resolved: pets, API keys with their limits and bans, and the clock that drives them. */
export interface Simulator {
  /** The name of the scenario. */
  readonly name: string;
  /** The scenario in force, with what it leaves out from the default scenario. */
  readonly scenario: Scenario;
  /** The scenarios that can be put in force by their names: `default` and those of the options. */
  readonly scenarios: ReadonlyMap<string, Scenario>;
  readonly clock: Clock;
  readonly pets: Pets;
  readonly keys: Keys;
  readonly faults: FaultControl;
  /** Every request with its answer, within bounds; `verdict` of `petstore-sim/verdict` judges the client by it. */
  readonly journal: Journal;
  /** What it does where the document is silent. */
  readonly settings: Readonly<Settings>;
  /** Answers one call: at once, unless a fault rule delays it. The adapters (HTTP, msw, fetch) all come here. */
  handle(call: ApiCall): Answer | Promise<Answer>;
  /**
   * Authenticates and counts a request that something else serves: a route of your own, beside the document's. It shares
   * keys, windows and bans with the API; fault rules do not apply. msw users: `guarded` of `petstore-sim/msw` does this.
   * @param authorization the header of the request
   * @returns the 401 or 429 to answer with, if any; else `headers` (X-RateLimit-*, Date) for the answer of the route
   */
  admit(authorization: string | null | undefined): { refusal: Answer | undefined; headers: Record<string, string> };
  /**
   * The simulator as a `fetch`: any origin, API under `/v1`. Hand it to a client that accepts one.
   * @example const response = await sim.fetch('http://petstore.test/v1/pets', { headers: { authorization: 'Bearer free-key' } });
   */
  readonly fetch: typeof fetch;
  /**
   * Puts another scenario in force: keys, limits, bans and faults start anew. Pets stay, unless `reseed`; the clock
   * goes on, unless the scenario has another one.
   * @throws {ScenarioError} and changes nothing
   */
  load(scenario: Scenario, options?: { reseed?: boolean }): void;
  /** Goes back to the start of the scenario: pets, identifiers, keys, limits, bans, faults and clock. */
  reset(): void;
  /**
   * Reads a scenario without putting it in force.
   * @throws {ScenarioError} naming every mistake with its path
   */
  check(scenario: Scenario): ResolvedScenario;
  snapshot(): Snapshot;
  /** Goes back to a snapshot, and to the scenario that was in force. The journal stays. */
  restore(snapshot: Snapshot): void;
  /** Snapshots under names, for who keeps them. A reset or another scenario leaves them alone. */
  readonly snapshots: Map<string, Snapshot>;
  /**
   * Another simulator, which shares nothing that changes: at the start of the same scenario, or of another one.
   * @throws {ScenarioError}
   */
  fork(options?: { scenario?: Scenario | undefined }): Simulator;
}

/**
 * Builds a simulator. Synchronous and without I/O, in Node and in browsers; two simulators share nothing.
 * @throws {ScenarioError} naming every mistake of the scenario with its path
 * @example const sim = createSimulator({ scenario: { keys: { 'free-key': { usage: { minute: 60 } } } } });
 */
export function createSimulator({ scenario = {}, ...options }: SimulatorOptions = {}): Simulator {
  return createSimulatorFrom(resolveScenario(scenario, options.generatePets), options);
}

/** Builds a simulator from a scenario that has been checked already, as the command line has when it starts. Not public. */
export function createSimulatorFrom(
  resolved: ResolvedScenario,
  { scenarios = {}, ...options }: Omit<SimulatorOptions, 'scenario'> = {},
): Simulator {
  const state = createSimulatorState(resolved);
  let named: ReadonlyMap<string, Scenario> | undefined;
  const readNamed = () => {
    named ??= new Map(
      Object.entries({ default: defaultScenario, ...(typeof scenarios === 'function' ? scenarios() : scenarios) }),
    );
    return named;
  };
  return assemble(state, readNamed, options);
}

function assemble(
  state: SimulatorState,
  scenarios: () => ReadonlyMap<string, Scenario>,
  options: Pick<SimulatorOptions, 'generatePets' | 'onError'>,
): Simulator {
  const { clock, pets, keys, faults, journal } = state;
  const { generatePets, onError = console.error } = options;
  const handle = createHandle(state, onError);
  const check = (scenario: Scenario) => resolveScenario(scenario, generatePets);

  return {
    get name() {
      return state.resolved.name;
    },
    get scenario() {
      return state.resolved.scenario;
    },
    get scenarios() {
      return scenarios();
    },
    get settings() {
      return state.resolved.settings;
    },
    clock,
    pets,
    keys,
    faults: faultControl(faults),
    journal,
    handle: (call) => handle(call),
    admit(authorization) {
      const header = (name: string) => (name === 'authorization' ? (authorization ?? undefined) : undefined);
      const call = { method: '', path: '', query: '', baseUrl: '', header, body: undefined };
      const answer = handle(call, extensionRoute) as Answer;
      const { 'Content-Type': _, ...headers } = answer.headers;
      return { refusal: answer.status === 200 ? undefined : answer, headers };
    },
    fetch: createFetch({ handle, clock }),
    load(next, { reseed = false } = {}) {
      applyScenario(state, check(next), reseed);
    },
    reset() {
      clock.reset();
      pets.reset();
      keys.reset();
      faults.reset();
      journal.clear();
    },
    check,
    snapshot: () => ({
      resolved: state.resolved,
      clock: clock.state(),
      pets: pets.state(),
      keys: keys.state(),
      faults: faults.state(),
    }),
    restore(saved) {
      if (saved.resolved !== state.resolved) applyScenario(state, saved.resolved, true);
      clock.restore(saved.clock);
      pets.restore(saved.pets);
      keys.restore(saved.keys);
      faults.restore(saved.faults);
    },
    snapshots: new Map(),
    fork({ scenario } = {}) {
      return assemble(
        scenario === undefined ? forkSimulatorState(state) : createSimulatorState(check(scenario)),
        scenarios,
        options,
      );
    },
  };
}

/** The fault rules as a caller writes and reads them. */
function faultControl(faults: Faults): FaultControl {
  return {
    list: () =>
      faults.list().map(({ rule, seen, applied }) => ({ name: rule.name, definition: rule.definition, seen, applied })),
    add(fault) {
      const rule = toFaultRule(checkFault(fault), faults.freeName());
      faults.add(rule);
      return rule.name;
    },
    remove: (name) => faults.remove(name),
  };
}

import type { Answer, ApiCall } from './api-call.js';
import { fetchDoor } from './fetch.js';
import { createHandle } from './handle-call.js';
import type { Settings } from './interface/assumptions.js';
import { changeWorld, createParts } from './parts.js';
import type { Faults } from './policies/faults.js';
import type { Keys } from './policies/keys.js';
import { type Fault, toFaultRule } from './scenario/fault-schema.js';
import { checkFault, type GeneratePets, loadScenario } from './scenario/load.js';
import type { Scenario } from './scenario/schema.js';
import type { Clock, ClockState } from './state/clock.js';
import type { Journal } from './state/journal.js';
import type { Pets } from './state/pets.js';
import { judge, type Verdict } from './verdict/judge.js';

export interface SimulatorOptions {
  /** What the simulator starts with and does. What it leaves out comes from the default scenario. */
  scenario?: Scenario;
  /** Needed only for a scenario with `pets.generate`: `generatePets` of `petstore-sim/seed`. */
  generatePets?: GeneratePets;
  /** Told of every answer with status 500, which is a bug of the simulator. Default: `console.error`. */
  onError?: (error: unknown) => void;
}

/** Everything that requests and the clock can change, to go back to with `restore`. Nothing in it is ever changed. */
export interface Snapshot {
  readonly clock: ClockState;
  readonly pets: ReturnType<Pets['state']>;
  readonly keys: ReturnType<Keys['state']>;
  readonly faults: ReturnType<Faults['state']>;
}

/** Fault rules that can be changed while the simulator runs. */
export interface FaultControl {
  /** Every rule in order: how many requests met its conditions, and to how many it applied. */
  list(): { name: string; seen: number; applied: number }[];
  /**
   * Adds a rule behind the others and gives its name.
   * @throws {ScenarioError} for a rule that is none, {RangeError} for a name that is taken
   * @example sim.faults.add({ when: { operation: 'createPet', nth: 1 }, then: { reset: true, phase: 'after' } })
   */
  add(fault: Fault): string;
  /** Removes a rule; `false` when there is none with this name. */
  remove(name: string): boolean;
}

/** A whole world: animals, API keys with their limits and bans, and the clock that drives them. */
export interface Simulator {
  /** The name of the scenario. */
  readonly name: string;
  readonly clock: Clock;
  readonly pets: Pets;
  readonly keys: Keys;
  readonly faults: FaultControl;
  /** Every request with its answer, within bounds. */
  readonly journal: Journal;
  /** How the client has behaved since the start or the last reset. */
  verdict(): Verdict;
  /** What it does where the document is silent. */
  readonly settings: Readonly<Settings>;
  /** Answers one call: at once, unless a fault rule delays it. The doors (HTTP, msw, fetch) all come here. */
  handle(call: ApiCall): Answer | Promise<Answer>;
  /**
   * The simulator as a `fetch`: any origin, API under `/v1`. Hand it to a client that accepts one.
   * @example const response = await sim.fetch('http://petstore.test/v1/pets', { headers: { authorization: 'Bearer free-key' } });
   */
  readonly fetch: typeof fetch;
  /**
   * Puts another scenario in force: keys, limits, bans and faults start anew. Animals stay, unless `reseed`; the clock
   * goes on, unless the scenario has another one.
   * @throws {ScenarioError} and changes nothing
   */
  load(scenario: Scenario, options?: { reseed?: boolean }): void;
  /** Goes back to the start of the scenario: animals, identifiers, keys, limits, bans, faults and clock. */
  reset(): void;
  snapshot(): Snapshot;
  restore(snapshot: Snapshot): void;
}

/**
 * Builds a simulator. Synchronous and without I/O, in Node and in browsers; two simulators share nothing.
 * @throws {ScenarioError} naming every mistake of the scenario with its path
 * @example const sim = createSimulator({ scenario: { keys: { 'free-key': { usage: { minute: 60 } } } } });
 */
export function createSimulator({
  scenario = {},
  generatePets,
  onError = console.error,
}: SimulatorOptions = {}): Simulator {
  const parts = createParts(loadScenario(scenario, generatePets));
  const { clock, pets, keys, faults, journal } = parts;
  const handle = createHandle(parts, onError);

  return {
    get name() {
      return parts.world.name;
    },
    get settings() {
      return parts.world.settings;
    },
    clock,
    pets,
    keys,
    faults: faultControl(faults),
    journal,
    verdict: () =>
      judge(journal.query(), {
        scenario: parts.world.name,
        nowMs: clock.now(),
        dropped: journal.dropped,
        expect: parts.world.expect,
      }),
    handle,
    fetch: fetchDoor({ handle, clock }),
    load(next, { reseed = false } = {}) {
      changeWorld(parts, loadScenario(next, generatePets), reseed);
    },
    reset() {
      clock.reset();
      pets.reset();
      keys.reset();
      faults.reset();
      journal.clear();
    },
    snapshot: () => ({ clock: clock.state(), pets: pets.state(), keys: keys.state(), faults: faults.state() }),
    restore(snapshot) {
      clock.restore(snapshot.clock);
      pets.restore(snapshot.pets);
      keys.restore(snapshot.keys);
      faults.restore(snapshot.faults);
    },
  };
}

/** The fault rules as a caller writes and reads them. */
function faultControl(faults: Faults): FaultControl {
  return {
    list: () => faults.list().map(({ rule, seen, applied }) => ({ name: rule.name, seen, applied })),
    add(fault) {
      const rule = toFaultRule(checkFault(fault), `fault-${faults.size + 1}`);
      faults.add(rule);
      return rule.name;
    },
    remove: (name) => faults.remove(name),
  };
}

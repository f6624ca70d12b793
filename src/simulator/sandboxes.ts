import { conflict, tooMany } from '../control/control-error.js';
import { findScenario } from '../control/find-scenario.js';
import type { Scenario } from '../scenario/scenario-schema.js';
import type { Simulator } from './simulator.js';

/** A name of a sandbox; not `.` or `..`, which a client would resolve in an address. */
export const sandboxNamePattern = /^(?!\.\.?$)[A-Za-z0-9._-]{1,64}$/;

/** A whole world of its own: pets, keys, limits, bans, clock, faults and journal. */
export interface Sandbox {
  readonly name: string;
  readonly sim: Simulator;
  /** Aborted when the sandbox is removed or dropped. */
  readonly removed: AbortSignal;
}

interface Kept extends Sandbox {
  lastUsedMs: number;
  readonly removal: AbortController;
}

export interface SandboxesOptions {
  /** Real time after which an unused sandbox is dropped. Default ten minutes. */
  idleMs?: number | undefined;
  /** How many there may be. Default 1,000. */
  limit?: number | undefined;
}

/** The sandboxes of one server. Idle ones are dropped when another is looked for, so there are no timers. */
export class Sandboxes {
  readonly #sim: Simulator;
  readonly #nowMs: () => number;
  readonly #idleMs: number;
  readonly #limit: number;
  /** The longest unused first. */
  readonly #sandboxes = new Map<string, Kept>();

  /** @param nowMs the machine's time, which no simulated clock moves */
  constructor(sim: Simulator, nowMs: () => number, { idleMs = 600_000, limit = 1_000 }: SandboxesOptions = {}) {
    this.#sim = sim;
    this.#nowMs = nowMs;
    this.#idleMs = idleMs;
    this.#limit = limit;
  }

  list(): Sandbox[] {
    this.#dropIdle();
    return [...this.#sandboxes.values()];
  }

  /** The sandbox of this name, which counts as used; `undefined` when there is none. */
  find(name: string): Sandbox | undefined {
    this.#dropIdle();
    const sandbox = this.#sandboxes.get(name);
    if (sandbox === undefined) return undefined;
    sandbox.lastUsedMs = this.#nowMs();
    this.#sandboxes.delete(name);
    this.#sandboxes.set(name, sandbox);
    return sandbox;
  }

  /**
   * Makes a sandbox.
   * @param scenario a name of the simulator's list, or content; default: the scenario that the simulator has in force
   * @throws {ControlError} 409 when the name is taken, 404 for an unknown scenario, 503 when there are too many
   * @throws {ScenarioError}
   */
  create(name: string, scenario?: string | Scenario): Sandbox {
    this.#dropIdle();
    if (this.#sandboxes.has(name)) throw conflict('There is a sandbox of this name already; remove it first.');
    if (this.#sandboxes.size >= this.#limit) {
      throw tooMany(
        `There are ${this.#limit} sandboxes, which is the limit; remove one with DELETE /__sim/sandboxes/NAME, or wait until one has been unused for ${this.#idleMs / 1000} s.`,
      );
    }
    const sim = this.#sim.fork({ scenario: scenario === undefined ? undefined : findScenario(this.#sim, scenario) });
    const removal = new AbortController();
    const sandbox = { name, sim, removed: removal.signal, removal, lastUsedMs: this.#nowMs() };
    this.#sandboxes.set(name, sandbox);
    return sandbox;
  }

  /** Removes a sandbox and cuts off whoever waits in it; `false` when there is none of this name. */
  remove(name: string): boolean {
    const sandbox = this.#sandboxes.get(name);
    if (sandbox === undefined) return false;
    this.#sandboxes.delete(name);
    sandbox.removal.abort();
    sandbox.sim.clock.reset();
    return true;
  }

  #dropIdle(): void {
    const nowMs = this.#nowMs();
    for (const { name, lastUsedMs } of this.#sandboxes.values()) {
      if (nowMs - lastUsedMs < this.#idleMs) return;
      this.remove(name);
    }
  }
}

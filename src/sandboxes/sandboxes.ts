import type { ResolvedScenario } from '../scenario/resolve-scenario.js';
import type { Scenario } from '../scenario/scenario-schema.js';
import { coreOf, type Simulator, type SimulatorCore } from '../simulator/simulator.js';
import { runToEnd, type Steps } from '../values/steps.js';
import { SandboxError } from './sandbox-error.js';

/** Valid sandbox names. `.` and `..` are invalid, because a client would resolve them in a URL. */
export const sandboxNamePattern = /^(?!\.\.?$)[A-Za-z0-9._-]{1,64}$/;

/**
 * A sandbox is a separate simulator with a name. Sandboxes share no pets, keys, limits, bans, clock, faults or journal.
 */
export interface Sandbox {
  readonly name: string;
  readonly sim: Simulator;
  /** Base path of the sandbox's main API (the Petstore): `/s/NAME/v1`, where NAME is the sandbox's name. */
  readonly base: string;
  /**
   * Whether a request re-created this sandbox, after the server had dropped an idle sandbox of the same name with its
   * state.
   */
  readonly isRecreated: boolean;
  /** Signal that is aborted when the sandbox is removed, or dropped because it was idle. */
  readonly removed: AbortSignal;
}

/** Start of every sandbox path, such as `/s/NAME/v1`. */
export const sandboxPrefix = '/s/';

/** Path before the base paths of a sandbox's services: `/s/NAME`. */
export const prefixOf = ({ name }: Pick<Sandbox, 'name'>) => sandboxPrefix + name;

/** Header of the first response of a sandbox that was dropped as idle and then re-created. */
export const recreatedHeaders = { 'X-Sim-Sandbox': 'recreated' };

/** State of a sandbox in a snapshot. */
export interface SandboxState extends Omit<Sandbox, 'base' | 'removed'> {
  /** Number of the sandbox in the order of creation, from 1. */
  readonly number: number;
  lastUsedMs: number;
}

interface StoredSandbox extends SandboxState, Sandbox {
  readonly removal: AbortController;
}

export interface SandboxesState {
  sandboxes: readonly SandboxState[];
  /** Names of sandboxes that were dropped as idle, oldest first. */
  dropped: readonly string[];
  lastNumber: number;
}

export interface SandboxesOptions {
  /** Real time after which an unused sandbox is dropped with its state. Default: ten minutes. */
  idleMs?: number | undefined;
  /** Maximum number of sandboxes. Default: 1,000. */
  limit?: number | undefined;
}

/**
 * Callbacks for the code that creates the collection of sandboxes, such as a server with a log: a check whether a sandbox
 * is in use, and a notice of each new sandbox.
 */
interface SandboxHooks {
  /**
   * Whether a sandbox counts as used although it has no pending request. Default: whether any code waits for a time of
   * the sandbox's clock, or a stream reads its journal.
   */
  isWatched?: (sandbox: Sandbox) => boolean;
  /** Called for every new sandbox. */
  onMade?: (sandbox: Sandbox) => void;
}

const isReadFrom = ({ sim }: Sandbox) => {
  const { clock, journal } = coreOf(sim).state;
  return clock.sleepers > 0 || journal.listeners > 0;
};

/**
 * Minimum and maximum time between two renewals of a sandbox in use. A renewal postpones the removal of the sandbox.
 */
const renewalBoundsMs = { most: 60_000, least: 10 };

/**
 * The sandboxes of one server. After its idle time, a sandbox counts as missing, and is removed when any sandbox is
 * next used or created.
 */
export class Sandboxes {
  readonly #sim: Simulator;
  readonly #nowMs: () => number;
  readonly #idleMs: number;
  readonly #limit: number;
  readonly #isWatched: (sandbox: Sandbox) => boolean;
  readonly #onMade: (sandbox: Sandbox) => void;
  readonly #sandboxes = new Map<string, StoredSandbox>();
  /** Time of the next search for idle sandboxes, which are removed. No sandbox can become idle earlier. */
  #nextIdleMs = Number.NEGATIVE_INFINITY;
  /** Names of sandboxes that were dropped as idle, oldest first. */
  readonly #dropped = new Set<string>();
  #lastNumber = 0;

  /** @param nowMs returns the machine's time, independent of any simulated clock */
  constructor(
    sim: Simulator,
    nowMs: () => number,
    {
      idleMs = 600_000,
      limit = 1_000,
      isWatched = isReadFrom,
      onMade = () => {},
    }: SandboxesOptions & SandboxHooks = {},
  ) {
    this.#sim = sim;
    this.#nowMs = nowMs;
    this.#idleMs = idleMs;
    this.#limit = limit;
    this.#isWatched = isWatched;
    this.#onMade = onMade;
  }

  list(): Sandbox[] {
    return [...this.#sandboxes.values()].filter((sandbox) => !this.#isIdle(sandbox));
  }

  /**
   * Finds a sandbox by name. Unlike `use`, does not prevent that the sandbox is dropped as idle. Returns `undefined` if
   * no sandbox has this name.
   */
  find(name: string): Sandbox | undefined {
    const sandbox = this.#sandboxes.get(name);
    return sandbox === undefined || this.#isIdle(sandbox) ? undefined : sandbox;
  }

  /** Finds a sandbox by name and sets the time of its last use. Returns `undefined` if no sandbox has this name. */
  use(name: string): Sandbox | undefined {
    const nowMs = this.#dropIdle();
    const sandbox = this.#sandboxes.get(name);
    if (sandbox !== undefined) sandbox.lastUsedMs = nowMs;
    return sandbox;
  }

  /** Whether the sandbox's last use is so old that a read request must renew it. */
  isRenewalDue(name: string): boolean {
    const { lastUsedMs = Number.POSITIVE_INFINITY } = this.#sandboxes.get(name) ?? {};
    return this.#nowMs() - lastUsedMs >= this.renewalMs;
  }

  /**
   * Interval at which an open stream must mark its sandbox as used, so that the sandbox is not dropped as idle.
   * Infinity if sandboxes never become idle.
   */
  get renewalMs(): number {
    if (this.#idleMs === Number.POSITIVE_INFINITY) return this.#idleMs;
    return Math.max(renewalBoundsMs.least, Math.min(renewalBoundsMs.most, this.#idleMs / 4));
  }

  /**
   * Creates a sandbox.
   * @param scenario default: the current scenario of the server's own simulator
   * @throws {SandboxError} if the name is taken or the limit is reached
   * @throws {ScenarioError} if the scenario is invalid
   */
  create(name: string, scenario?: Scenario): Sandbox {
    return runToEnd(this.createInSteps(name, scenario));
  }

  /**
   * Creates a sandbox in steps, between which the server can handle requests. Arguments and errors are those of
   * `create`. Only the last step changes state.
   * @param checkAll function that checks the scenario in several steps; default: one step
   */
  *createInSteps(
    name: string,
    scenario?: Scenario,
    checkAll?: Parameters<SimulatorCore['resolve']>[1],
  ): Steps<Sandbox> {
    this.#refuse(name);
    const resolved = scenario && (yield* coreOf(this.#sim).resolve(scenario, checkAll));
    return this.#add(name, false, resolved);
  }

  /**
   * Creates a sandbox for an API request whose path has an unknown sandbox name.
   * @throws {SandboxError} if the limit is reached
   */
  createForRequest(name: string): Sandbox {
    this.#dropIdle();
    return this.#add(name, this.#dropped.has(name));
  }

  #add(name: string, isRecreated: boolean, resolved?: ResolvedScenario): Sandbox {
    this.#refuse(name);
    const sim = resolved === undefined ? this.#sim.fork() : coreOf(this.#sim).forkFrom(resolved);
    this.#dropped.delete(name);
    return this.#set({ name, sim, isRecreated, number: ++this.#lastNumber, lastUsedMs: this.#nowMs() });
  }

  /**
   * Removes idle sandboxes, then checks that a sandbox can be created.
   * @throws {SandboxError} if a sandbox with this name exists, or the maximum number of sandboxes is reached
   */
  #refuse(name: string): void {
    this.#dropIdle();
    if (this.#sandboxes.has(name)) {
      throw new SandboxError('taken', 'A sandbox with this name exists already; remove it first.');
    }
    if (this.#sandboxes.size >= this.#limit) {
      const orWait = Number.isFinite(this.#idleMs)
        ? `, or wait until one has been unused for ${this.#idleMs / 1000} s`
        : '';
      throw new SandboxError(
        'full',
        `The server has ${this.#limit} sandboxes, which is the limit; remove one with DELETE /__sim/sandboxes/NAME${orWait}.`,
      );
    }
  }

  #set(sandbox: SandboxState): Sandbox {
    const removal = new AbortController();
    const base = prefixOf(sandbox) + sandbox.sim.basePaths[0];
    const stored = { ...sandbox, base, removed: removal.signal, removal };
    this.#sandboxes.set(sandbox.name, stored);
    this.#onMade(stored);
    return stored;
  }

  /** Simulators of all sandboxes, including idle sandboxes that are not dropped yet. */
  *sims(): Generator<Simulator> {
    for (const { sim } of this.#sandboxes.values()) yield sim;
  }

  /** State of all sandboxes, in the order of their creation. */
  state(): SandboxesState {
    return {
      sandboxes: [...this.#sandboxes.values()].map(({ base: _, removed: __, removal: ___, ...sandbox }) => sandbox),
      dropped: [...this.#dropped],
      lastNumber: this.#lastNumber,
    };
  }

  /** Adds the sandboxes of a snapshot to this collection, which must be empty. */
  restore({ sandboxes, dropped, lastNumber }: SandboxesState): void {
    for (const sandbox of sandboxes) this.#set(sandbox);
    for (const name of dropped) this.#dropped.add(name);
    this.#lastNumber = lastNumber;
  }

  /** Removes a sandbox and aborts its waiting requests. Returns `false` if no sandbox has this name. */
  remove(name: string): boolean {
    const sandbox = this.#sandboxes.get(name);
    if (sandbox === undefined) return false;
    this.#sandboxes.delete(name);
    sandbox.removal.abort();
    const { clock, journal } = coreOf(sandbox.sim).state;
    clock.reset();
    journal.budget.leave(journal);
    return true;
  }

  #isIdle(sandbox: StoredSandbox): boolean {
    return this.#nowMs() - sandbox.lastUsedMs >= this.#idleMs && !this.#isInUse(sandbox);
  }

  /** Whether a sandbox has a pending request or an open stream. */
  #isInUse(sandbox: StoredSandbox): boolean {
    return sandbox.sim.journal.pending > 0 || this.#isWatched(sandbox);
  }

  /**
   * Drops idle sandboxes. A sandbox with a pending request or an open stream counts as used now.
   * @returns the current time, in Unix milliseconds
   */
  #dropIdle(): number {
    const nowMs = this.#nowMs();
    if (nowMs < this.#nextIdleMs) return nowMs;
    this.#nextIdleMs = nowMs + this.#idleMs;
    for (const sandbox of this.#sandboxes.values()) {
      const isDue = nowMs - sandbox.lastUsedMs >= this.#idleMs;
      if (isDue && this.#isInUse(sandbox)) sandbox.lastUsedMs = nowMs;
      else if (isDue) this.#drop(sandbox.name);
      else this.#nextIdleMs = Math.min(this.#nextIdleMs, sandbox.lastUsedMs + this.#idleMs);
    }
    return nowMs;
  }

  #drop(name: string): void {
    this.remove(name);
    this.#dropped.add(name);
    const [oldest] = this.#dropped;
    if (this.#dropped.size > maximumDropped) this.#dropped.delete(oldest as string);
  }
}

/**
 * Maximum number of remembered names of dropped sandboxes. If a sandbox of such a name is created again, a response
 * header notes this.
 */
const maximumDropped = 10_000;

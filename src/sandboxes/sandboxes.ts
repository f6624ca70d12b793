import { basePath } from '../petstore/document.js';
import type { ResolvedScenario } from '../scenario/resolve-scenario.js';
import type { Scenario } from '../scenario/scenario-schema.js';
import { coreOf, type Simulator, type SimulatorCore } from '../simulator/simulator.js';
import { inOneGo, type Steps } from '../values/steps.js';
import { SandboxError } from './sandbox-error.js';

/** A name of a sandbox; not `.` or `..`, which a client would resolve in a URL. */
export const sandboxNamePattern = /^(?!\.\.?$)[A-Za-z0-9._-]{1,64}$/;

/** A simulator under a name: it shares no pets, keys, limits, bans, clock, faults or journal with another. */
export interface Sandbox {
  readonly name: string;
  readonly sim: Simulator;
  /** What every address of its API begins with: `/s/NAME/v1`. */
  readonly base: string;
  /** Whether a request came after an idle sandbox of this name was dropped, with its pets, keys and journal. */
  readonly isRecreated: boolean;
  /** Aborted when the sandbox is removed or dropped. */
  readonly removed: AbortSignal;
}

/** What every address of a sandbox begins with. */
export const sandboxPrefix = '/s/';

/** What the first answer of a sandbox says that was dropped and made anew. */
export const recreatedHeaders = { 'X-Sim-Sandbox': 'recreated' };

/** A sandbox with what decides when it is dropped. */
export interface SandboxState extends Omit<Sandbox, 'base' | 'removed'> {
  /** Counted from 1 in the order in which they were made. */
  readonly number: number;
  lastUsedMs: number;
}

interface StoredSandbox extends SandboxState, Sandbox {
  readonly removal: AbortController;
}

export interface SandboxesState {
  sandboxes: readonly SandboxState[];
  /** Names of idle sandboxes that were dropped, the oldest first. */
  dropped: readonly string[];
  lastNumber: number;
}

export interface SandboxesOptions {
  /** Real time after which an unused sandbox is dropped. Default ten minutes. */
  idleMs?: number | undefined;
  /** How many there may be. Default 1,000. */
  limit?: number | undefined;
}

/** What a log does otherwise. */
interface SandboxHooks {
  /** Whether somebody watches a sandbox, or is being sent an answer of it. */
  isWatched?: (sandbox: Sandbox) => boolean;
  /** Called with every sandbox that is made. */
  onMade?: (sandbox: Sandbox) => void;
}

const isReadFrom = ({ sim }: Sandbox) => {
  const { clock, journal } = coreOf(sim).state;
  return clock.sleepers > 0 || journal.listeners > 0;
};

/** How long a sandbox may have been unused when a reader counts as a use, at most and at least. */
const readAfterMs = { most: 60_000, least: 10 };

/**
 * The sandboxes of one server. There are no timers: idle ones are no longer found, and dropped when a sandbox is used or
 * made. To look changes nothing.
 */
export class Sandboxes {
  readonly #sim: Simulator;
  readonly #nowMs: () => number;
  readonly #idleMs: number;
  readonly #limit: number;
  readonly #isWatched: (sandbox: Sandbox) => boolean;
  readonly #onMade: (sandbox: Sandbox) => void;
  readonly #sandboxes = new Map<string, StoredSandbox>();
  /** Before this none can be idle, so that not all are looked at for every request. */
  #nextIdleMs = Number.NEGATIVE_INFINITY;
  /** Names of idle sandboxes that were dropped, the oldest first. */
  readonly #dropped = new Set<string>();
  #lastNumber = 0;

  /** @param nowMs the machine's time in Unix milliseconds, which no simulated clock moves */
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

  /** The sandbox of this name; `undefined` when there is none. */
  find(name: string): Sandbox | undefined {
    const sandbox = this.#sandboxes.get(name);
    return sandbox === undefined || this.#isIdle(sandbox) ? undefined : sandbox;
  }

  /** The same for a request or a change: it counts as used. */
  use(name: string): Sandbox | undefined {
    const nowMs = this.#dropIdle();
    const sandbox = this.#sandboxes.get(name);
    if (sandbox !== undefined) sandbox.lastUsedMs = nowMs;
    return sandbox;
  }

  /** Whether a reader of a sandbox has to `use` it, so that it is not dropped: it was not used for a minute, or a quarter of `idleMs`. */
  wantsUse(name: string): boolean {
    const { lastUsedMs = Number.POSITIVE_INFINITY } = this.#sandboxes.get(name) ?? {};
    return this.#nowMs() - lastUsedMs >= this.useEveryMs;
  }

  /** How often who watches a sandbox has to `use` it; Infinity where none is dropped. */
  get useEveryMs(): number {
    if (this.#idleMs === Number.POSITIVE_INFINITY) return this.#idleMs;
    return Math.max(readAfterMs.least, Math.min(readAfterMs.most, this.#idleMs / 4));
  }

  /**
   * Makes a sandbox.
   * @param scenario default: the scenario that the server's own simulator has now
   * @throws {SandboxError} when the name is taken or there are too many
   * @throws {ScenarioError} when the scenario has mistakes
   */
  create(name: string, scenario?: Scenario): Sandbox {
    return inOneGo(this.createInSteps(name, scenario));
  }

  /**
   * As `create`. Changes nothing before its last step.
   * @param checkAll checks the scenario; default: in one step
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
   * Makes a sandbox for a request to one that is not there.
   * @throws {SandboxError} as `create`
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

  /** @throws {SandboxError} when no sandbox of this name can be made */
  #refuse(name: string): void {
    this.#dropIdle();
    if (this.#sandboxes.has(name)) {
      throw new SandboxError('taken', 'There is a sandbox of this name already; remove it first.');
    }
    if (this.#sandboxes.size >= this.#limit) {
      throw new SandboxError(
        'full',
        `There are ${this.#limit} sandboxes, which is the limit; remove one with DELETE /__sim/sandboxes/NAME, or wait until one has been unused for ${this.#idleMs / 1000} s.`,
      );
    }
  }

  #set(sandbox: SandboxState): Sandbox {
    const removal = new AbortController();
    const base = `${sandboxPrefix}${sandbox.name}${basePath}`;
    const stored = { ...sandbox, base, removed: removal.signal, removal };
    this.#sandboxes.set(sandbox.name, stored);
    this.#onMade(stored);
    return stored;
  }

  /** Every simulator, also of those that are idle and not dropped yet. */
  *sims(): Generator<Simulator> {
    for (const { sim } of this.#sandboxes.values()) yield sim;
  }

  /** Everything that requests and time change, in the order in which they were made. */
  state(): SandboxesState {
    return {
      sandboxes: [...this.#sandboxes.values()].map(({ base: _, removed: __, removal: ___, ...sandbox }) => sandbox),
      dropped: [...this.#dropped],
      lastNumber: this.#lastNumber,
    };
  }

  /** Only where there are none yet. */
  restore({ sandboxes, dropped, lastNumber }: SandboxesState): void {
    for (const sandbox of sandboxes) this.#set(sandbox);
    for (const name of dropped) this.#dropped.add(name);
    this.#lastNumber = lastNumber;
  }

  /** Removes a sandbox and ends the requests that wait in it; `false` when there is none of this name. */
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

  /** Whether a request waits in it for its answer, or somebody watches it. */
  #isInUse(sandbox: StoredSandbox): boolean {
    return sandbox.sim.journal.pending > 0 || this.#isWatched(sandbox);
  }

  /** Those that are idle go; those that somebody still uses count as used now. @returns the time */
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

/** Names of dropped sandboxes that are remembered, to tell a client that its sandbox was made anew. */
const maximumDropped = 10_000;

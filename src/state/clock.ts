import { parseDuration } from '../values/duration.js';
import { latestMs, parseInstant } from '../values/instant.js';

/** How a clock starts. Everything is optional; without any of it the clock is the machine's own. */
export interface ClockStart {
  /** The first instant, in Unix milliseconds. Default: the machine's time. */
  startMs?: number | undefined;
  /** `real` runs, `frozen` stands still until `advance`, `set` or `resume`. Default `real`. */
  mode?: 'real' | 'frozen' | undefined;
  /** How many simulated seconds pass in one real second. Default 1. */
  speed?: number | undefined;
  /** How far the clock is ahead of the machine's, in milliseconds; below 0 it is behind. Default 0. */
  skewMs?: number | undefined;
}

/** The moving part of a clock, as plain data. */
export interface ClockState {
  nowMs: number;
  frozen: boolean;
  movedMs: number;
}

/** A wait on the clock ended early because the simulator was reset. */
export class ResetError extends Error {
  override readonly name = 'ResetError';
  override readonly message = 'The simulator was reset.';
}

/** A wait for an instant of the clock. */
interface Sleeper {
  dueMs: number;
  wake(): void;
  giveUp(reason: unknown): void;
}

/** The longest wait of `setTimeout`; a longer one fires at once. */
const longestTimerMs = 2 ** 31 - 1;

/**
 * The one clock that drives windows, bans, `Date`, key expiry and the removal of getPet.
 * It reads `Date.now()` when called, so the fake timers of a test runner move it.
 */
export class Clock {
  #start: ClockStart = {};
  #frozen = false;
  /** Simulated instant at the anchor, and the machine's instant that it belongs to. */
  #anchorMs = 0;
  #machineAnchorMs = 0;
  /** The last reading of the machine's time, and of a time that nobody can set. */
  #lastMachineMs = Number.NEGATIVE_INFINITY;
  #lastMonotonicMs = 0;
  #movedMs = 0;
  readonly #sleepers = new Set<Sleeper>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(start: ClockStart = {}) {
    this.configure(start);
  }

  /** Starts again from other settings. */
  configure(start: ClockStart): void {
    this.#start = start;
    this.reset();
  }

  /** The simulated instant, in whole Unix milliseconds. It goes back only by `set`, `reset` and `restore`. */
  now(): number {
    if (this.#frozen) return this.#anchorMs;
    const machineMs = this.#readMachine();
    return Math.min(latestMs, Math.floor(this.#anchorMs + (machineMs - this.#machineAnchorMs) * this.#speed));
  }

  /** The machine's time. Where somebody set it back, the anchor moves with it, so that the simulated clock runs on. */
  #readMachine(): number {
    const machineMs = Date.now();
    const monotonicMs = performance.now();
    if (machineMs < this.#lastMachineMs) {
      const elapsedMs = Math.max(0, monotonicMs - this.#lastMonotonicMs);
      this.#machineAnchorMs -= this.#lastMachineMs + elapsedMs - machineMs;
    }
    this.#lastMachineMs = machineMs;
    this.#lastMonotonicMs = monotonicMs;
    return machineMs;
  }

  /** How far `advance` and `set` have moved the clock since it started. */
  get movedMs(): number {
    return this.#movedMs;
  }

  get #speed(): number {
    return this.#start.speed ?? 1;
  }

  /** How many waits are under way. */
  get sleepers(): number {
    return this.#sleepers.size;
  }

  get frozen(): boolean {
    return this.#frozen;
  }

  /**
   * Moves the clock forward.
   * @param duration milliseconds, or text such as `500ms`, `61s`, `5m`, `2h`, `1d`
   * @throws {RangeError} for a negative or unreadable duration, or past the year 9999
   * @example sim.clock.advance('61s')
   */
  advance(duration: number | string): void {
    this.#moveTo(this.now() + parseDuration(duration, Number.POSITIVE_INFINITY));
  }

  /**
   * Moves the clock to an instant, forward or back.
   * @param instant a `Date`, Unix milliseconds, or an ISO 8601 text with its zone
   * @throws {RangeError} for anything that is not an instant of the years 1970 to 9999
   * @example sim.clock.set('2030-12-05T00:00:00Z')
   */
  set(instant: Date | number | string): void {
    this.#moveTo(parseInstant(instant));
  }

  /** Stops the clock where it is; `advance` and `set` still move it. */
  freeze(): void {
    this.#anchorMs = this.now();
    this.#frozen = true;
    this.#wakeDue();
  }

  /** Lets the clock run on from where it is. */
  resume(): void {
    this.#anchorMs = this.now();
    this.#machineAnchorMs = this.#readMachine();
    this.#frozen = false;
    this.#wakeDue();
  }

  /**
   * Waits until the clock has moved on by `ms`: in real time while it runs, by `advance` and `set` at any time.
   * @param ms may be `Infinity`: until the signal or a reset ends it
   * @throws the reason of `signal` when that is aborted, and a {ResetError} when the clock is reset or restored meanwhile
   */
  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.#sleepers.delete(sleeper);
        signal?.removeEventListener('abort', abort);
      };
      const abort = () => {
        sleeper.giveUp(signal?.reason);
        // A timer without a sleeper would keep the process alive.
        this.#wakeDue();
      };
      const sleeper: Sleeper = {
        dueMs: this.now() + ms,
        wake: () => {
          leave();
          resolve();
        },
        giveUp: (reason) => {
          leave();
          reject(reason);
        },
      };
      this.#sleepers.add(sleeper);
      if (signal?.aborted) return abort();
      signal?.addEventListener('abort', abort);
      this.#wakeDue();
    });
  }

  /** Goes back to how the scenario started it. */
  reset(): void {
    this.#lastMachineMs = Number.NEGATIVE_INFINITY;
    const machineMs = this.#readMachine();
    this.#machineAnchorMs = machineMs;
    const startMs = (this.#start.startMs ?? machineMs) + (this.#start.skewMs ?? 0);
    // Whole, because a skew may have a fraction, and a frozen clock shows its anchor.
    this.#anchorMs = Math.floor(Math.min(latestMs, Math.max(0, startMs)));
    this.#frozen = this.#start.mode === 'frozen';
    this.#movedMs = 0;
    this.#endSleep();
  }

  state(): ClockState {
    return { nowMs: this.now(), frozen: this.#frozen, movedMs: this.#movedMs };
  }

  restore(state: ClockState): void {
    // First, because the move would complete waits of the state that is being replaced.
    this.#endSleep();
    this.#moveTo(state.nowMs);
    this.#frozen = state.frozen;
    this.#movedMs = state.movedMs;
  }

  #endSleep(): void {
    for (const sleeper of this.#sleepers) sleeper.giveUp(new ResetError());
    this.#wakeDue();
  }

  #moveTo(instantMs: number): void {
    if (!(instantMs >= 0 && instantMs <= latestMs)) {
      throw new RangeError('Failed to move the clock: expected an instant of the years 1970 to 9999');
    }
    this.#movedMs += Math.floor(instantMs) - this.now();
    this.#anchorMs = Math.floor(instantMs);
    this.#machineAnchorMs = this.#readMachine();
    this.#wakeDue();
  }

  /** Wakes whose instant has come, in time order, and sets one timer for the next. */
  #wakeDue(): void {
    clearTimeout(this.#timer);
    const nowMs = this.now();
    const sleepers = [...this.#sleepers].sort((a, b) => a.dueMs - b.dueMs);
    for (const sleeper of sleepers) if (sleeper.dueMs <= nowMs) sleeper.wake();
    const next = sleepers.find(({ dueMs }) => dueMs > nowMs);
    if (next === undefined || next.dueMs === Number.POSITIVE_INFINITY || this.#frozen) return;
    const waitMs = Math.ceil((next.dueMs - nowMs) / this.#speed);
    this.#timer = setTimeout(() => this.#wakeDue(), Math.min(waitMs, longestTimerMs));
  }
}

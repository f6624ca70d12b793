/** Source of the machine's time. */
export interface TimeSource {
  /** Current time, in Unix milliseconds. Monotonic, except for `restart`. */
  now(): number;
  /** Forgets past corrections of the machine's time. */
  restart(): void;
  /** Whether logged commands carry the time. If so, the log completes due work and the clock sets no timers. */
  readonly isLogged?: boolean;
}

/**
 * The machine's own time. Reads `Date.now()` on every call, so fake timers of a test runner move it. A class, because
 * V8 updates numeric fields in place but allocates a number for every write to a closure's variable.
 */
export class MachineTime implements TimeSource {
  /** Last reading of the wall clock and of the monotonic clock, in milliseconds. */
  #lastMs = 0;
  #lastMonotonicMs = 0;
  /** Total time by which the wall clock was set back, in milliseconds. */
  #setBackMs = 0;

  now(): number {
    const machineMs = Date.now();
    const monotonicMs = performance.now();
    if (machineMs < this.#lastMs) {
      this.#setBackMs += this.#lastMs + Math.max(0, monotonicMs - this.#lastMonotonicMs) - machineMs;
    }
    this.#lastMs = machineMs;
    this.#lastMonotonicMs = monotonicMs;
    return machineMs + this.#setBackMs;
  }

  restart(): void {
    this.#lastMs = 0;
    this.#setBackMs = 0;
  }
}

/** Where a clock has the machine's time from, in Unix milliseconds. */
export interface TimeSource {
  /** Never goes back but by `restart`. */
  now(): number;
  /** Forgets how often the machine's time was set. */
  restart(): void;
  /** Whether commands carry the time: then somebody else completes what is due, and no timer is set for it. */
  readonly isLogged?: boolean;
}

/**
 * The machine's own time. It reads `Date.now()` when called, so the fake timers of a test runner move it. A class, because
 * V8 writes numbers into its fields in place, and makes a new one for each write to a variable of a closure.
 */
export class MachineTime implements TimeSource {
  /** The last reading, and that of a time that nobody can set. */
  #lastMs = 0;
  #lastMonotonicMs = 0;
  /** By how much the time was set back in all. */
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

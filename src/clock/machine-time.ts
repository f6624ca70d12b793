/** Source of the machine's time, from which a simulated clock computes its own. */
export interface TimeSource {
  /**
   * Returns the machine time in Unix milliseconds. The returned time never decreases, except after a call of `restart`.
   */
  now(): number;
  /** Sets this time source to the machine's current time, even if its time then goes back. */
  restart(): void;
  /**
   * Whether the time comes from the server's append-only log instead of the machine's clock. The simulated clock then
   * sets no timers, because each applied log entry continues the delayed requests that are due.
   */
  readonly isLogged?: boolean;
  /** Total time by which the machine's clock was set back since the last `restart`; this time source did not follow. */
  readonly setBackMs?: number;
}

/**
 * The machine's own time. Reads `Date.now()` on every call, so that fake timers of a test runner move this time too. A
 * class, because V8 updates numeric fields in place but allocates a number for every write to a closure's variable.
 */
export class MachineTime implements TimeSource {
  /** Last reading of the wall clock and of the monotonic clock. */
  #lastMs = 0;
  #lastMonotonicMs = 0;
  setBackMs = 0;

  now(): number {
    const machineMs = Date.now();
    const monotonicMs = performance.now();
    if (machineMs < this.#lastMs) {
      this.setBackMs += this.#lastMs + Math.max(0, monotonicMs - this.#lastMonotonicMs) - machineMs;
    }
    this.#lastMs = machineMs;
    this.#lastMonotonicMs = monotonicMs;
    return machineMs + this.setBackMs;
  }

  restart(): void {
    this.#lastMs = 0;
    this.setBackMs = 0;
  }
}

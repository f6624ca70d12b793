import type { TimeSource } from '../clock/machine-time.js';

/** Clock step back above which `onStepBack` is called, in milliseconds. */
const reportedStepMs = 5_000;

export interface LogTimeOptions {
  /** Reads the machine's time in Unix milliseconds. Absent in a replay. */
  readMs?: (() => number) | undefined;
  /** Called with the size of a clock step back, in milliseconds, if it exceeds 5 s. */
  onStepBack?: ((ms: number) => void) | undefined;
  /**
   * Whether other processes append with their own clocks. Small steps back are then ignored: compensating them would
   * let the clocks of two processes push each other ahead endlessly. Default false.
   */
  isShared?: boolean | undefined;
}

/**
 * Monotonic time of a log, in Unix milliseconds. Equals the time of an entry while its commands are applied, otherwise
 * the machine's time.
 */
export class LogTime implements TimeSource {
  readonly isLogged = true;
  readonly #readMs: (() => number) | undefined;
  readonly #onStepBack: ((ms: number) => void) | undefined;
  readonly #leastStepMs: number;
  /** Time of the last entry, in Unix milliseconds. */
  #lastMs = 0;
  #appliedMs: number | undefined;
  /** Last reading of the machine's time, and the sum of its steps back, in milliseconds. */
  #lastReadMs = 0;
  #setBackMs = 0;

  constructor({ readMs, onStepBack, isShared = false }: LogTimeOptions = {}) {
    this.#readMs = readMs;
    this.#onStepBack = onStepBack;
    this.#leastStepMs = isShared ? reportedStepMs : 0;
  }

  /** Time of the last entry, in Unix milliseconds; 0 before the first. */
  get lastMs(): number {
    return this.#lastMs;
  }

  now(): number {
    return this.#appliedMs ?? this.liveMs();
  }

  restart(): void {
    // The time of a log never restarts.
  }

  /** Machine's time for the next entry, in Unix milliseconds. */
  liveMs(): number {
    if (this.#readMs === undefined) return this.#lastMs;
    const readMs = this.#readMs();
    // Covers the start too: the machine may have been set back after the last entry was written.
    const stepMs = Math.max(this.#lastReadMs - readMs, this.#lastMs - readMs - this.#setBackMs);
    if (stepMs > this.#leastStepMs) {
      this.#setBackMs += stepMs;
      if (stepMs > reportedStepMs) this.#onStepBack?.(stepMs);
    }
    this.#lastReadMs = readMs;
    return Math.max(this.#lastMs, readMs + this.#setBackMs);
  }

  /** Runs a function at the time of an entry. */
  at<Result>(atMs: number, run: () => Result): Result {
    this.#lastMs = Math.max(this.#lastMs, atMs);
    this.#appliedMs = this.#lastMs;
    try {
      return run();
    } finally {
      this.#appliedMs = undefined;
    }
  }
}

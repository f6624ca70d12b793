import type { TimeSource } from '../clock/machine-time.js';

/** Largest step by which the machine's clock may be set back without a message to the operator. */
const reportedStepMs = 5_000;

export interface LogTimeOptions {
  /** Reads the machine's time. Absent in a replay, which takes all times from the log. */
  readMs?: (() => number) | undefined;
  /** Called if the machine's clock was set back by more than 5 s, with the step in milliseconds. */
  onStepBack?: ((ms: number) => void) | undefined;
}

/**
 * Clock of a server that stores its commands in a log (`--data` or `--record`), in Unix milliseconds; never decreases.
 * Follows the machine's clock, but shows the time of a log entry while the entry is applied.
 */
export class LogTime implements TimeSource {
  readonly isLogged = true;
  readonly #readMs: (() => number) | undefined;
  readonly #onStepBack: ((ms: number) => void) | undefined;
  /** Time of the last applied log entry. */
  #lastMs = 0;
  #appliedMs: number | undefined;
  /** Last reading of the machine's clock. */
  #lastReadMs = 0;
  /**
   * Total time by which the machine's clock was set back. Added to later readings, so that the times of log entries
   * never decrease.
   */
  #setBackMs = 0;

  constructor({ readMs, onStepBack }: LogTimeOptions = {}) {
    this.#readMs = readMs;
    this.#onStepBack = onStepBack;
  }

  /** Time of the last entry of the append-only log that was applied to the server's state; 0 before the first entry. */
  get lastMs(): number {
    return this.#lastMs;
  }

  now(): number {
    return this.#appliedMs ?? this.liveMs();
  }

  restart(): void {
    // Has no effect, because the time of a server's log, which this clock shows, never goes back.
  }

  /** Returns the computer's time for the next log entry, never earlier than the last entry's time. */
  liveMs(): number {
    if (this.#readMs === undefined) return this.#lastMs;
    const readMs = this.#readMs();
    // Detects that the machine's clock was set back since its last reading or since the time of the last log entry. The
    // log entry also reveals a step back while the server was stopped.
    const stepMs = Math.max(this.#lastReadMs - readMs, this.#lastMs - readMs - this.#setBackMs);
    if (stepMs > 0) {
      this.#setBackMs += stepMs;
      if (stepMs > reportedStepMs) this.#onStepBack?.(stepMs);
    }
    this.#lastReadMs = readMs;
    return Math.max(this.#lastMs, readMs + this.#setBackMs);
  }

  /**
   * Runs a function that applies a log entry. During the function, `now` returns the entry's time `atMs` (Unix
   * milliseconds), or the previous entry's time if later.
   */
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

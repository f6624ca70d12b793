import type { TimeSource } from '../clock/machine-time.js';

/** Largest step by which the machine's clock may be set back without a message to the operator, in milliseconds. */
const reportedStepMs = 5_000;

export interface LogTimeOptions {
  /** Reads the machine's time in Unix milliseconds. Absent in a replay, which takes all times from the log. */
  readMs?: (() => number) | undefined;
  /** Called if the machine's clock was set back by more than 5 s, with the step in milliseconds. */
  onStepBack?: ((ms: number) => void) | undefined;
  /**
   * Whether other servers write to the log with their own clocks. Small steps back are then ignored: if each server
   * compensated them, the clocks would push each other ahead. Default false.
   */
  isShared?: boolean | undefined;
}

/**
 * Time of a log in Unix milliseconds, which never decreases. It stands still while an entry is applied, at the entry's
 * time; otherwise it follows the machine.
 */
export class LogTime implements TimeSource {
  readonly isLogged = true;
  readonly #readMs: (() => number) | undefined;
  readonly #onStepBack: ((ms: number) => void) | undefined;
  readonly #minimumStepMs: number;
  /** Time of the last applied log entry, in Unix milliseconds. */
  #lastMs = 0;
  #appliedMs: number | undefined;
  /**
   * Last time read from the machine's clock, and the total by which that clock was set back, in milliseconds. The total
   * is added to later readings, so that the log's time never decreases.
   */
  #lastReadMs = 0;
  #setBackMs = 0;

  constructor({ readMs, onStepBack, isShared = false }: LogTimeOptions = {}) {
    this.#readMs = readMs;
    this.#onStepBack = onStepBack;
    this.#minimumStepMs = isShared ? reportedStepMs : 0;
  }

  /** Time of the last applied log entry, in Unix milliseconds; 0 before the first. */
  get lastMs(): number {
    return this.#lastMs;
  }

  now(): number {
    return this.#appliedMs ?? this.liveMs();
  }

  restart(): void {
    // Does nothing: the time comes from the log's entries, not from the machine, so it cannot be restarted.
  }

  /** Returns the machine's time for the next log entry, in Unix milliseconds. */
  liveMs(): number {
    if (this.#readMs === undefined) return this.#lastMs;
    const readMs = this.#readMs();
    // Detects that the machine's clock was set back since the last reading. The comparison with the last log entry also
    // detects a step back while the server was stopped.
    const stepMs = Math.max(this.#lastReadMs - readMs, this.#lastMs - readMs - this.#setBackMs);
    if (stepMs > this.#minimumStepMs) {
      this.#setBackMs += stepMs;
      if (stepMs > reportedStepMs) this.#onStepBack?.(stepMs);
    }
    this.#lastReadMs = readMs;
    return Math.max(this.#lastMs, readMs + this.#setBackMs);
  }

  /** Runs a function during which the log's clock shows the time of one entry. */
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

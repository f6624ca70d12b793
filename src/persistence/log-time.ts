import type { TimeSource } from '../clock/machine-time.js';

/** A step back of the machine's time that is reported. */
const reportedStepMs = 5_000;

export interface LogTimeOptions {
  /** The machine's time in Unix milliseconds, where somebody is there to read it: not in a replay. */
  readMs?: (() => number) | undefined;
  /** Called with by how much the machine's time was set back, where that is over 5 s. */
  onStepBack?: ((ms: number) => void) | undefined;
  /**
   * Whether others write entries by clocks of their own. A small step back is then waited out: to make up for it would put
   * this clock ahead of theirs, and theirs ahead of this, without end. Default false.
   */
  isShared?: boolean | undefined;
}

/**
 * The time of a log. While a command is applied it is the instant that its entry carries, for every clock alike; between
 * commands it is the machine's, for those who only read. It never goes back, whoever sets the machine.
 */
export class LogTime implements TimeSource {
  readonly isLogged = true;
  readonly #readMs: (() => number) | undefined;
  readonly #onStepBack: ((ms: number) => void) | undefined;
  readonly #leastStepMs: number;
  /** The instant of the last entry. */
  #lastMs = 0;
  #appliedMs: number | undefined;
  /** The last reading of the machine, and by how much it was set back in all. */
  #lastReadMs = 0;
  #setBackMs = 0;

  constructor({ readMs, onStepBack, isShared = false }: LogTimeOptions = {}) {
    this.#readMs = readMs;
    this.#onStepBack = onStepBack;
    this.#leastStepMs = isShared ? reportedStepMs : 0;
  }

  /** The instant of the last entry; 0 before the first. */
  get lastMs(): number {
    return this.#lastMs;
  }

  now(): number {
    return this.#appliedMs ?? this.liveMs();
  }

  restart(): void {
    // A log goes on where it was.
  }

  /** The machine's time, as the next entry carries it. */
  liveMs(): number {
    if (this.#readMs === undefined) return this.#lastMs;
    const readMs = this.#readMs();
    // At the start, too: the machine may have been set back since the last entry was written.
    const stepMs = Math.max(this.#lastReadMs - readMs, this.#lastMs - readMs - this.#setBackMs);
    if (stepMs > this.#leastStepMs) {
      this.#setBackMs += stepMs;
      if (stepMs > reportedStepMs) this.#onStepBack?.(stepMs);
    }
    this.#lastReadMs = readMs;
    return Math.max(this.#lastMs, readMs + this.#setBackMs);
  }

  /** Does something at the instant of an entry. */
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

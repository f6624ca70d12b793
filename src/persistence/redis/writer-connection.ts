import type { Connection } from './connection.js';
import type { StoreTime } from './store-time.js';

/** Interval at which the store's time is read, in milliseconds. Somebody may set the store's clock. */
const measureEveryMs = 2_000;
const longestWaitMs = 1_000;
/** Duration from which an outage of the store is reported, in milliseconds. */
const reportAfterMs = 1_000;

export interface WriterConnectionOptions {
  readonly time: StoreTime;
  readonly connect: () => Promise<Connection>;
  /**
   * Whether the store still contains the last applied entry, unchanged.
   * @throws {StoreUnavailableError} if the connection fails
   */
  readonly isIntact: (connection: Connection) => Promise<boolean>;
  /**
   * Called with each connection whose store was verified to hold this log, and with `undefined` when the connection
   * ends.
   */
  readonly onChange: (connection: Connection | undefined) => void;
  /** Called if the store has lost or changed applied entries. Reconnecting then stops. */
  readonly onLost: () => void;
  readonly onError: (error: unknown) => void;
  /** Called after one second without the store. `onRecovery` receives the whole outage's length in milliseconds. */
  readonly onOutage: () => void;
  readonly onRecovery: (outageMs: number) => void;
}

/**
 * Opens the connection for writes, and a new one after each failure. Each time, checks that the store has lost no
 * entries.
 */
export class WriterConnection {
  readonly #options: WriterConnectionOptions;
  #connection: Connection | undefined;
  #isOver = false;
  /** Start of the current outage of Redis by `performance.now()`, and the timer after which it is reported. */
  #outageStartMs: number | undefined;
  #reportTimer: ReturnType<typeof setTimeout> | undefined;
  #isReported = false;

  constructor(options: WriterConnectionOptions) {
    this.#options = options;
  }

  /**
   * Keeps a connection for writes open until `stop` is called, or until the store has lost entries.
   * @param first an open connection
   */
  async run(first: Connection): Promise<void> {
    const { onChange, onError } = this.#options;
    let next: Connection | undefined = first;
    for (let waitMs = 50; !this.#isOver; waitMs = Math.min(2 * waitMs, longestWaitMs)) {
      try {
        this.#connection = next ?? (await this.#options.connect());
        if (await this.#isUsable(this.#connection)) {
          waitMs = 25;
          this.#endOutage();
          onChange(this.#connection);
          await this.#untilEnd(this.#connection);
        }
      } catch (error) {
        onError(error);
      }
      this.#connection?.end();
      next = undefined;
      if (this.#isOver) return;
      onChange(undefined);
      this.#startOutage();
      await new Promise((resolve) => setTimeout(resolve, waitMs));
    }
  }

  stop(): void {
    this.#isOver = true;
    clearTimeout(this.#reportTimer);
    this.#connection?.end();
  }

  async #isUsable(connection: Connection): Promise<boolean> {
    if (this.#isOver) return false;
    await this.#options.time.measure(connection);
    const isIntact = await this.#options.isIntact(connection);
    if (!isIntact && !this.#isOver) this.#options.onLost();
    return !this.#isOver;
  }

  #startOutage(): void {
    if (this.#outageStartMs !== undefined) return;
    const nowMs = performance.now();
    this.#outageStartMs = this.#connection?.silentSinceMs ?? nowMs;
    this.#reportTimer = setTimeout(
      () => {
        this.#isReported = true;
        this.#options.onOutage();
      },
      this.#outageStartMs + reportAfterMs - nowMs,
    );
  }

  #endOutage(): void {
    clearTimeout(this.#reportTimer);
    if (this.#isReported) this.#options.onRecovery(performance.now() - (this.#outageStartMs as number));
    this.#isReported = false;
    this.#outageStartMs = undefined;
  }

  /** Waits until a connection to the store ends. Meanwhile reads the store's time regularly. */
  async #untilEnd(connection: Connection): Promise<void> {
    const measure = setInterval(() => this.#options.time.measure(connection).catch(() => {}), measureEveryMs);
    await new Promise<void>((resolve) => connection.onEnd(resolve));
    clearInterval(measure);
  }
}

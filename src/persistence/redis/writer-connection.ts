import type { Connection } from './connection.js';
import type { StoreTime } from './store-time.js';

/** Interval of the clock comparison with the store, in milliseconds; the store's clock may be set at any time. */
const measureEveryMs = 2_000;
const longestWaitMs = 1_000;
/** Minimum length of a reported outage, in milliseconds. */
const reportAfterMs = 1_000;

export interface WriterConnectionOptions {
  readonly time: StoreTime;
  readonly connect: () => Promise<Connection>;
  /** Whether the last applied entry is unchanged in the store. @throws {StoreUnavailableError} */
  readonly isIntact: (connection: Connection) => Promise<boolean>;
  /** Called with each verified connection, and with `undefined` when it ends. */
  readonly onChange: (connection: Connection | undefined) => void;
  /** Called if applied entries are missing or changed in the store; reconnecting stops then. */
  readonly onLost: () => void;
  readonly onError: (error: unknown) => void;
  /** Called after one second of outage, and on recovery with the length of the outage in milliseconds. */
  readonly onOutage: () => void;
  readonly onRecovery: (outageMs: number) => void;
}

/** Reconnects the connection for writes, and verifies the log on each new connection. */
export class WriterConnection {
  readonly #options: WriterConnectionOptions;
  #connection: Connection | undefined;
  #isOver = false;
  /** Start of the current outage, on the clock of `performance.now()`, and the timer of its report. */
  #outageStartMs: number | undefined;
  #reportTimer: ReturnType<typeof setTimeout> | undefined;
  #isReported = false;

  constructor(options: WriterConnectionOptions) {
    this.#options = options;
  }

  /** Runs until `stop` or until the log is lost. @param first an open connection */
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

  /** Waits for the end of a connection, and keeps the store's time up to date meanwhile. */
  async #untilEnd(connection: Connection): Promise<void> {
    const measure = setInterval(() => this.#options.time.measure(connection).catch(() => {}), measureEveryMs);
    await new Promise<void>((resolve) => connection.onEnd(resolve));
    clearInterval(measure);
  }
}

import type { Connection } from './connection.js';
import type { StoreTime } from './store-time.js';

/** The store's time may be set at any moment. */
const measureEveryMs = 2_000;
const longestWaitMs = 1_000;
/** A connection that is made again sooner is nobody's concern. */
const tellAfterMs = 1_000;

export interface KeptConnectionOptions {
  readonly time: StoreTime;
  readonly connect: () => Promise<Connection>;
  /** Whether the log is as it was left. @throws {StoreAwayError} */
  readonly isThere: (connection: Connection) => Promise<boolean>;
  /** Called with each connection on which it is, and without one when that has ended. */
  readonly onChange: (connection: Connection | undefined) => void;
  /** Called when the log is not as it was left; no other connection is made then. */
  readonly onLost: () => void;
  readonly onError: (error: unknown) => void;
  /** Called when the store has been away for a second, and when it is back, with for how long it was. */
  readonly onAway: () => void;
  readonly onBack: (awayMs: number) => void;
}

/** Keeps a connection to write on: one after the other, and none before the log was found to be as it was left. */
export class KeptConnection {
  readonly #options: KeptConnectionOptions;
  #connection: Connection | undefined;
  #isOver = false;
  /** Since when the store is away, and what is to tell it. */
  #awaySinceMs: number | undefined;
  #telling: ReturnType<typeof setTimeout> | undefined;
  #isTold = false;

  constructor(options: KeptConnectionOptions) {
    this.#options = options;
  }

  /** Where it is not ended by `stop`, it runs until the log is lost. @param first a connection that is there already */
  async run(first: Connection): Promise<void> {
    const { onChange, onError } = this.#options;
    let next: Connection | undefined = first;
    for (let waitMs = 50; !this.#isOver; waitMs = Math.min(2 * waitMs, longestWaitMs)) {
      try {
        this.#connection = next ?? (await this.#options.connect());
        if (await this.#isUsable(this.#connection)) {
          waitMs = 25;
          this.#back();
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
      this.#away();
      await new Promise((resolve) => setTimeout(resolve, waitMs));
    }
  }

  stop(): void {
    this.#isOver = true;
    clearTimeout(this.#telling);
    this.#connection?.end();
  }

  async #isUsable(connection: Connection): Promise<boolean> {
    if (this.#isOver) return false;
    await this.#options.time.measure(connection);
    const isThere = await this.#options.isThere(connection);
    if (!isThere && !this.#isOver) this.#options.onLost();
    return !this.#isOver;
  }

  #away(): void {
    if (this.#awaySinceMs !== undefined) return;
    const nowMs = performance.now();
    this.#awaySinceMs = this.#connection?.silentSinceMs ?? nowMs;
    this.#telling = setTimeout(
      () => {
        this.#isTold = true;
        this.#options.onAway();
      },
      this.#awaySinceMs + tellAfterMs - nowMs,
    );
  }

  #back(): void {
    clearTimeout(this.#telling);
    if (this.#isTold) this.#options.onBack(performance.now() - (this.#awaySinceMs as number));
    this.#isTold = false;
    this.#awaySinceMs = undefined;
  }

  /** Keeps the time of the store while a connection lasts. */
  async #untilEnd(connection: Connection): Promise<void> {
    const measure = setInterval(() => this.#options.time.measure(connection).catch(() => {}), measureEveryMs);
    await new Promise<void>((resolve) => connection.onEnd(resolve));
    clearInterval(measure);
  }
}

import type { Connection } from './connection.js';
import type { LogCursor } from './log-cursor.js';
import type { StreamEntries } from './stream-entries.js';

/** Blocking time of one XREAD, in milliseconds. */
const blockMs = 1_000;
/** Maximum number of entries per XREAD. */
const readEntries = 128;
/** Maximum time of one turn of the event loop, in milliseconds. */
const turnMs = 10;
/** Interval of the check that the entry before the next read still exists, in milliseconds. */
const checkEveryMs = 1_000;

export interface FollowerOptions {
  readonly key: string;
  /** Cursor of the last applied entry. */
  readonly cursor: () => LogCursor;
  readonly connect: () => Promise<Connection>;
  /** Whether the last applied entry is unchanged in the store. @throws {StoreUnavailableError} */
  readonly isIntact: (connection: Connection) => Promise<boolean>;
  /**
   * Whether the stream still contains every needed entry; called at its end.
   * @param entries read but unapplied entries
   * @param length length of the stream after the read
   */
  readonly isWhole: (entries: StreamEntries, length: number) => boolean;
  readonly onEntry: (id: string, fields: string[]) => void;
  /** Called after each reply of the store. */
  readonly onContact: (isAtEnd: boolean) => void;
  /** Called if applied entries are missing or changed in the store; reading stops then. */
  readonly onLost: () => void;
  readonly onError: (error: unknown) => void;
}

/** Reads the stream entry by entry, on a separate connection, and detects trimmed entries. */
export class Follower {
  readonly #options: FollowerOptions;
  #connection: Connection | undefined;
  #isOver = false;
  #checkedMs = Number.NEGATIVE_INFINITY;

  constructor(options: FollowerOptions) {
    this.#options = options;
  }

  /** Reads until `stop`. */
  async run(): Promise<void> {
    for (let waitMs = 50; !this.#isOver; waitMs = Math.min(2 * waitMs, 1_000)) {
      try {
        const connection = await this.#options.connect();
        if (this.#isOver) {
          connection.end();
          return;
        }
        this.#connection = connection;
        this.#checkedMs = Number.NEGATIVE_INFINITY;
        waitMs = 25;
        await this.#read(connection);
      } catch (error) {
        if (!this.#isOver) this.#options.onError(error);
      }
      this.#connection?.end();
      this.#connection = undefined;
      if (!this.#isOver) await new Promise((resolve) => setTimeout(resolve, waitMs));
    }
  }

  stop(): void {
    this.#isOver = true;
    this.#connection?.end();
  }

  async #read(connection: Connection): Promise<void> {
    const { key, cursor, isIntact, isWhole, onEntry, onContact, onLost } = this.#options;
    while (!this.#isOver) {
      const isCheckDue = performance.now() - this.#checkedMs > checkEveryMs;
      if (isCheckDue) this.#checkedMs = performance.now();
      // Sent in one batch with the read, so that no command of this process runs between the two.
      const checked = isCheckDue ? isIntact(connection) : Promise.resolve(true);
      const [wasThere, reply, length] = await Promise.all([
        checked,
        connection.call('XREAD', 'COUNT', readEntries, 'BLOCK', blockMs, 'STREAMS', key, cursor().id),
        // Runs after the read, and so detects entries that were trimmed before a new one was written.
        connection.call('XLEN', key),
      ]);
      if (this.#isOver) return;
      const entries = (reply as [key: string, entries: StreamEntries][] | null)?.[0]?.[1] ?? [];
      const isAtEnd = entries.length < readEntries;
      if (!wasThere || (isAtEnd && !isWhole(entries, Number(length)))) {
        this.stop();
        return onLost();
      }
      onContact(isAtEnd);
      let turnEndsMs = performance.now() + turnMs;
      for (const [id, fields] of entries) {
        onEntry(id, fields);
        if (this.#isOver) return;
        if (performance.now() < turnEndsMs) continue;
        await new Promise((resolve) => setImmediate(resolve));
        turnEndsMs = performance.now() + turnMs;
      }
    }
  }
}

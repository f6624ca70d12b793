import type { Connection } from './connection.js';
import type { LogCursor } from './log-cursor.js';
import type { StreamEntries } from './stream-entries.js';

/** So long a read waits in the store for the next entry. */
const blockMs = 1_000;
/** How many entries are read at once. */
const readEntries = 128;
/** What is applied in one turn of the event loop. */
const turnMs = 10;
/** How often it is made sure that nothing was cut away in front of the next read. */
const checkEveryMs = 1_000;

export interface FollowerOptions {
  readonly key: string;
  /** Where the log was applied up to. */
  readonly cursor: () => LogCursor;
  readonly connect: () => Promise<Connection>;
  /** Whether the entry at a place is there as it was. @throws {StoreAwayError} */
  readonly isThere: (connection: Connection) => Promise<boolean>;
  /**
   * Whether the stream still has every entry that is needed; asked at its end.
   * @param entries those that were read, not yet applied
   * @param length of the stream after that
   */
  readonly isWhole: (entries: StreamEntries, length: number) => boolean;
  readonly onEntry: (id: string, fields: string[]) => void;
  /** Called when the store has answered. */
  readonly onContact: (isAtEnd: boolean) => void;
  /** Called when entries are not there any more; nothing more is read or applied then. */
  readonly onLost: () => void;
  readonly onError: (error: unknown) => void;
}

/** Reads the stream on a connection of its own, entry by entry, and never past one that it has not seen. */
export class Follower {
  readonly #options: FollowerOptions;
  #connection: Connection | undefined;
  #isOver = false;
  #checkedMs = Number.NEGATIVE_INFINITY;

  constructor(options: FollowerOptions) {
    this.#options = options;
  }

  /** Reads until it is stopped. */
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
    const { key, cursor, isThere, isWhole, onEntry, onContact, onLost } = this.#options;
    while (!this.#isOver) {
      const isCheckDue = performance.now() - this.#checkedMs > checkEveryMs;
      if (isCheckDue) this.#checkedMs = performance.now();
      // Sent right before the read: nothing comes between the two.
      const checked = isCheckDue ? isThere(connection) : Promise.resolve(true);
      const [wasThere, reply, length] = await Promise.all([
        checked,
        connection.call('XREAD', 'COUNT', readEntries, 'BLOCK', blockMs, 'STREAMS', key, cursor().id),
        // Runs after the read: it sees what was cut away before an entry of it was written.
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

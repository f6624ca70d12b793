import type { Connection } from './connection.js';
import { createPauses } from './create-pauses.js';
import { type KeptConnection, keepConnected } from './keep-connected.js';
import type { LogCursor } from './log-cursor.js';
import type { StreamEntries } from './stream-entries.js';

/** Maximum time for which one read (XREAD) waits for new log entries in Redis. */
const blockMs = 1_000;
/** Maximum number of entries in one read (XREAD). */
const readEntries = 128;
/** Maximum time for which the server applies log entries from Redis without a pause for other events. */
const maximumBusyMs = 10;
/** Interval of the check that Redis still contains the last applied log entry. */
const checkEveryMs = 1_000;

export interface FollowerOptions {
  readonly key: string;
  /** Returns the position and hash of the shared log's last entry that this server has applied to its state. */
  readonly cursor: () => LogCursor;
  readonly connect: () => Promise<Connection>;
  /**
   * Whether Redis still contains the last log entry that this server has applied, unchanged.
   * @throws {StoreUnavailableError} if the connection fails
   */
  readonly isIntact: (connection: Connection) => Promise<boolean>;
  /**
   * Decides whether the log's Redis stream contains every entry since the newest snapshot. Called when all entries of
   * the stream have been read.
   * @param entries entries that are read but not applied yet
   * @param length length of the stream after the read
   */
  readonly isWhole: (entries: StreamEntries, length: number) => boolean;
  readonly onEntry: (id: string, fields: string[]) => void;
  /**
   * Called after each reply of Redis with log entries.
   * @param isAtEnd whether all entries have been read
   */
  readonly onContact: (isAtEnd: boolean) => void;
  /** Called if log entries that this server has applied are missing or changed in Redis. Reading then stops. */
  readonly onLost: () => void;
  readonly onError: (error: unknown) => void;
}

/**
 * Creates a reader of new log entries in the log's Redis stream, with its own connection to Redis. The reader detects
 * that Redis has lost entries.
 */
export function createFollower(options: FollowerOptions): Pick<KeptConnection, 'run' | 'stop'> {
  const { key, cursor, isIntact, isWhole, onEntry, onContact, onLost } = options;
  const kept = keepConnected({ ...options, use: read });

  async function read(connection: Connection, noteUse: () => void): Promise<void> {
    let checkedMs = Number.NEGATIVE_INFINITY;
    noteUse();
    while (!kept.isOver) {
      const isCheckDue = performance.now() - checkedMs > checkEveryMs;
      if (isCheckDue) checkedMs = performance.now();
      // Sends the check for lost log entries and the read of new entries in one batch. No other command on this
      // connection runs between them.
      const [wasThere, reply, length] = await Promise.all([
        isCheckDue ? isIntact(connection) : true,
        connection.call('XREAD', 'COUNT', readEntries, 'BLOCK', blockMs, 'STREAMS', key, cursor().id),
        // Reads the number of entries in the Redis stream. Too few entries show that the log lost some.
        connection.call('XLEN', key),
      ]);
      if (kept.isOver) return;
      const entries = (reply as [key: string, entries: StreamEntries][] | null)?.[0]?.[1] ?? [];
      const isAtEnd = entries.length < readEntries;
      if (!wasThere || (isAtEnd && !isWhole(entries, Number(length)))) {
        kept.stop();
        return onLost();
      }
      onContact(isAtEnd);
      const pause = createPauses(maximumBusyMs);
      for (const [id, fields] of entries) {
        onEntry(id, fields);
        if (kept.isOver) return;
        await pause();
      }
    }
  }

  return kept;
}

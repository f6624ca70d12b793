import type { Connection } from './connection.js';
import { createPauses } from './create-pauses.js';
import { type KeptConnection, keepConnected } from './keep-connected.js';
import type { LogCursor } from './log-cursor.js';
import type { StreamEntries } from './stream-entries.js';

/** Time that one read (XREAD) waits for new entries, in milliseconds. */
const blockMs = 1_000;
/** Maximum number of entries in one read (XREAD). */
const readEntries = 128;
/** Maximum time for which the server applies entries before it handles other events, in milliseconds. */
const turnMs = 10;
/** Interval of the check that the store still contains the last applied entry, in milliseconds. */
const checkEveryMs = 1_000;

export interface FollowerOptions {
  readonly key: string;
  /** Returns the cursor (position and hash) of the last applied entry. */
  readonly cursor: () => LogCursor;
  readonly connect: () => Promise<Connection>;
  /**
   * Whether the store still contains the last applied entry, unchanged.
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
  /** Called if the store has lost or changed applied entries. Reading then stops. */
  readonly onLost: () => void;
  readonly onError: (error: unknown) => void;
}

/** Reads new entries from the log's stream, on a connection of its own. Detects that the store has lost entries. */
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
        // Reads the length of the Redis stream at the same time as its entries. A length that exceeds the number of
        // entries shows that entries were lost.
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
      const pause = createPauses(turnMs);
      for (const [id, fields] of entries) {
        onEntry(id, fields);
        if (kept.isOver) return;
        await pause();
      }
    }
  }

  return kept;
}

import { compareIds } from './compare-ids.js';
import type { Connection } from './connection.js';
import { type EntryFields, readStoredOf, type SnapshotNote, type StoredEntry } from './entry-fields.js';
import type { LogCursor } from './log-cursor.js';
import { shortId } from './log-identity.js';
import type { RedisLogOptions } from './redis-log-options.js';
import { digestWithPauses, dropSnapshots, listSnapshots, writeSnapshot } from './snapshot-store.js';
import type { StreamEntries } from './stream-entries.js';

/**
 * Minimum growth of the shared log after a snapshot became due, in characters, until another snapshot is due. The first
 * snapshot may have failed.
 */
const retryCharacters = 1024 * 1024;
/** Maximum number of hashes of the server's state that are kept for comparison with other servers' snapshots. */
const maximumDigests = 4;

/**
 * Decides which replica writes a snapshot: the one whose entry makes the log too large. The other replicas hash their
 * own state at this entry, to compare it with the snapshot.
 */
export function createSnapshotElection(options: RedisLogOptions, getConnection: () => Connection | undefined) {
  const { snapshot: first, minimumLogCharacters, identity, writer, version, keys, host } = options;
  /** Log position of the newest snapshot. */
  let newest = first?.position ?? 0;
  /**
   * Length of all log entries after the newest snapshot, in characters. If larger than `dueCharacters`, the next
   * snapshot is due.
   */
  let logCharacters = 0;
  let dueCharacters = Math.max(minimumLogCharacters, first?.bytes ?? 0);
  /**
   * Entry of the shared log after which the next snapshot of the server's state must be stored; `undefined` if no
   * snapshot is due. `isOwn`: this server wrote the entry, and therefore also stores the snapshot.
   */
  let nextDue: { cursor: LogCursor; isOwn: boolean } | undefined;
  let isBusy = false;
  /**
   * Key: log position at which a snapshot became due. Value: number of characters in the log up to this position since
   * the previous snapshot.
   */
  const charactersAt = new Map<number, number>();
  const digests = new Map<number, Promise<string>>();
  /**
   * For each replica, the Redis id of the last log entry that the replica had applied when it wrote its own latest
   * entry.
   */
  const cursorIdOf = new Map<string, string>();

  function noteSnapshot({ position, digest, bytes }: SnapshotNote, isOwn: boolean): void {
    newest = position;
    dueCharacters = Math.max(minimumLogCharacters, bytes);
    logCharacters -= charactersAt.get(position) ?? 0;
    charactersAt.clear();
    compare(position, digest).catch(host.onError);
    if (isOwn) trim().catch(host.onError);
  }

  async function compare(position: number, expected: string): Promise<void> {
    const own = await digests.get(position);
    digests.clear();
    if (own === undefined || own === expected) return;
    host.onDiverged(`expected the state after entry ${position} to have the snapshot's digest ${expected}, got ${own}`);
  }

  /**
   * Deletes all snapshots of the server's state from Redis except the newest two. Also removes log entries before the
   * older of these two snapshots, unless a running server that shares the log has not applied the entries yet.
   */
  async function trim(): Promise<void> {
    const connection = getConnection();
    if (connection === undefined) return;
    const [, before, ...old] = await listSnapshots(connection, keys);
    if (before === undefined) return;
    await dropSnapshots(connection, keys, old);
    const cursorIds = host.liveReplicas().map((replica) => cursorIdOf.get(replica));
    // Removes no entries from the log until each live replica has written an entry. Only such an entry shows which
    // entries the replica has already applied.
    if (cursorIds.includes(undefined)) return;
    const [least = before.id] = [before.id, ...(cursorIds as string[])].sort(compareIds);
    await connection.call('XTRIM', keys.log, 'MINID', '=', least);
  }

  return {
    get position() {
      return newest;
    },

    get isDue() {
      return nextDue !== undefined && !isBusy;
    },

    /**
     * Whether the Redis stream of the log still contains all entries from the newest snapshot's position on. Without a
     * snapshot, whether the stream contains all entries.
     * @param position log position of the entry before `entries`
     * @param entries last entries of the stream
     * @param length number of all entries in the stream
     */
    isWhole(position: number, entries: StreamEntries, length: number): boolean {
      const last = position + entries.length;
      const isWholeFrom = (first: number) => length > last - Math.max(first, 1);
      if (isWholeFrom(newest)) return true;
      // Accepts a shortened log if one of its entries announces a newer snapshot, which replaces the removed entries.
      const notes = entries.map(([, list]) => readStoredOf(shortId(identity), list)?.snapshot?.position ?? 0);
      return isWholeFrom(Math.max(...notes, 0));
    },

    /**
     * Adds the size of a log entry to the size of the log. Beyond a limit, the next snapshot of the server's state is
     * due.
     */
    note(cursor: LogCursor, { writer: by, text }: EntryFields, { after, snapshot }: StoredEntry): void {
      if (after !== undefined) cursorIdOf.set(by, after[2]);
      logCharacters += text.length;
      nextDue = undefined;
      const isOwn = by === writer;
      if (snapshot !== undefined) noteSnapshot(snapshot, isOwn);
      else if (logCharacters > dueCharacters) {
        nextDue = { cursor, isOwn };
        charactersAt.set(cursor.position, logCharacters);
        dueCharacters = logCharacters + Math.max(retryCharacters, dueCharacters / 4);
      }
    },

    /**
     * Takes the snapshot that became due at a log entry. The replica (server) that wrote this entry stores the snapshot
     * in Redis. All other replicas only hash their own state, to compare the hashes later.
     * @param appendNote appends a note about the stored snapshot to the log
     */
    async take(pieces: Iterable<unknown>, appendNote: (note: SnapshotNote) => Promise<void>): Promise<void> {
      if (nextDue === undefined) throw new RangeError('Failed to write a snapshot: none is due');
      const { cursor, isOwn } = nextDue;
      const { position } = cursor;
      nextDue = undefined;
      isBusy = true;
      try {
        const connection = getConnection();
        if (isOwn && connection !== undefined) {
          const { digest, bytes } = await writeSnapshot(connection, keys, { cursor, version, writer }, pieces);
          await appendNote({ position, digest, bytes });
          return;
        }
        const digest = digestWithPauses(pieces);
        digests.set(position, digest);
        const [oldest] = digests.keys();
        if (digests.size > maximumDigests) digests.delete(oldest as number);
        await digest;
      } finally {
        isBusy = false;
      }
    },
  };
}

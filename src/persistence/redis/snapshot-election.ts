import { compareIds } from './compare-ids.js';
import type { Connection } from './connection.js';
import { type EntryFields, readStoredOf, type SnapshotNote, type StoredEntry } from './entry-fields.js';
import type { LogCursor } from './log-cursor.js';
import { shortId } from './log-identity.js';
import type { RedisLogOptions } from './redis-log-options.js';
import { digestInTurns, dropSnapshots, listSnapshots, writeSnapshot } from './snapshot-store.js';
import type { StreamEntries } from './stream-entries.js';

/** Minimum growth of the log, in characters, between a snapshot that was due and the next attempt to write one. */
const retryBytes = 1024 * 1024;
/**
 * Maximum number of hashes of this replica's state that are stored until another replica's snapshot arrives for
 * comparison.
 */
const maximumDigests = 4;

/**
 * Decides which replica writes a snapshot: the one whose entry makes the log too large. The other replicas hash their
 * own state at this entry, to compare it with the snapshot.
 */
export function createSnapshotElection(options: RedisLogOptions, getConnection: () => Connection | undefined) {
  const { snapshot: first, minimumLogBytes, identity, writer, version, keys, host } = options;
  /** Log position of the newest snapshot. */
  let newest = first?.position ?? 0;
  /** Size of all entries after the newest snapshot, in characters. At `dueBytes`, the next snapshot is due. */
  let allBytes = 0;
  let dueBytes = Math.max(minimumLogBytes, first?.bytes ?? 0);
  /**
   * Log entry after which the next snapshot of the state is due. `isOwn`: this replica wrote the entry, and therefore
   * also writes the snapshot.
   */
  let nextDue: { cursor: LogCursor; isOwn: boolean } | undefined;
  let isBusy = false;
  /**
   * Size of the log entries since the newest snapshot, in characters, by the log position at which a new snapshot
   * became due. Once that snapshot is written, `allBytes` is reduced by this size.
   */
  const bytesAt = new Map<number, number>();
  const digests = new Map<number, Promise<string>>();
  /** Id of the last entry that each replica had applied when it last wrote. */
  const cursorIdOf = new Map<string, string>();

  function noteSnapshot({ position, digest, bytes }: SnapshotNote, isOwn: boolean): void {
    newest = position;
    dueBytes = Math.max(minimumLogBytes, bytes);
    allBytes -= bytesAt.get(position) ?? 0;
    bytesAt.clear();
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
   * Deletes all snapshots except the newest two. Removes entries before the older one, except those that a live replica
   * has not applied.
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
     * Whether a stream contains every entry since the newest snapshot, or since the log's start.
     * @param position position of the entry before `entries`
     * @param entries last entries of the stream
     * @param length length of the stream
     */
    isWhole(position: number, entries: StreamEntries, length: number): boolean {
      const last = position + entries.length;
      const isWholeFrom = (first: number) => length > last - Math.max(first, 1);
      if (isWholeFrom(newest)) return true;
      // A read entry may announce a newer snapshot. Then only the entries since that snapshot are required, because
      // another replica may have removed earlier ones.
      const notes = entries.map(([, list]) => readStoredOf(shortId(identity), list)?.snapshot?.position ?? 0);
      return isWholeFrom(Math.max(...notes, 0));
    },

    /** Counts a log entry towards the next snapshot, which may now be due. */
    note(cursor: LogCursor, { writer: by, text }: EntryFields, { after, snapshot }: StoredEntry): void {
      if (after !== undefined) cursorIdOf.set(by, after[2]);
      allBytes += text.length;
      nextDue = undefined;
      const isOwn = by === writer;
      if (snapshot !== undefined) noteSnapshot(snapshot, isOwn);
      else if (allBytes > dueBytes) {
        nextDue = { cursor, isOwn };
        bytesAt.set(cursor.position, allBytes);
        dueBytes = allBytes + Math.max(retryBytes, dueBytes / 4);
      }
    },

    /**
     * Takes the snapshot that is due. The replica that wrote the log entry at this position stores the snapshot in
     * Redis. Any other replica only computes the hash of its own state, to compare the states.
     * @param appendNote appends a note about the stored snapshot to the log
     */
    async take(pieces: Iterable<unknown>, appendNote: (note: SnapshotNote) => Promise<void>): Promise<void> {
      if (nextDue === undefined) throw new RangeError('expected a snapshot that is due, got none');
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
        const digest = digestInTurns(pieces);
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

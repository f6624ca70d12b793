import { shortId } from './birth.js';
import { compareIds } from './compare-ids.js';
import type { Connection } from './connection.js';
import { type EntryFields, readStoredOf, type SnapshotNote, type StoredEntry } from './entry-fields.js';
import type { LogCursor } from './log-cursor.js';
import type { RedisLogOptions } from './redis-log-options.js';
import { digestInTurns, dropSnapshots, listSnapshots, writeSnapshot } from './snapshot-store.js';
import type { StreamEntries } from './stream-entries.js';

/** Log growth after a failed snapshot until the next attempt, in characters. */
const retryBytes = 1024 * 1024;
/** Maximum number of own digests that wait for the snapshot of another replica. */
const mostDigests = 4;

/**
 * Elects the writer of a snapshot: the replica whose entry makes the log exceed its bound. The other replicas compare the
 * digest of their own state at the same entry.
 */
export class SnapshotElection {
  readonly #options: RedisLogOptions;
  readonly #connection: () => Connection | undefined;
  /** Position of the newest snapshot. */
  position: number;
  /** Size of the entries since the newest snapshot, and the size at which the next snapshot is due, in characters. */
  #bytes = 0;
  #dueBytes: number;
  /** Cursor of the due snapshot, and whether this replica appended its entry. */
  #due: { cursor: LogCursor; isOwn: boolean } | undefined;
  #isBusy = false;
  /** Values of `#bytes` at the positions of due snapshots. */
  readonly #bytesAt = new Map<number, number>();
  readonly #digests = new Map<number, Promise<string>>();
  /** Id of the last applied entry of each replica, at its last append. */
  readonly #cursorIdOf = new Map<string, string>();

  constructor(options: RedisLogOptions, connection: () => Connection | undefined) {
    const { snapshot, leastLogBytes } = options;
    this.#options = options;
    this.#connection = connection;
    this.position = snapshot?.position ?? 0;
    this.#dueBytes = Math.max(leastLogBytes, snapshot?.bytes ?? 0);
  }

  get isDue(): boolean {
    return this.#due !== undefined && !this.#isBusy;
  }

  /**
   * Whether a stream contains every entry since the newest snapshot, or since the start without a snapshot.
   * @param position position of the entry before `entries`
   * @param entries last entries of the stream
   * @param length length of the stream
   */
  isWhole(position: number, entries: StreamEntries, length: number): boolean {
    const last = position + entries.length;
    const isWholeFrom = (first: number) => length > last - Math.max(first, 1);
    if (isWholeFrom(this.position)) return true;
    // A newer snapshot, noted in one of these entries, may have replaced older entries.
    const log = shortId(this.#options.birth);
    const notes = entries.map(([, list]) => readStoredOf(log, list)?.snapshot?.position ?? 0);
    return isWholeFrom(Math.max(...notes, 0));
  }

  /** Processes an entry. */
  note(cursor: LogCursor, { writer, text }: EntryFields, { after, snapshot }: StoredEntry): void {
    if (after !== undefined) this.#cursorIdOf.set(writer, after[2]);
    this.#bytes += text.length;
    this.#due = undefined;
    if (snapshot !== undefined) this.#noteSnapshot(snapshot, writer === this.#options.writer);
    else if (this.#bytes > this.#dueBytes) {
      this.#due = { cursor, isOwn: writer === this.#options.writer };
      this.#bytesAt.set(cursor.position, this.#bytes);
      this.#dueBytes = this.#bytes + Math.max(retryBytes, this.#dueBytes / 4);
    }
  }

  /**
   * Writes the due snapshot, or computes its digest if another replica writes it.
   * @param appendNote appends the note of a written snapshot to the log
   */
  async take(pieces: Iterable<unknown>, appendNote: (note: SnapshotNote) => Promise<void>): Promise<void> {
    const due = this.#due;
    if (due === undefined) throw new RangeError('expected a snapshot that is due, got none');
    this.#due = undefined;
    this.#isBusy = true;
    try {
      await this.#take(due, pieces, appendNote);
    } finally {
      this.#isBusy = false;
    }
  }

  async #take(
    due: { cursor: LogCursor; isOwn: boolean },
    pieces: Iterable<unknown>,
    appendNote: (note: SnapshotNote) => Promise<void>,
  ): Promise<void> {
    const { position } = due.cursor;
    const connection = this.#connection();
    if (!due.isOwn || connection === undefined) {
      const digest = digestInTurns(pieces);
      this.#digests.set(position, digest);
      const [oldest] = this.#digests.keys();
      if (this.#digests.size > mostDigests) this.#digests.delete(oldest as number);
      await digest;
      return;
    }
    const { keys, version, writer } = this.#options;
    const { digest, bytes } = await writeSnapshot(connection, keys, { cursor: due.cursor, version, writer }, pieces);
    await appendNote({ position, digest, bytes });
  }

  #noteSnapshot({ position, digest, bytes }: SnapshotNote, isOwn: boolean): void {
    this.position = position;
    this.#dueBytes = Math.max(this.#options.leastLogBytes, bytes);
    this.#bytes -= this.#bytesAt.get(position) ?? 0;
    this.#bytesAt.clear();
    this.#compare(position, digest).catch((error) => this.#options.host.onError(error));
    if (isOwn) this.#trim().catch((error) => this.#options.host.onError(error));
  }

  async #compare(position: number, expected: string): Promise<void> {
    const own = await this.#digests.get(position);
    this.#digests.clear();
    if (own === undefined || own === expected) return;
    this.#options.host.onDiverged(
      `expected the state after entry ${position} to have the snapshot's digest ${expected}, got ${own}`,
    );
  }

  /** Drops all snapshots except the newest two, and trims entries before the older one that no live replica needs. */
  async #trim(): Promise<void> {
    const connection = this.#connection();
    const { keys, host } = this.#options;
    if (connection === undefined) return;
    const [, before, ...old] = await listSnapshots(connection, keys);
    if (before === undefined) return;
    await dropSnapshots(connection, keys, old);
    const cursorIds = host.liveReplicas().map((replica) => this.#cursorIdOf.get(replica));
    // The cursor of a replica is unknown until its first append after this replica joined.
    if (cursorIds.includes(undefined)) return;
    const [least = before.id] = [before.id, ...(cursorIds as string[])].sort(compareIds);
    await connection.call('XTRIM', keys.log, 'MINID', '=', least);
  }
}

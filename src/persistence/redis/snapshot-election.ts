import { compareIds } from './compare-ids.js';
import type { Connection } from './connection.js';
import { type EntryFields, readStoredOf, type SnapshotNote, type StoredEntry } from './entry-fields.js';
import type { LogCursor } from './log-cursor.js';
import { shortId } from './log-identity.js';
import type { RedisLogOptions } from './redis-log-options.js';
import { digestInTurns, dropSnapshots, listSnapshots, writeSnapshot } from './snapshot-store.js';
import type { StreamEntries } from './stream-entries.js';

/** After a failed snapshot, growth of the log until the next attempt, in characters. */
const retryBytes = 1024 * 1024;
/** Maximum number of state hashes that wait for comparison with another replica's snapshot. */
const maximumDigests = 4;

/**
 * Decides which replica writes a snapshot: the one whose entry makes the log too large. The other replicas hash their
 * own state at this entry, to compare it with the snapshot.
 */
export class SnapshotElection {
  readonly #options: RedisLogOptions;
  readonly #connection: () => Connection | undefined;
  /** Log position of the newest snapshot. */
  position: number;
  /** Size of all entries after the newest snapshot, in characters. At `#dueBytes`, the next snapshot is due. */
  #bytes = 0;
  #dueBytes: number;
  /** Log position at which a snapshot is due, and whether this replica wrote the entry there. */
  #due: { cursor: LogCursor; isOwn: boolean } | undefined;
  #isBusy = false;
  /**
   * Size of the log, in characters, at each position at which a snapshot was due. After the snapshot was written, the
   * size is subtracted from `#bytes`, because the snapshot replaces these entries.
   */
  readonly #bytesAt = new Map<number, number>();
  readonly #digests = new Map<number, Promise<string>>();
  /** Id of the last entry that each replica had applied when it last wrote. */
  readonly #cursorIdOf = new Map<string, string>();

  constructor(options: RedisLogOptions, connection: () => Connection | undefined) {
    const { snapshot, minimumLogBytes } = options;
    this.#options = options;
    this.#connection = connection;
    this.position = snapshot?.position ?? 0;
    this.#dueBytes = Math.max(minimumLogBytes, snapshot?.bytes ?? 0);
  }

  get isDue(): boolean {
    return this.#due !== undefined && !this.#isBusy;
  }

  /**
   * Whether a stream contains every entry since the newest snapshot, or since the log's start.
   * @param position position of the entry before `entries`
   * @param entries last entries of the stream
   * @param length length of the stream
   */
  isWhole(position: number, entries: StreamEntries, length: number): boolean {
    const last = position + entries.length;
    const isWholeFrom = (first: number) => length > last - Math.max(first, 1);
    if (isWholeFrom(this.position)) return true;
    // One of the entries may announce a newer snapshot. Another replica may have removed the entries before that
    // snapshot.
    const log = shortId(this.#options.identity);
    const notes = entries.map(([, list]) => readStoredOf(log, list)?.snapshot?.position ?? 0);
    return isWholeFrom(Math.max(...notes, 0));
  }

  /** Counts a log entry towards the next snapshot, which may now be due. */
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
   * Writes the snapshot that is due. If another replica writes it, hashes this replica's state for comparison.
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
      if (this.#digests.size > maximumDigests) this.#digests.delete(oldest as number);
      await digest;
      return;
    }
    const { keys, version, writer } = this.#options;
    const { digest, bytes } = await writeSnapshot(connection, keys, { cursor: due.cursor, version, writer }, pieces);
    await appendNote({ position, digest, bytes });
  }

  #noteSnapshot({ position, digest, bytes }: SnapshotNote, isOwn: boolean): void {
    this.position = position;
    this.#dueBytes = Math.max(this.#options.minimumLogBytes, bytes);
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

  /**
   * Deletes all snapshots except the newest two. Removes entries before the older one, except those that a live replica
   * has not applied.
   */
  async #trim(): Promise<void> {
    const connection = this.#connection();
    const { keys, host } = this.#options;
    if (connection === undefined) return;
    const [, before, ...old] = await listSnapshots(connection, keys);
    if (before === undefined) return;
    await dropSnapshots(connection, keys, old);
    const cursorIds = host.liveReplicas().map((replica) => this.#cursorIdOf.get(replica));
    // Waits until each live replica has written an entry, which shows the replica's position. Removes no entry before
    // that.
    if (cursorIds.includes(undefined)) return;
    const [least = before.id] = [before.id, ...(cursorIds as string[])].sort(compareIds);
    await connection.call('XTRIM', keys.log, 'MINID', '=', least);
  }
}

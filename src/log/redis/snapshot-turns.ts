import { shortId } from './birth.js';
import { compareIds } from './compare-ids.js';
import type { Connection } from './connection.js';
import { type EntryFields, readStoredOf, type SnapshotNote, type StoredEntry } from './entry-fields.js';
import type { Place } from './place.js';
import type { RedisLogOptions } from './redis-log-options.js';
import { digestInTurns, dropSnapshots, listSnapshots, writeSnapshot } from './snapshot-store.js';
import type { StreamEntries } from './stream-entries.js';

/** After a snapshot that did not come, another is tried when the log has grown by this. */
const retryBytes = 1024 * 1024;
/** So many own digests are kept for a snapshot that is being written elsewhere. */
const mostDigests = 4;

/**
 * Whose turn it is to write a snapshot: the replica does whose entry makes the log outgrow its bound. The others take the
 * digest of their state at the same entry, and compare.
 */
export class SnapshotTurns {
  readonly #options: RedisLogOptions;
  readonly #connection: () => Connection | undefined;
  /** The newest snapshot. */
  position: number;
  /** What the entries since the newest snapshot take, and at how much another is due. */
  #bytes = 0;
  #dueBytes: number;
  /** The entry at which one is due, and whether it was written here. */
  #due: { place: Place; isOwn: boolean } | undefined;
  #isBusy = false;
  /** What `#bytes` was at the entries at which one was due. */
  readonly #bytesAt = new Map<number, number>();
  readonly #digests = new Map<number, Promise<string>>();
  /** The entry that each replica had applied last, when it wrote last. */
  readonly #placesOf = new Map<string, string>();

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
   * Whether a stream has every entry from the newest snapshot on, or all of them without one.
   * @param position of the entry before `entries`, which are its last
   * @param length of the stream
   */
  isWhole(position: number, entries: StreamEntries, length: number): boolean {
    const last = position + entries.length;
    const isWholeFrom = (first: number) => length > last - Math.max(first, 1);
    if (isWholeFrom(this.position)) return true;
    // Another snapshot, noted in one of these, may have made older entries needless.
    const log = shortId(this.#options.birth);
    const notes = entries.map(([, list]) => readStoredOf(log, list)?.snapshot?.position ?? 0);
    return isWholeFrom(Math.max(...notes, 0));
  }

  /** Notes an entry. */
  note(place: Place, { writer, text }: EntryFields, { after, snapshot }: StoredEntry): void {
    if (after !== undefined) this.#placesOf.set(writer, after[2]);
    this.#bytes += text.length;
    this.#due = undefined;
    if (snapshot !== undefined) this.#noteSnapshot(snapshot, writer === this.#options.writer);
    else if (this.#bytes > this.#dueBytes) {
      this.#due = { place, isOwn: writer === this.#options.writer };
      this.#bytesAt.set(place.position, this.#bytes);
      this.#dueBytes = this.#bytes + Math.max(retryBytes, this.#dueBytes / 4);
    }
  }

  /**
   * Writes the snapshot that is due, or takes its digest where another writes it.
   * @param tell puts the note of a snapshot that has been written into the log
   */
  async take(pieces: Iterable<unknown>, tell: (note: SnapshotNote) => Promise<void>): Promise<void> {
    const due = this.#due;
    if (due === undefined) throw new RangeError('expected a snapshot that is due, got none');
    this.#due = undefined;
    this.#isBusy = true;
    try {
      await this.#take(due, pieces, tell);
    } finally {
      this.#isBusy = false;
    }
  }

  async #take(
    due: { place: Place; isOwn: boolean },
    pieces: Iterable<unknown>,
    tell: (note: SnapshotNote) => Promise<void>,
  ): Promise<void> {
    const { position } = due.place;
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
    const { digest, bytes } = await writeSnapshot(connection, keys, { place: due.place, version, writer }, pieces);
    await tell({ position, digest, bytes });
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
      `expected the state after entry ${position} to be that of the snapshot, ${expected}, got ${own}`,
    );
  }

  /** Drops all snapshots but the newest two, and what the older of these makes needless, but nothing that a replica needs. */
  async #trim(): Promise<void> {
    const connection = this.#connection();
    const { keys, host } = this.#options;
    if (connection === undefined) return;
    const [, before, ...old] = await listSnapshots(connection, keys);
    if (before === undefined) return;
    await dropSnapshots(connection, keys, old);
    const places = host.liveReplicas().map((replica) => this.#placesOf.get(replica));
    // Of a replica that has not written yet since this one has joined, nobody knows here where it is.
    if (places.includes(undefined)) return;
    const [least = before.id] = [before.id, ...(places as string[])].sort(compareIds);
    await connection.call('XTRIM', keys.log, 'MINID', '=', least);
  }
}

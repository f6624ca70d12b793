import type { Log, LogBirth, LogEntry, NewEntry, SharedLog } from '../log.js';
import { Appender, patienceMs } from './appender.js';
import { shortId } from './birth.js';
import { CatchUp } from './catch-up.js';
import { type Connection, connect, StoreAwayError } from './connection.js';
import { type EntryFields, msOfId, readFields, readStored, type StoredEntry, toFields } from './entry-fields.js';
import { Follower } from './follower.js';
import { KeptConnection } from './kept-connection.js';
import { Chains, chainOf, type LogCursor, nextCursor } from './log-cursor.js';
import type { RedisLogHealth, RedisLogOptions } from './redis-log-options.js';
import { setEntriesAside } from './set-entries-aside.js';
import { SnapshotElection } from './snapshot-election.js';
import type { StreamEntries } from './stream-entries.js';

/** Who has heard nothing from the store for so long is out of touch with it. */
const staleAfterMs = 2_000;

/** A log in one stream of Redis or Valkey, which several processes write to and read in one order. */
export class RedisLog implements Log {
  readonly shared: SharedLog;
  readonly #options: RedisLogOptions;
  readonly #appender: Appender;
  readonly #follower: Follower;
  readonly #writing: KeptConnection;
  readonly #snapshots: SnapshotElection;
  readonly #chains = new Chains();
  /** Where it is applied up to, and the hash before that. */
  #cursor: LogCursor;
  #chainBefore = 0;
  #sequence = 0;
  #connection: Connection | undefined;
  #onEntry: ((entry: LogEntry, own: NewEntry | undefined) => void) | undefined;
  readonly #catchUp: CatchUp;
  #contactMs = performance.now();
  #caughtUpMs = performance.now();
  readonly #told = new Set<string>();
  #isOver = false;

  constructor(options: RedisLogOptions) {
    const { keys, from, writer, address, host, time } = options;
    this.#options = options;
    this.#cursor = from;
    this.#chains.add(from);
    this.#connection = options.connection;
    this.#appender = new Appender({
      key: keys.log,
      onGone: () => this.#lose('the stream is not there any more'),
    });
    const both = {
      connect: () => connect(address),
      isThere: (connection: Connection) => this.#isThere(connection),
      onLost: () => this.#lose('entries that were applied are not there as they were'),
      onError: (error: unknown) => this.#tell(error),
    };
    this.#follower = new Follower({
      ...both,
      key: keys.log,
      cursor: () => this.#cursor,
      isWhole: (entries, length) => this.#snapshots.isWhole(this.#cursor.position, entries, length),
      onEntry: (id, fields) => this.#follow(id, fields),
      onContact: (isAtEnd) => this.#touch(isAtEnd),
    });
    this.#writing = new KeptConnection({
      ...both,
      time,
      onAway: host.onAway,
      onBack: host.onBack,
      onChange: (connection) => {
        this.#connection = connection;
        this.#appender.use(connection);
      },
    });
    this.#catchUp = new CatchUp(keys.log);
    this.#snapshots = new SnapshotElection(options, () => this.#connection);
    this.shared = {
      writer,
      follow: (onEntry) => this.#start(onEntry),
      onDisagreement: (position, writer) => host.onDisagreement(position, writer),
      catchUp: () => this.#catchUp.wait(this.#connection, () => this.#cursor.id),
    };
  }

  get position(): number {
    return this.#cursor.position;
  }

  /** Where it is applied up to. */
  get cursor(): LogCursor {
    return this.#cursor;
  }

  get snapshotPosition(): number {
    return this.#snapshots.position;
  }

  get snapshotIsDue(): boolean {
    return this.#snapshots.isDue;
  }

  get health(): RedisLogHealth {
    const nowMs = performance.now();
    const stale = this.#connection === undefined || nowMs - this.#contactMs > staleAfterMs;
    const lagMs = stale || this.#caughtUpMs < this.#contactMs ? Math.round(nowMs - this.#caughtUpMs) : 0;
    return { stale, lagMs };
  }

  async append(entry: NewEntry): Promise<LogEntry> {
    const { writer, incarnation, time } = this.#options;
    const sequence = ++this.#sequence;
    // Ids never go back, not even when the store's time does.
    const nowMs = Math.max(time.now(), msOfId(this.#cursor.id));
    await this.#write(sequence, { ...entry, deadlineMs: Math.ceil(nowMs) + patienceMs }, entry);
    return { ...entry, writer, incarnation, sequence, position: this.#cursor.position };
  }

  writeSnapshot(_position: number, pieces: Iterable<unknown>): Promise<void> {
    return this.#snapshots.take(pieces, async (snapshot) => {
      const note: NewEntry = { atMs: Math.floor(this.#options.time.now()), commands: [] };
      await this.#write(++this.#sequence, { ...note, snapshot }, note);
    });
  }

  setAside(from: number, reason: string): Promise<string> {
    const { connection, keys, from: start } = this.#options;
    return setEntriesAside(connection, keys, { start, from, reason });
  }

  async close(): Promise<void> {
    this.#stop();
  }

  /**
   * Goes on to an entry of the stream.
   * @returns it, with the version that wrote it; `undefined` where nothing is to be done for it
   */
  read(id: string, list: string[]): { entry: LogEntry; version: string; fields: EntryFields } | undefined {
    this.#chainBefore = this.#cursor.chain;
    this.#cursor = nextCursor(this.#cursor, id, list);
    this.#chains.add(this.#cursor);
    const { birth } = this.#options;
    const fields = readFields(list);
    if (fields === undefined) return undefined;
    const { writer, incarnation, sequence } = fields;
    const stored = (this.#isOwn(fields) ? this.#appender.storedOf(sequence) : undefined) ?? readStored(fields);
    if (stored === undefined || stored.log !== shortId(birth)) return undefined;
    const { atMs, commands, answered, deadlineMs = Number.POSITIVE_INFINITY, version } = stored;
    this.#check(fields, stored);
    this.#snapshots.note(this.#cursor, fields, stored);
    const isLate = msOfId(id) > deadlineMs;
    const { position } = this.#cursor;
    const entry = { position, writer, incarnation, sequence, atMs, commands, ...(answered && { answered }) };
    return { entry: isLate ? { ...entry, isLate } : entry, version, fields };
  }

  #write(sequence: number, entry: Omit<StoredEntry, 'log' | 'version' | 'after'>, own: NewEntry): Promise<void> {
    const { writer, incarnation, birth, version } = this.#options;
    const { position, chain, id } = this.#cursor;
    const stored: StoredEntry = { log: shortId(birth), version, after: [position, chain, id], ...entry };
    return this.#appender.append(toFields({ writer, incarnation, sequence }, stored), stored, own);
  }

  #isOwn({ writer, incarnation }: Pick<EntryFields, 'writer' | 'incarnation'>): boolean {
    return writer === this.#options.writer && incarnation === this.#options.incarnation;
  }

  #start(onEntry: (entry: LogEntry, own: NewEntry | undefined) => void): void {
    this.#onEntry = onEntry;
    this.#follower.run();
    this.#writing.run(this.#options.connection);
  }

  #follow(id: string, list: string[]): void {
    const read = this.read(id, list);
    if (read !== undefined && !this.#isOver) {
      const { entry } = read;
      const own = this.#isOwn(entry) ? this.#appender.take(entry.sequence) : undefined;
      try {
        this.#onEntry?.(entry, own);
      } catch (error) {
        this.#options.host.onError(error);
      }
    }
    this.#catchUp.applied(id);
  }

  /** Another who was further, or had another past, shows that something was lost here or there. */
  #check({ writer }: EntryFields, { after }: StoredEntry): void {
    // What is read at the start is as the store has it, whatever others had.
    if (after === undefined || this.#onEntry === undefined) return;
    const [position, chain] = after;
    if (position < this.#cursor.position && this.#chains.agrees(position, chain) !== false) return;
    this.#lose(`${writer} had another entry ${position} than this replica`);
  }

  async #isThere(connection: Connection): Promise<boolean> {
    const { id, chain } = this.#cursor;
    const before = this.#chainBefore;
    const { keys, birth } = this.#options;
    const [text, found] = await Promise.all([
      connection.call('GET', keys.birth) as Promise<string | null>,
      connection.call('XRANGE', keys.log, id, id) as Promise<StreamEntries>,
    ]);
    const [entry] = found;
    const isSameLog = text !== null && (JSON.parse(text) as LogBirth).id === birth.id;
    return isSameLog && entry !== undefined && (before === 0 || chainOf(before, id, entry[1]) === chain);
  }

  /** That the store is away shows in the health; what it refuses is told, once. */
  #tell(error: unknown): void {
    const { message } = error as Error;
    if (error instanceof StoreAwayError || this.#told.has(message)) return;
    this.#told.add(message);
    this.#options.host.onError(error);
  }

  #touch(isAtEnd: boolean): void {
    this.#contactMs = performance.now();
    if (isAtEnd) this.#caughtUpMs = this.#contactMs;
  }

  #lose(reason: string): void {
    if (this.#isOver) return;
    this.#stop();
    this.#options.host.onLost(reason);
  }

  #stop(): void {
    this.#isOver = true;
    this.#follower.stop();
    this.#writing.stop();
    this.#appender.close();
    this.#connection?.end();
    this.#connection = undefined;
    this.#catchUp.end();
  }
}

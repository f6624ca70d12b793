import type { Log, LogEntry, LogIdentity, NewEntry, SharedLog } from '../log.js';
import { Appender, appendTimeoutMs } from './appender.js';
import { CatchUp } from './catch-up.js';
import { type Connection, connect, StoreUnavailableError } from './connection.js';
import { type EntryFields, msOfId, readFields, readStored, type StoredEntry, toFields } from './entry-fields.js';
import { Follower } from './follower.js';
import { chainOf, HashChains, type LogCursor, nextCursor } from './log-cursor.js';
import { shortId } from './log-identity.js';
import type { RedisLogHealth, RedisLogOptions } from './redis-log-options.js';
import { setEntriesAside } from './set-entries-aside.js';
import { SnapshotElection } from './snapshot-election.js';
import type { StreamEntries } from './stream-entries.js';
import { WriterConnection } from './writer-connection.js';

/** Time without a reply of the store after which this server's state counts as old, in milliseconds. */
const staleAfterMs = 2_000;

/** Log in a stream of Redis or Valkey. Several servers share it, and all apply its entries in the same order. */
export class RedisLog implements Log {
  readonly shared: SharedLog;
  readonly #options: RedisLogOptions;
  readonly #appender: Appender;
  readonly #follower: Follower;
  readonly #writing: WriterConnection;
  readonly #snapshots: SnapshotElection;
  readonly #chains = new HashChains();
  /** Cursor of the last applied entry, and the hash of all entries before it. */
  #cursor: LogCursor;
  #chainBefore = 0;
  #sequence = 0;
  #connection: Connection | undefined;
  #onEntry: ((entry: LogEntry, ownEntry: NewEntry | undefined) => void) | undefined;
  readonly #catchUp: CatchUp;
  #contactMs = performance.now();
  #caughtUpMs = performance.now();
  readonly #reported = new Set<string>();
  #isOver = false;

  constructor(options: RedisLogOptions) {
    const { keys, from, writer, address, host, time } = options;
    this.#options = options;
    this.#cursor = from;
    this.#chains.add(from);
    this.#connection = options.connection;
    this.#appender = new Appender({
      key: keys.log,
      onMissing: () => this.#lose('the stream no longer exists'),
    });
    const both = {
      connect: () => connect(address),
      isIntact: (connection: Connection) => this.#isIntact(connection),
      onLost: () => this.#lose('applied entries are missing or changed in the store'),
      onError: (error: unknown) => this.#report(error),
    };
    this.#follower = new Follower({
      ...both,
      key: keys.log,
      cursor: () => this.#cursor,
      isWhole: (entries, length) => this.#snapshots.isWhole(this.#cursor.position, entries, length),
      onEntry: (id, fields) => this.#follow(id, fields),
      onContact: (isAtEnd) => this.#noteContact(isAtEnd),
    });
    this.#writing = new WriterConnection({
      ...both,
      time,
      onOutage: host.onOutage,
      onRecovery: host.onRecovery,
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

  /** Cursor (position and hash) of the last applied entry. */
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
    // Ids of a Redis stream increase even if the store's clock is set back, so deadlines follow the last id.
    const nowMs = Math.max(time.now(), msOfId(this.#cursor.id));
    await this.#write(sequence, { ...entry, deadlineMs: Math.ceil(nowMs) + appendTimeoutMs }, entry);
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
   * Advances the cursor to an entry and parses the entry.
   * @returns the entry with its writer's version; `undefined` for an entry of another log or format
   */
  read(id: string, list: string[]): { entry: LogEntry; version: string; fields: EntryFields } | undefined {
    this.#chainBefore = this.#cursor.chain;
    this.#cursor = nextCursor(this.#cursor, id, list);
    this.#chains.add(this.#cursor);
    const { identity } = this.#options;
    const fields = readFields(list);
    if (fields === undefined) return undefined;
    const { writer, incarnation, sequence } = fields;
    const stored = (this.#isOwn(fields) ? this.#appender.storedOf(sequence) : undefined) ?? readStored(fields);
    if (stored === undefined || stored.log !== shortId(identity)) return undefined;
    const { atMs, commands, answered, deadlineMs = Number.POSITIVE_INFINITY, version } = stored;
    this.#check(fields, stored);
    this.#snapshots.note(this.#cursor, fields, stored);
    const isLate = msOfId(id) > deadlineMs;
    const { position } = this.#cursor;
    const entry = { position, writer, incarnation, sequence, atMs, commands, ...(answered && { answered }) };
    return { entry: isLate ? { ...entry, isLate } : entry, version, fields };
  }

  #write(sequence: number, entry: Omit<StoredEntry, 'log' | 'version' | 'after'>, ownEntry: NewEntry): Promise<void> {
    const { writer, incarnation, identity, version } = this.#options;
    const { position, chain, id } = this.#cursor;
    const stored: StoredEntry = { log: shortId(identity), version, after: [position, chain, id], ...entry };
    return this.#appender.append(toFields({ writer, incarnation, sequence }, stored), stored, ownEntry);
  }

  #isOwn({ writer, incarnation }: Pick<EntryFields, 'writer' | 'incarnation'>): boolean {
    return writer === this.#options.writer && incarnation === this.#options.incarnation;
  }

  #start(onEntry: (entry: LogEntry, ownEntry: NewEntry | undefined) => void): void {
    this.#onEntry = onEntry;
    this.#follower.run();
    this.#writing.run(this.#options.connection);
  }

  #follow(id: string, list: string[]): void {
    const read = this.read(id, list);
    if (read !== undefined && !this.#isOver) {
      const { entry } = read;
      const ownEntry = this.#isOwn(entry) ? this.#appender.take(entry.sequence) : undefined;
      try {
        this.#onEntry?.(entry, ownEntry);
      } catch (error) {
        this.#options.host.onError(error);
      }
    }
    this.#catchUp.applied(id);
  }

  /**
   * Compares what an entry's writer had applied with what this server has applied. A difference shows that the store
   * has lost entries.
   */
  #check({ writer }: EntryFields, { after }: StoredEntry): void {
    // Skips the comparison for log entries that existed when this server started: the store may have lost even earlier
    // entries, which their writers had seen.
    if (after === undefined || this.#onEntry === undefined) return;
    const [position, chain] = after;
    if (position < this.#cursor.position && this.#chains.agrees(position, chain) !== false) return;
    this.#lose(`${writer} had another entry ${position} than this replica`);
  }

  async #isIntact(connection: Connection): Promise<boolean> {
    const { id, chain } = this.#cursor;
    const before = this.#chainBefore;
    const { keys, identity } = this.#options;
    const [text, found] = await Promise.all([
      connection.call('GET', keys.identity) as Promise<string | null>,
      connection.call('XRANGE', keys.log, id, id) as Promise<StreamEntries>,
    ]);
    const [entry] = found;
    const isSameLog = text !== null && (JSON.parse(text) as LogIdentity).id === identity.id;
    return isSameLog && entry !== undefined && (before === 0 || chainOf(before, id, entry[1]) === chain);
  }

  /** Reports each error of the store once. An unreachable store is reported by `health` instead. */
  #report(error: unknown): void {
    const { message } = error as Error;
    if (error instanceof StoreUnavailableError || this.#reported.has(message)) return;
    this.#reported.add(message);
    this.#options.host.onError(error);
  }

  #noteContact(isAtEnd: boolean): void {
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

import { setTimeout as sleep } from 'node:timers/promises';
import type { Log, LogEntry, LogIdentity, NewEntry, SharedLog } from '../../log.js';
import { appendTimeoutMs, createAppender } from './appender.js';
import { compareIds } from './compare-ids.js';
import { type Connection, connect, StoreRefusedError, StoreUnavailableError } from './connection.js';
import { type EntryFields, msOfId, readFields, readStored, type StoredEntry, toFields } from './entry-fields.js';
import { createFollower } from './follower.js';
import type { StoreKeys } from './keys.js';
import { chainOf, HashChains, type LogCursor, nextCursor } from './log-cursor.js';
import { shortId } from './log-identity.js';
import type { RedisLogHealth, RedisLogOptions } from './redis-log-options.js';
import { createSnapshotElection } from './snapshot-election.js';
import type { StreamEntries } from './stream-entries.js';
import { createWriterConnection } from './writer-connection.js';

/** Time without a reply from Redis after which the server reports its state as possibly outdated (`stale`). */
const staleAfterMs = 2_000;

/** Log in a stream of Redis or Valkey. Several servers share it, and all apply its entries in the same order. */
export interface RedisLog extends Log {
  readonly shared: SharedLog;
  /** Position and hash of the last entry of the shared log that this server has applied. */
  readonly cursor: LogCursor;
  readonly health: RedisLogHealth;
  /**
   * Parses an entry of the Redis stream, and advances the log's cursor (position and hash of the last entry) to the
   * entry.
   * @returns the entry and the version of petstore-sim that wrote it; `undefined` for an entry of another log or format
   */
  read(id: string, list: string[]): { entry: LogEntry; version: string } | undefined;
}

export function createRedisLog(options: RedisLogOptions): RedisLog {
  const { keys, from, writer, incarnation, identity, version, address, host, time } = options;
  const logId = shortId(identity);
  const chains = new HashChains();
  const catchUp = createCatchUp(keys.log);
  const appender = createAppender({ key: keys.log, onMissing: () => lose('the stream no longer exists') });
  const snapshots = createSnapshotElection(options, () => connection);
  const reported = new Set<string>();
  /** Position of the last log entry read, with a hash of all entries up to this entry. */
  let cursor = from;
  /** Hash of all entries before the last log entry read; 0 if this server has read none. */
  let chainBefore = 0;
  let lastSequence = 0;
  let connection: Connection | undefined = options.connection;
  let onEntry: ((entry: LogEntry, ownEntry: NewEntry | undefined) => void) | undefined;
  let contactMs = performance.now();
  let caughtUpMs = performance.now();
  let isOver = false;
  chains.add(from);

  const both = {
    connect: () => connect(address),
    isIntact,
    onLost: () => lose('applied entries are missing or changed in the store'),
    /**
     * Reports each different error of Redis once, and each kind of error reply once. Omits the error of an unreachable
     * Redis, because the property `health` of the log shows an outage.
     */
    onError(error: unknown) {
      const reason = error instanceof StoreRefusedError ? error.code : (error as Error).message;
      if (error instanceof StoreUnavailableError || reported.has(reason)) return;
      reported.add(reason);
      host.onError(error);
    },
  };
  const follower = createFollower({
    ...both,
    key: keys.log,
    cursor: () => cursor,
    isWhole: (entries, length) => snapshots.isWhole(cursor.position, entries, length),
    onEntry: follow,
    onContact(isAtEnd) {
      contactMs = performance.now();
      if (isAtEnd) caughtUpMs = contactMs;
    },
  });
  const writing = createWriterConnection({
    ...both,
    time,
    onOutage: host.onOutage,
    onRecovery: host.onRecovery,
    onChange(changed) {
      connection = changed;
      appender.use(changed);
    },
  });

  function read(id: string, list: string[]): ReturnType<RedisLog['read']> {
    chainBefore = cursor.chain;
    cursor = nextCursor(cursor, id, list);
    chains.add(cursor);
    const fields = readFields(list);
    if (fields === undefined) return undefined;
    const { writer, incarnation, sequence } = fields;
    const stored = (isOwn(fields) ? appender.storedOf(sequence) : undefined) ?? readStored(fields);
    if (stored === undefined || stored.log !== logId) return undefined;
    const { atMs, commands, answered, deadlineMs = Number.POSITIVE_INFINITY, version } = stored;
    check(fields, stored);
    snapshots.note(cursor, fields, stored);
    const isLate = msOfId(id) > deadlineMs;
    const { position } = cursor;
    const entry = { position, writer, incarnation, sequence, atMs, commands, ...(answered && { answered }) };
    return { entry: isLate ? { ...entry, isLate } : entry, version };
  }

  function write(
    sequence: number,
    entry: Omit<StoredEntry, 'log' | 'version' | 'after'>,
    ownEntry: NewEntry,
  ): Promise<void> {
    const { position, chain, id } = cursor;
    const stored: StoredEntry = { log: logId, version, after: [position, chain, id], ...entry };
    return appender.append(toFields({ writer, incarnation, sequence }, stored), stored, ownEntry);
  }

  function isOwn(entry: Pick<EntryFields, 'writer' | 'incarnation'>): boolean {
    return entry.writer === writer && entry.incarnation === incarnation;
  }

  function follow(id: string, list: string[]): void {
    const { entry } = read(id, list) ?? {};
    if (entry !== undefined && !isOver) {
      const ownEntry = isOwn(entry) ? appender.take(entry.sequence) : undefined;
      try {
        onEntry?.(entry, ownEntry);
      } catch (error) {
        host.onError(error);
      }
    }
    catchUp.applied(id);
  }

  /**
   * Checks whether Redis has lost log entries. Compares two hashes of the entries before a new entry: this server's
   * hash, and the hash that the new entry contains from its writer.
   */
  function check({ writer }: EntryFields, { after }: StoredEntry): void {
    // Does not check entries from before this server's start. Their writers may have read earlier entries that Redis
    // has lost since and that this server never read.
    if (after === undefined || onEntry === undefined) return;
    const [position, chain] = after;
    if (position < cursor.position && chains.agrees(position, chain) !== false) return;
    lose(`${writer} had another entry ${position} than this replica`);
  }

  async function isIntact(connection: Connection): Promise<boolean> {
    const { id, chain } = cursor;
    const before = chainBefore;
    const [text, found] = await Promise.all([
      connection.call('GET', keys.identity) as Promise<string | null>,
      connection.call('XRANGE', keys.log, id, id) as Promise<StreamEntries>,
    ]);
    const [entry] = found;
    const isSameLog = text !== null && (JSON.parse(text) as LogIdentity).id === identity.id;
    return isSameLog && entry !== undefined && (before === 0 || chainOf(before, id, entry[1]) === chain);
  }

  function lose(reason: string): void {
    if (isOver) return;
    stop();
    host.onLost(reason);
  }

  function stop(): void {
    isOver = true;
    follower.stop();
    writing.stop();
    appender.close();
    connection?.end();
    connection = undefined;
    catchUp.end();
  }

  return {
    shared: {
      writer,
      follow(call) {
        onEntry = call;
        follower.run();
        writing.run(options.connection);
      },
      reportDisagreement: (position, writer) => host.onDisagreement(position, writer),
      catchUp: () => catchUp.wait(connection, () => cursor.id),
    },

    get position() {
      return cursor.position;
    },

    get cursor() {
      return cursor;
    },

    get snapshotPosition() {
      return snapshots.position;
    },

    get snapshotIsDue() {
      return snapshots.isDue;
    },

    get health() {
      const nowMs = performance.now();
      const stale = connection === undefined || nowMs - contactMs > staleAfterMs;
      const lagMs = stale || caughtUpMs < contactMs ? Math.round(nowMs - caughtUpMs) : 0;
      return { stale, lagMs };
    },

    async append(entry) {
      const sequence = ++lastSequence;
      // Computes the deadline from the later of the Redis clock and the time in the last entry's id. Ids of a Redis
      // stream increase even if the Redis clock is set back.
      const nowMs = Math.max(time.now(), msOfId(cursor.id));
      await write(sequence, { ...entry, deadlineMs: Math.ceil(nowMs) + appendTimeoutMs }, entry);
      return { ...entry, writer, incarnation, sequence, position: cursor.position };
    },

    writeSnapshot(_position, pieces) {
      return snapshots.take(pieces, async (snapshot) => {
        const note: NewEntry = { atMs: Math.floor(time.now()), commands: [] };
        await write(++lastSequence, { ...note, snapshot }, note);
      });
    },

    setAside(at, reason) {
      return setEntriesAside(options.connection, keys, { start: from, from: at, reason });
    },

    async close() {
      stop();
    },

    read,
  };
}

/**
 * Lets reads wait until this replica has applied all entries that the shared log contained when the read arrived. A
 * read then sees all earlier changes.
 * @param key Redis key of the log's stream
 */
function createCatchUp(key: string) {
  let waiting: { readonly id: string; readonly resolve: () => void }[] = [];
  return {
    /**
     * Waits until this server has applied the last entry of the shared log in Redis. Also ends, without an error, if
     * the request to Redis fails, and after `appendTimeoutMs` at the latest.
     * @param appliedId returns the id of the last entry that this server has applied
     */
    async wait(connection: Connection | undefined, appliedId: () => string): Promise<void> {
      if (connection === undefined) return;
      const wait = new AbortController();
      const tooLong = sleep(appendTimeoutMs, undefined, wait).catch(() => {});
      const last = connection.call('XREVRANGE', key, '+', '-', 'COUNT', 1).then(
        (reply) => {
          const [[id] = ['0-0']] = reply as StreamEntries;
          if (compareIds(id, appliedId()) <= 0) return;
          return new Promise<void>((resolve) => waiting.push({ id, resolve }));
        },
        () => {},
      );
      await Promise.race([last, tooLong]);
      wait.abort();
    },

    /**
     * Resolves the promises of reads that wait for this log entry or an earlier one.
     * @param id id of the entry that this server has just applied
     */
    applied(id: string): void {
      if (waiting.length === 0) return;
      const isApplied = (each: { id: string }) => compareIds(each.id, id) <= 0;
      for (const { resolve } of waiting.filter(isApplied)) resolve();
      waiting = waiting.filter((each) => !isApplied(each));
    },

    /** Ends all waits for later log entries, because the log is closed. */
    end(): void {
      for (const { resolve } of waiting.splice(0)) resolve();
    },
  };
}

const readEntries = 200;

/**
 * Moves all log entries from position `from` on to a separate Redis stream.
 * @param start cursor of any log entry before position `from`
 * @param reason reason for the move, contained in the returned message
 * @returns message for the server's operator
 */
async function setEntriesAside(
  connection: Connection,
  keys: StoreKeys,
  { start, from, reason }: { start: LogCursor; from: number; reason: string },
): Promise<string> {
  const aside = keys.aside(String(from));
  let { id: last, position } = start;
  let count = 0;
  for (;;) {
    const entries = (await connection.call('XRANGE', keys.log, `(${last}`, '+', 'COUNT', readEntries)) as StreamEntries;
    for (const [id, fields] of entries) {
      last = id;
      position++;
      if (position < from) continue;
      await connection.transaction([
        ['XADD', aside, id, ...fields],
        ['XDEL', keys.log, id],
      ]);
      count++;
    }
    if (entries.length === 0) break;
  }
  return `Entry ${from} and all after it, ${count} in all, were set aside as ${aside}, because ${reason}.`;
}

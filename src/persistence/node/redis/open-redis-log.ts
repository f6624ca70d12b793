import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import type { Command } from '../../command.js';
import {
  type FoundEntry,
  type FoundSnapshot,
  type LogIdentity,
  LogOpenError,
  type OpenedLog,
  type OpenLogOptions,
} from '../../log.js';
import type { RedisAddress } from './address.js';
import { type Connection, connect, StoreRefusedError } from './connection.js';
import { readFields, readStored, readStoredOf } from './entry-fields.js';
import { keysOf, type StoreKeys } from './keys.js';
import { LogChangedError } from './log-changed-error.js';
import { beginning } from './log-cursor.js';
import { createLog, readIdentity, remedies, removeLog, shortId } from './log-identity.js';
import { createRedisLog, type RedisLog } from './redis-log.js';
import type { RedisLogHost } from './redis-log-options.js';
import { listSnapshots, readSnapshot, type StoredSnapshotHeader } from './snapshot-store.js';
import { StoreTime } from './store-time.js';
import type { StreamEntries } from './stream-entries.js';

export interface OpenRedisLogOptions extends OpenLogOptions {
  /** Command for the first entry of a new log, which contains the scenario with which the server's state begins. */
  readonly first: unknown;
  readonly host: RedisLogHost;
  /** Name of this server in its log entries. `incarnation` counts how often it has opened the log. */
  readonly writer: string;
  readonly incarnation: number;
  /**
   * Whether a missing log is an error instead of a new, empty log. Set if this server has already served the log.
   * Default: false.
   */
  readonly mustExist?: boolean | undefined;
  /**
   * Minimum size of the log entries in Redis, in characters, at which a snapshot of the server's state replaces the
   * entries. Default: 16,777,216.
   */
  readonly minimumLogCharacters?: number | undefined;
}

export interface OpenedRedisLog extends OpenedLog {
  readonly log: RedisLog;
  readonly time: StoreTime;
}

/** Maximum number of entries in one read (XRANGE). */
const readEntries = 200;

/** Creates a unique name for a server in its log entries. */
export const newWriterName = (): string => `${hostname()}-${randomBytes(4).toString('hex')}`;

/**
 * Opens a named log in a Redis store, or creates one.
 * @throws {LogOpenError} for an unusable log; {StoreUnavailableError} if the store cannot be reached
 */
export async function openRedisLog(address: RedisAddress, options: OpenRedisLogOptions): Promise<OpenedRedisLog> {
  const connection = await connect(address);
  try {
    return await open(connection, address, options);
  } catch (error) {
    connection.end();
    throw error;
  }
}

async function open(
  connection: Connection,
  address: RedisAddress,
  options: OpenRedisLogOptions,
): Promise<OpenedRedisLog> {
  const {
    version,
    scenario,
    first,
    reset = false,
    mustExist = false,
    minimumLogCharacters = 16 * 1024 * 1024,
  } = options;
  const keys = keysOf(address.name);
  const time = new StoreTime();
  await time.measure(connection);
  const notices = await storeWarnings(connection);
  if (reset) {
    await checkNoLiveReplica(connection, address, time.now());
    await removeLog(connection, keys);
  }
  const found = await readIdentity(connection, keys);
  if (found === undefined && mustExist) {
    throw new LogOpenError(
      `expected the log ${address.name} to be in ${address.shown}, got none or one without its key ${keys.identity}: the store has lost it; restore its data, or restart the replicas, which create a new log or report which keys of it remain`,
    );
  }
  if (found === undefined) {
    await createLog(connection, keys, { scenario, version, command: first, atMs: Math.floor(time.now()) });
  }
  const identity = found ?? (await readIdentity(connection, keys));
  if (identity === undefined)
    throw new LogOpenError(`expected a log under ${address.shown}, got none; restart petstore-sim`);
  const snapshot = await newestSnapshot(connection, keys, identity, notices);
  const from = snapshot ?? beginning(identity.id);
  const stored = { address, keys, identity, from, snapshot, minimumLogCharacters, time, connection };
  const log = createRedisLog({ ...options, ...stored });
  const foundSnapshot: FoundSnapshot | undefined = snapshot && {
    position: snapshot.position,
    version: snapshot.version,
    pieces: readSnapshot(connection, keys, snapshot),
  };
  const entries = readEntriesOf(connection, keys, log);
  return { log, identity, isNew: found === undefined, snapshot: foundSnapshot, entries, notices, time };
}

/**
 * Returns the header of the newest usable snapshot in Redis; `undefined` for a complete log without a usable snapshot.
 * @throws {LogOpenError} if Redis has lost entries of the log
 */
async function newestSnapshot(
  connection: Connection,
  keys: StoreKeys,
  identity: LogIdentity,
  notices: string[],
): Promise<StoredSnapshotHeader | undefined> {
  for (const header of await listSnapshots(connection, keys)) {
    const [entry] = (await connection.call('XRANGE', keys.log, header.id, header.id)) as StreamEntries;
    if (entry !== undefined) refuseOtherLog(entry[1], keys, identity);
    const isWhole = (await connection.call('LLEN', keys.chunks(header.chunks))) === header.count;
    if (entry !== undefined && isWhole) return header;
    notices.push(`The snapshot at entry ${header.position} is unusable; an older one was used.`);
  }
  const [[id, fields] = ['', []]] = (await connection.call('XRANGE', keys.log, '-', '+', 'COUNT', 1)) as StreamEntries;
  if (fields[1] === '1.1 begin' && id !== '') {
    refuseOtherLog(fields, keys, identity);
    return undefined;
  }
  throw new LogOpenError(
    `expected the log of ${identity.scenario.name} to begin with its first entry or continue a snapshot, got neither: the store has lost entries; ${remedies}`,
  );
}

/**
 * Checks that an entry read from Redis contains the id of the log that this server has opened.
 * @throws {LogOpenError} if the entry contains the id of another log
 */
function refuseOtherLog(list: readonly string[], keys: StoreKeys, identity: LogIdentity): void {
  if (readStoredOf(shortId(identity), list) !== undefined) return;
  throw new LogOpenError(
    `expected ${keys.log} to be the log of ${keys.identity}, got another log: the store has lost entries; ${remedies}`,
  );
}

/**
 * Reads the entries of the shared log that this server has not read yet, up to the end of the Redis stream.
 * @throws {LogChangedError} if the last read entry is missing, because another replica has removed entries
 */
async function* readEntriesOf(
  connection: Connection,
  keys: StoreKeys,
  log: RedisLog,
): AsyncGenerator<FoundEntry, void, undefined> {
  for (;;) {
    const { id, position } = log.cursor;
    // Reads the last known log entry again, to check that it still exists in Redis. If the entry was removed, later
    // entries may have been removed too.
    const from = position === 0 ? '-' : id;
    const entries = (await connection.call('XRANGE', keys.log, from, '+', 'COUNT', readEntries)) as StreamEntries;
    if (position > 0) {
      const known = entries.shift();
      if (known === undefined || known[0] !== id)
        throw new LogChangedError('expected the log to continue after the last entry read, got a trimmed log');
    }
    for (const [entryId, fields] of entries) {
      const read = log.read(entryId, fields);
      if (read !== undefined) yield { ...read.entry, version: read.version };
    }
    if (entries.length === 0) return;
  }
}

/**
 * Time without a new log entry in Redis after which no replica counts as running. A running replica writes an entry at
 * least every two seconds.
 */
const silentMs = 5_000;
const recentEntries = 1_000;

/**
 * Checks that no replica uses a log in Redis, before the log is deleted.
 * @param nowMs time of the Redis server
 * @throws {LogOpenError} if a replica has written to the log within the last five seconds
 */
async function checkNoLiveReplica(connection: Connection, address: RedisAddress, nowMs: number): Promise<void> {
  const { log } = keysOf(address.name);
  const since = Math.floor(nowMs - silentMs);
  const entries = await connection.call('XREVRANGE', log, '+', since, 'COUNT', recentEntries);
  const known = new Set(['begin']);
  for (const [, list] of entries as StreamEntries) {
    const fields = readFields(list);
    if (fields === undefined || known.has(fields.writer)) continue;
    known.add(fields.writer);
    const commands = (readStored(fields)?.commands ?? []) as Command[];
    if (commands.some(({ kind }) => kind === 'part')) continue;
    throw new LogOpenError(
      `expected no live replica of ${address.shown} before a reset, got ${fields.writer}, which wrote to it less than ${silentMs / 1000} seconds ago; stop it first, or if it was killed, try again in ${silentMs / 1000} seconds`,
    );
  }
}

/** Settings of the Redis store that prevent lost log entries: name, required value and the risk of any other value. */
const safeSettings = [
  ['appendonly', 'yes', 'loses all data when it stops'],
  ['maxmemory-policy', 'noeviction', 'may evict the log when its memory is full'],
] as const;

/**
 * Returns a warning for each Redis setting with which Redis can lose log entries. Also warns if Redis hides its
 * settings, or does not require the password of its address.
 */
async function storeWarnings(connection: Connection): Promise<string[]> {
  const values = await Promise.all(safeSettings.map(([name]) => setting(connection, name)));
  const risks = safeSettings.flatMap(([name, expected, risk], index) => {
    const value = values[index];
    return value === undefined || value === expected
      ? []
      : `The store ${risk}: expected "${name} ${expected}" in its settings, got ${JSON.stringify(value)}.`;
  });
  const hidden = 'The store does not show its settings; expected "appendonly yes" and "maxmemory-policy noeviction".';
  const open = 'The store does not require the password of its address: everybody who reaches it can change the state.';
  return [...(connection.isPasswordNeedless ? [open] : []), ...(values.includes(undefined) ? [hidden] : []), ...risks];
}

/**
 * Reads a setting of the Redis server by CONFIG GET; `undefined` if the server refuses the command, as managed Redis
 * services do.
 */
async function setting(connection: Connection, name: string): Promise<string | undefined> {
  try {
    const [, value] = (await connection.call('CONFIG', 'GET', name)) as [string?, string?];
    return value;
  } catch (error) {
    if (error instanceof StoreRefusedError) return undefined;
    throw error;
  }
}

import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import {
  type FoundEntry,
  type FoundSnapshot,
  type LogBirth,
  LogOpenError,
  type OpenedLog,
  type OpenLogOptions,
} from '../log.js';
import type { RedisAddress } from './address.js';
import { beginLog, readBirth, remedies, removeLog, shortId } from './birth.js';
import { checkIsAlone } from './check-alone.js';
import { type Connection, connect } from './connection.js';
import { readStoredOf } from './entry-fields.js';
import { keysOf, type StoreKeys } from './keys.js';
import { beginning } from './log-cursor.js';
import { LogMovedError } from './log-moved-error.js';
import { RedisLog } from './redis-log.js';
import type { RedisLogHost } from './redis-log-options.js';
import { listSnapshots, readSnapshot, type SnapshotHeader } from './snapshot-store.js';
import { StoreTime } from './store-time.js';
import { storeWarnings } from './store-warnings.js';
import type { StreamEntries } from './stream-entries.js';

export interface OpenRedisLogOptions extends OpenLogOptions {
  /** The first command of a new log. */
  readonly first: unknown;
  readonly host: RedisLogHost;
  /** What this process is called, and how many times it has opened the log before. */
  readonly writer: string;
  readonly incarnation: number;
  /** Whether a log must be there, because this process has served it already. Default false. */
  readonly mustExist?: boolean | undefined;
  /** A log that is shorter is not replaced by a snapshot. Default 16 MiB. */
  readonly leastLogBytes?: number | undefined;
}

export interface OpenedRedisLog extends OpenedLog {
  readonly log: RedisLog;
  readonly time: StoreTime;
}

/** How many entries are read at once. */
const readEntries = 200;

/** A name that no other process has. */
export const newWriterName = (): string => `${hostname()}-${randomBytes(4).toString('hex')}`;

/**
 * Opens the log that a store has under a name, or begins one.
 * @throws {LogOpenError} when it cannot be used; {StoreAwayError} when the store cannot be reached
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
  {
    version,
    scenario,
    first,
    reset = false,
    mustExist = false,
    host,
    writer,
    incarnation,
    leastLogBytes = 16 * 1024 * 1024,
  }: OpenRedisLogOptions,
): Promise<OpenedRedisLog> {
  const keys = keysOf(address.name);
  const time = new StoreTime();
  await time.measure(connection);
  const notices = await storeWarnings(connection);
  if (reset) {
    await checkIsAlone(connection, address, time.now());
    await removeLog(connection, keys);
  }
  const found = await readBirth(connection, keys);
  if (found === undefined && mustExist) {
    throw new LogOpenError(
      `expected the log ${address.name} to be in ${address.shown}, got none or one without its key ${keys.birth}: the store has lost it; restore its data, or start the replicas again: they begin anew, or say what is left of it`,
    );
  }
  if (found === undefined) {
    await beginLog(connection, keys, { scenario, version, command: first, atMs: Math.floor(time.now()) });
  }
  const birth = found ?? (await readBirth(connection, keys));
  if (birth === undefined) throw new LogOpenError(`expected a log under ${address.shown}, got none; start again`);
  const snapshot = await newestSnapshot(connection, keys, birth, notices);
  const log = new RedisLog({
    address,
    keys,
    version,
    birth,
    writer,
    incarnation,
    from: snapshot ?? beginning(birth.id),
    snapshot,
    leastLogBytes,
    time,
    connection,
    host,
  });
  const foundSnapshot: FoundSnapshot | undefined = snapshot && {
    position: snapshot.position,
    version: snapshot.version,
    pieces: readSnapshot(connection, keys, snapshot),
  };
  const entries = readEntriesOf(connection, keys, log);
  return { log, birth, isNew: found === undefined, snapshot: foundSnapshot, entries, notices, time };
}

/** The newest snapshot that the log goes on from; without one the log must be there from its beginning. */
async function newestSnapshot(
  connection: Connection,
  keys: StoreKeys,
  birth: LogBirth,
  notices: string[],
): Promise<SnapshotHeader | undefined> {
  for (const header of await listSnapshots(connection, keys)) {
    const [entry] = (await connection.call('XRANGE', keys.log, header.id, header.id)) as StreamEntries;
    if (entry !== undefined) refuseOtherLog(entry[1], keys, birth);
    const isWhole = (await connection.call('LLEN', keys.chunks(header.chunks))) === header.count;
    if (entry !== undefined && isWhole) return header;
    notices.push(`The snapshot at entry ${header.position} cannot be used; an older one was taken.`);
  }
  const [[id, fields] = ['', []]] = (await connection.call('XRANGE', keys.log, '-', '+', 'COUNT', 1)) as StreamEntries;
  if (fields[1] === '1.1 begin' && id !== '') {
    refuseOtherLog(fields, keys, birth);
    return undefined;
  }
  throw new LogOpenError(
    `expected a snapshot from which the log of ${birth.scenario.name} goes on, got a log without its beginning: the store has lost a part of it; ${remedies}`,
  );
}

/** @throws {LogOpenError} for an entry of a log that began otherwise */
function refuseOtherLog(list: readonly string[], keys: StoreKeys, birth: LogBirth): void {
  if (readStoredOf(shortId(birth), list) !== undefined) return;
  throw new LogOpenError(
    `expected ${keys.log} to be the log that ${keys.birth} is of, got another: the store has lost a part of one; ${remedies}`,
  );
}

/** The entries after the place of a log up to the end of the stream, each after the one before it. */
async function* readEntriesOf(
  connection: Connection,
  keys: StoreKeys,
  log: RedisLog,
): AsyncGenerator<FoundEntry, void, undefined> {
  for (;;) {
    const { id, position } = log.cursor;
    // From the last entry that is known, so that nothing can have been cut away between it and the next.
    const from = position === 0 ? '-' : id;
    const entries = (await connection.call('XRANGE', keys.log, from, '+', 'COUNT', readEntries)) as StreamEntries;
    if (position > 0) {
      const known = entries.shift();
      if (known === undefined || known[0] !== id)
        throw new LogMovedError('expected the log to go on from where it was read, got one that was cut back');
    }
    for (const [entryId, fields] of entries) {
      const read = log.read(entryId, fields);
      if (read !== undefined) yield { ...read.entry, version: read.version };
    }
    if (entries.length === 0) return;
  }
}

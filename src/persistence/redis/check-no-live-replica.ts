import type { Command } from '../command.js';
import { LogOpenError } from '../log.js';
import type { RedisAddress } from './address.js';
import type { Connection } from './connection.js';
import { readFields, readStored } from './entry-fields.js';
import { keysOf } from './keys.js';
import type { StreamEntries } from './stream-entries.js';

/**
 * Time without a new log entry in Redis after which no replica counts as running. A running replica writes an entry at
 * least every two seconds.
 */
const silentMs = 5_000;
const readEntries = 1_000;

/**
 * Checks that no replica uses a log in Redis, before the log is deleted.
 * @param nowMs time of the Redis server
 * @throws {LogOpenError} if a replica has written to the log within the last five seconds
 */
export async function checkNoLiveReplica(connection: Connection, address: RedisAddress, nowMs: number): Promise<void> {
  const { log } = keysOf(address.name);
  const since = Math.floor(nowMs - silentMs);
  const entries = await connection.call('XREVRANGE', log, '+', since, 'COUNT', readEntries);
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

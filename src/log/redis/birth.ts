import { randomUUID } from 'node:crypto';
import { type LogBirth, LogOpenError } from '../log.js';
import type { Connection } from './connection.js';
import { type EntryFields, fieldList, type StoredEntry, toFields } from './entry-fields.js';
import type { StoreKeys } from './keys.js';
import { listSnapshots } from './snapshot-store.js';

/** What is in the store; raised when older versions can no longer read it. */
export const format = 1;

interface StoredBirth extends LogBirth {
  readonly format: number;
  readonly version: string;
}

/** What entries tell of the log that they were meant for. */
export const shortId = ({ id }: LogBirth): string => id.slice(0, 8);

/** What the log began with; `undefined` where there is none. @throws {LogOpenError} when a newer version wrote it */
export async function readBirth(connection: Connection, keys: StoreKeys): Promise<LogBirth | undefined> {
  const text = (await connection.call('GET', keys.birth)) as string | null;
  if (text === null) return undefined;
  const birth = JSON.parse(text) as StoredBirth;
  if (birth.format !== format) {
    throw new LogOpenError(
      `expected a log of format ${format}, got format ${birth.format}, which petstore-sim ${birth.version} wrote; use that version or a newer one, another name, or begin anew with --data-reset`,
    );
  }
  return birth;
}

/** Begins a log with its first command, unless another replica has done so in the same moment. */
export async function beginLog(
  connection: Connection,
  keys: StoreKeys,
  {
    scenario,
    version,
    command,
    atMs,
  }: Pick<LogBirth, 'scenario'> & { version: string; command: unknown; atMs: number },
): Promise<void> {
  await connection.call('WATCH', keys.birth, keys.log);
  if ((await connection.call('EXISTS', keys.birth)) === 1) {
    await connection.call('UNWATCH');
    return;
  }
  const birth: StoredBirth = { id: randomUUID(), scenario, format, version };
  const entry: StoredEntry = { log: shortId(birth), version, atMs, commands: [command] };
  const fields: EntryFields = toFields({ writer: 'begin', incarnation: 1, sequence: 1 }, entry);
  await connection.transaction([
    ['DEL', keys.log, keys.snapshots],
    ['SET', keys.birth, JSON.stringify(birth)],
    ['XADD', keys.log, '*', ...fieldList(fields)],
  ]);
}

/** Deletes a log with everything that belongs to it. */
export async function removeLog(connection: Connection, keys: StoreKeys): Promise<void> {
  const snapshots = await listSnapshots(connection, keys);
  const chunks = snapshots.map((header) => keys.chunks(header.chunks));
  await connection.call('DEL', keys.birth, keys.log, keys.snapshots, ...chunks);
}

import { randomUUID } from 'node:crypto';
import { counted } from '../../values/counted.js';
import { type LogBirth, LogOpenError } from '../log.js';
import type { Connection } from './connection.js';
import { type EntryFields, fieldList, type StoredEntry, toFields } from './entry-fields.js';
import type { StoreKeys } from './keys.js';
import { listSnapshots } from './snapshot-store.js';

/** Version of the format in the Redis store. A new number marks logs that older versions cannot read. */
export const format = 1;

interface StoredBirth extends LogBirth {
  readonly format: number;
  readonly version: string;
}

/** First eight characters of a log's id. Each entry contains them, to name the log to which it belongs. */
export const shortId = ({ id }: LogBirth): string => id.slice(0, 8);

/**
 * Reads the identity of a log; `undefined` for a missing log.
 * @throws {LogOpenError} for an identity that this version cannot read
 */
export async function readBirth(connection: Connection, keys: StoreKeys): Promise<LogBirth | undefined> {
  const text = (await connection.call('GET', keys.birth)) as string | null;
  if (text === null) return undefined;
  const birth = parseBirth(text);
  if (birth === undefined) {
    throw new LogOpenError(`expected the key ${keys.birth} as petstore-sim wrote it, got another text; ${remedies}`);
  }
  if (birth.format !== format) {
    throw new LogOpenError(
      `expected a log of format ${format}, got format ${birth.format}, which petstore-sim ${birth.version} wrote; use that version or a newer one, another name, or start a new log with --data-reset`,
    );
  }
  return birth;
}

function parseBirth(text: string): StoredBirth | undefined {
  try {
    const birth = JSON.parse(text) as StoredBirth;
    return typeof birth.id === 'string' && typeof birth.format === 'number' ? birth : undefined;
  } catch {
    return undefined;
  }
}

/** Advice for a log with missing parts, at the end of an error message. */
export const remedies = 'restore the store, use another name, or delete the log with --data-reset';

/**
 * Creates a log with its first command, unless another replica does so at the same moment.
 * @throws {LogOpenError} if parts of an earlier log exist without its identity; nothing is deleted
 */
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
  await connection.call('WATCH', keys.birth, keys.log, keys.snapshots);
  const isBegun = (await connection.call('EXISTS', keys.birth)) === 1;
  const remains = isBegun ? undefined : await findRemains(connection, keys);
  if (isBegun || remains !== undefined) await connection.call('UNWATCH');
  if (isBegun) return;
  if (remains !== undefined) {
    throw new LogOpenError(
      `expected the key ${keys.birth} in addition to ${remains}, got none: the store has lost it; ${remedies}`,
    );
  }
  const birth: StoredBirth = { id: randomUUID(), scenario, format, version };
  const entry: StoredEntry = { log: shortId(birth), version, atMs, commands: [command] };
  const fields: EntryFields = toFields({ writer: 'begin', incarnation: 1, sequence: 1 }, entry);
  await connection.transaction([
    ['SET', keys.birth, JSON.stringify(birth)],
    ['XADD', keys.log, '*', ...fieldList(fields)],
  ]);
}

/** Describes parts of an earlier log in the store; `undefined` without any. */
async function findRemains(connection: Connection, keys: StoreKeys): Promise<string | undefined> {
  const entries = Number(await connection.call('XLEN', keys.log));
  const snapshots = Number(await connection.call('HLEN', keys.snapshots));
  if (entries + snapshots === 0) return undefined;
  return `${keys.log} with ${counted(entries, 'entry', 'entries')} and ${counted(snapshots, 'snapshot')}`;
}

/** Deletes all Redis keys of a log. */
export async function removeLog(connection: Connection, keys: StoreKeys): Promise<void> {
  const snapshots = await listSnapshots(connection, keys);
  const chunks = snapshots.map((header) => keys.chunks(header.chunks));
  await connection.call('DEL', keys.birth, keys.log, keys.snapshots, ...chunks);
}

import { randomUUID } from 'node:crypto';
import { pluralize } from '../../../values/pluralize.js';
import { type LogIdentity, LogOpenError } from '../../log.js';
import type { Connection } from './connection.js';
import { type EntryFields, fieldList, type StoredEntry, toFields } from './entry-fields.js';
import type { StoreKeys } from './keys.js';
import { listSnapshots } from './snapshot-store.js';

/**
 * Version of the format in which Redis stores a server's log. Servers reject a log in another format, so an
 * incompatible change of the format needs a new number.
 */
export const storeFormat = 1;

interface StoredIdentity extends LogIdentity {
  readonly format: number;
  readonly version: string;
}

/** First eight characters of a log's id. Each entry contains them, to name the log to which it belongs. */
export const shortId = ({ id }: LogIdentity): string => id.slice(0, 8);

/**
 * Reads the id of a log from Redis; `undefined` for a missing log.
 * @throws {LogOpenError} for a log in a format that this version cannot read
 */
export async function readIdentity(connection: Connection, keys: StoreKeys): Promise<LogIdentity | undefined> {
  const text = (await connection.call('GET', keys.identity)) as string | null;
  if (text === null) return undefined;
  const identity = parseIdentity(text);
  if (identity === undefined) {
    throw new LogOpenError(
      `expected the store's key ${keys.identity} to contain what petstore-sim wrote, got other text; ${remedies}`,
    );
  }
  if (identity.format !== storeFormat) {
    throw new LogOpenError(
      `expected a log of format ${storeFormat}, got format ${identity.format}, which petstore-sim ${identity.version} wrote; use that version or a newer one, another name, or start a new log with --data-reset`,
    );
  }
  return identity;
}

function parseIdentity(text: string): StoredIdentity | undefined {
  try {
    const identity = JSON.parse(text) as StoredIdentity;
    return typeof identity.id === 'string' && typeof identity.format === 'number' ? identity : undefined;
  } catch {
    return undefined;
  }
}

/** Advice for the user, at the end of an error message about a log in Redis with missing parts. */
export const remedies = 'restore the store, use another name, or delete the log with --data-reset';

/**
 * Creates a log of a server's commands in Redis: the log's id and the first entry. Does nothing if another replica has
 * just created the log.
 * @throws {LogOpenError} if Redis contains parts of an earlier log but not its id; nothing is deleted
 */
export async function createLog(
  connection: Connection,
  keys: StoreKeys,
  {
    scenario,
    version,
    command,
    atMs,
  }: Pick<LogIdentity, 'scenario'> & { version: string; command: unknown; atMs: number },
): Promise<void> {
  await connection.call('WATCH', keys.identity, keys.log, keys.snapshots);
  // Reads the log's entries before its id, because another replica may create both, in one transaction, between the two
  // reads. In reverse order, entries without an id would then look as if Redis had lost the id.
  const remains = await findRemains(connection, keys);
  const isBegun = (await connection.call('EXISTS', keys.identity)) === 1;
  if (isBegun || remains !== undefined) await connection.call('UNWATCH');
  if (isBegun) return;
  if (remains !== undefined) {
    throw new LogOpenError(
      `expected the key ${keys.identity} in addition to ${remains}, got none: the store has lost it; ${remedies}`,
    );
  }
  const identity: StoredIdentity = { id: randomUUID(), scenario, format: storeFormat, version };
  const entry: StoredEntry = { log: shortId(identity), version, atMs, commands: [command] };
  const fields: EntryFields = toFields({ writer: 'begin', incarnation: 1, sequence: 1 }, entry);
  await connection.transaction([
    ['SET', keys.identity, JSON.stringify(identity)],
    ['XADD', keys.log, '*', ...fieldList(fields)],
  ]);
}

/**
 * Describes the entries and snapshots of a log in Redis: `KEY with 3 entries and 1 snapshot`. Returns `undefined` if
 * Redis contains neither.
 */
async function findRemains(connection: Connection, keys: StoreKeys): Promise<string | undefined> {
  const entries = Number(await connection.call('XLEN', keys.log));
  const snapshots = Number(await connection.call('HLEN', keys.snapshots));
  if (entries + snapshots === 0) return undefined;
  return `${keys.log} with ${pluralize(entries, 'entry', 'entries')} and ${pluralize(snapshots, 'snapshot')}`;
}

/** Deletes all Redis keys of a log. */
export async function removeLog(connection: Connection, keys: StoreKeys): Promise<void> {
  const snapshots = await listSnapshots(connection, keys);
  const chunks = snapshots.map((header) => keys.chunks(header.chunks));
  await connection.call('DEL', keys.identity, keys.log, keys.snapshots, ...chunks);
}

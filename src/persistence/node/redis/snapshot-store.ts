import { crc32 } from 'node:zlib';
import { fingerprint } from '../../../values/fingerprint.js';
import { jsonText } from '../../../values/json.js';
import { fromRecordText } from '../../json-record.js';
import type { Connection } from './connection.js';
import { createPauses } from './create-pauses.js';
import type { StoreKeys } from './keys.js';
import { LogChangedError } from './log-changed-error.js';
import type { LogCursor } from './log-cursor.js';

/** Metadata of a snapshot in Redis: its log position, version, length, hash and chunks. */
export interface StoredSnapshotHeader extends LogCursor {
  /** Version of petstore-sim that wrote the snapshot. */
  readonly version: string;
  /** Id of the Redis list that contains the snapshot in chunks, and number of these chunks. */
  readonly chunks: string;
  readonly count: number;
  /** Length of the snapshot, in characters. */
  readonly bytes: number;
  /**
   * Hash of the snapshot's state. Other replicas compare it with the hash of their own state at the same log position,
   * to detect differences.
   */
  readonly digest: string;
}

const chunkBytes = 64 * 1024;
/** Maximum number of chunks of a snapshot that one LRANGE command reads from Redis. */
const chunksPerRead = 16;
/** Time after which Redis deletes the chunks of a snapshot that was not completed. */
const unfinishedSeconds = 600;
/** Pattern for texts with a number that `JSON.parse` may round. Also matches other long sequences of digits. */
const longNumber = /\d{16}/;
/** Maximum time that the server spends on a snapshot without handling other events. */
const maximumBusyMs = 5;

/**
 * Computes a hash of a server's state. Pauses between the parts of the state, so that the server can handle other
 * events.
 * @param pieces parts of the state, such as a scenario or a list of API keys
 * @param onText called with each part as JSON
 */
export async function digestWithPauses(
  pieces: Iterable<unknown>,
  onText: (text: string) => Promise<void> | undefined = () => undefined,
): Promise<string> {
  const prints: string[] = [];
  const pause = createPauses(maximumBusyMs);
  for (const piece of pieces) {
    const text = jsonText(piece);
    prints.push(fingerprint(text));
    await onText(text);
    await pause();
  }
  return fingerprint(prints.join('\n'));
}

/** Writes a snapshot to the Redis store. Writes its header last, so that readers find only complete snapshots. */
export async function writeSnapshot(
  connection: Connection,
  keys: StoreKeys,
  { cursor, version, writer }: { cursor: LogCursor; version: string; writer: string },
  pieces: Iterable<unknown>,
): Promise<StoredSnapshotHeader> {
  const chunks = `${cursor.position}-${writer}`;
  const key = keys.chunks(chunks);
  await connection.call('DEL', key);
  let waiting: string[] = [];
  let length = 0;
  let bytes = 0;
  let count = 0;
  const write = async () => {
    const text = waiting.join('\n');
    waiting = [];
    length = 0;
    await connection.call('RPUSH', key, `${crc32(text, count)} ${text}`);
    if (count === 0) await connection.call('EXPIRE', key, unfinishedSeconds);
    count++;
    bytes += text.length;
  };
  const digest = await digestWithPauses(pieces, (text) => {
    waiting.push(text);
    length += text.length;
    return length >= chunkBytes ? write() : undefined;
  });
  if (waiting.length > 0) await write();
  const header: StoredSnapshotHeader = { ...cursor, version, chunks, count, bytes, digest };
  await connection.transaction([
    ['PERSIST', key],
    ['HSET', keys.snapshots, cursor.position, JSON.stringify(header)],
  ]);
  return header;
}

/** Reads the headers of all snapshots, the newest first. */
export async function listSnapshots(connection: Connection, keys: StoreKeys): Promise<StoredSnapshotHeader[]> {
  const texts = (await connection.call('HVALS', keys.snapshots)) as string[];
  return texts.map((text) => JSON.parse(text) as StoredSnapshotHeader).sort((a, b) => b.position - a.position);
}

export async function dropSnapshots(
  connection: Connection,
  keys: StoreKeys,
  headers: readonly StoredSnapshotHeader[],
): Promise<void> {
  if (headers.length === 0) return;
  await connection.transaction([
    ['HDEL', keys.snapshots, ...headers.map(({ position }) => position)],
    ['UNLINK', ...headers.map(({ chunks }) => keys.chunks(chunks))],
  ]);
}

/**
 * Reads the parts of the server's state from a snapshot in Redis, in their order.
 * @throws {LogChangedError} if the snapshot is incomplete, damaged or was replaced
 */
export async function* readSnapshot(
  connection: Connection,
  keys: StoreKeys,
  { chunks, count, position }: StoredSnapshotHeader,
): AsyncGenerator<unknown, void, undefined> {
  const broken = (got: string) => new LogChangedError(`expected the snapshot at entry ${position}, got ${got}`);
  for (let first = 0; first < count; first += chunksPerRead) {
    const last = Math.min(count, first + chunksPerRead) - 1;
    const texts = (await connection.call('LRANGE', keys.chunks(chunks), first, last)) as string[];
    if (texts.length !== last - first + 1) throw broken('a part of it');
    for (const [index, chunk] of texts.entries()) {
      const [sum = ''] = chunk.split(' ', 1);
      const text = chunk.slice(sum.length + 1);
      if (crc32(text, first + index) !== Number(sum)) throw broken('one with changed content');
      for (const piece of text.split('\n')) yield fromRecordText(piece, longNumber.test(piece));
    }
  }
}

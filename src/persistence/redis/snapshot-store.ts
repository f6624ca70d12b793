import { crc32 } from 'node:zlib';
import { fingerprint } from '../../values/fingerprint.js';
import { jsonText } from '../../values/json.js';
import { fromRecordText } from '../json-record.js';
import type { Connection } from './connection.js';
import type { StoreKeys } from './keys.js';
import type { LogCursor } from './log-cursor.js';
import { LogMovedError } from './log-moved-error.js';

/** What is known of a snapshot without reading it. */
export interface SnapshotHeader extends LogCursor {
  /** The version of petstore-sim that wrote it. */
  readonly version: string;
  /** Names the list of its chunks, and how many there are. */
  readonly chunks: string;
  readonly count: number;
  readonly bytes: number;
  /** Of the state, as `digestOf` gives it. */
  readonly digest: string;
}

const chunkBytes = 64 * 1024;
/** How many chunks are read at once. */
const readChunks = 16;
/** Chunks of a snapshot that its writer did not finish go away after this. */
const unfinishedSeconds = 600;
/** JSON.parse rounds no number that is shorter. */
const longNumber = /\d{16}/;
/** What is worked on in one turn of the event loop. */
const turnMs = 5;

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

/**
 * The digest of a state in pieces, which are made in turns of the event loop.
 * @param onText called with each piece as JSON
 */
export async function digestInTurns(
  pieces: Iterable<unknown>,
  onText: (text: string) => Promise<void> | undefined = () => undefined,
): Promise<string> {
  const prints: string[] = [];
  let turnEndsMs = performance.now() + turnMs;
  for (const piece of pieces) {
    const text = jsonText(piece);
    prints.push(fingerprint(text));
    await onText(text);
    if (performance.now() < turnEndsMs) continue;
    await turn();
    turnEndsMs = performance.now() + turnMs;
  }
  return fingerprint(prints.join('\n'));
}

/** Writes a snapshot; it is there for others once all of it is. */
export async function writeSnapshot(
  connection: Connection,
  keys: StoreKeys,
  { cursor, version, writer }: { cursor: LogCursor; version: string; writer: string },
  pieces: Iterable<unknown>,
): Promise<SnapshotHeader> {
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
  const digest = await digestInTurns(pieces, (text) => {
    waiting.push(text);
    length += text.length;
    return length >= chunkBytes ? write() : undefined;
  });
  if (waiting.length > 0) await write();
  const header: SnapshotHeader = { ...cursor, version, chunks, count, bytes, digest };
  await connection.transaction([
    ['PERSIST', key],
    ['HSET', keys.snapshots, cursor.position, JSON.stringify(header)],
  ]);
  return header;
}

/** The headers of all snapshots, the newest first. */
export async function listSnapshots(connection: Connection, keys: StoreKeys): Promise<SnapshotHeader[]> {
  const texts = (await connection.call('HVALS', keys.snapshots)) as string[];
  return texts.map((text) => JSON.parse(text) as SnapshotHeader).sort((a, b) => b.position - a.position);
}

/** Deletes snapshots. */
export async function dropSnapshots(
  connection: Connection,
  keys: StoreKeys,
  headers: readonly SnapshotHeader[],
): Promise<void> {
  if (headers.length === 0) return;
  await connection.transaction([
    ['HDEL', keys.snapshots, ...headers.map(({ position }) => position)],
    ['UNLINK', ...headers.map(({ chunks }) => keys.chunks(chunks))],
  ]);
}

/** The pieces of a snapshot. @throws {LogMovedError} when it is not whole */
export async function* readSnapshot(
  connection: Connection,
  keys: StoreKeys,
  { chunks, count, position }: SnapshotHeader,
): AsyncGenerator<unknown, void, undefined> {
  const broken = (got: string) => new LogMovedError(`expected the snapshot at entry ${position}, got ${got}`);
  for (let first = 0; first < count; first += readChunks) {
    const last = Math.min(count, first + readChunks) - 1;
    const texts = (await connection.call('LRANGE', keys.chunks(chunks), first, last)) as string[];
    if (texts.length !== last - first + 1) throw broken('a part of it');
    for (const [index, chunk] of texts.entries()) {
      const [sum = ''] = chunk.split(' ', 1);
      const text = chunk.slice(sum.length + 1);
      if (crc32(text, first + index) !== Number(sum)) throw broken('one that is not as it was written');
      for (const piece of text.split('\n')) yield fromRecordText(piece, longNumber.test(piece));
    }
  }
}

import { closeSync, openSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { flushFolder, snapshotName, unfinished } from './folder-files.js';
import { readHeader, type SnapshotHeader } from './headers.js';
import { beginsWith, checkLine, formatLine, parseLine } from './line.js';
import { readLines } from './read-lines.js';

interface PieceLine {
  readonly piece: unknown;
}
/** The last line, without which a snapshot is not whole. */
interface EndLine {
  readonly end: { readonly pieces: number };
}

/** What is written at once; making it takes a few milliseconds, and others have their turn after it. */
const writeBytes = 64 * 1024;

/**
 * Writes a snapshot beside its place, flushes it and puts it there. On an error nothing is left of it.
 * @returns its size in bytes
 */
export async function writeSnapshotFile(
  folder: string,
  header: SnapshotHeader,
  pieces: Iterable<unknown>,
): Promise<number> {
  const name = snapshotName(header.position);
  const aside = join(folder, unfinished(name));
  try {
    const file = await open(aside, 'w', 0o600);
    let size = 0;
    try {
      let waiting = '';
      let chain = 0;
      let count = 0;
      const add = (record: SnapshotHeader | PieceLine | EndLine) => {
        const line = formatLine(record, chain);
        chain = line.chain;
        waiting += line.text;
      };
      const write = async () => {
        const bytes = Buffer.from(waiting);
        waiting = '';
        await file.writeFile(bytes);
        size += bytes.length;
      };
      add(header);
      for (const piece of pieces) {
        add({ piece });
        count++;
        if (waiting.length >= writeBytes) await write();
      }
      add({ end: { pieces: count } });
      await write();
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(aside, join(folder, name));
    await flushFolder(folder);
    return size;
  } catch (error) {
    await rm(aside, { force: true });
    throw error;
  }
}

/**
 * The header of a snapshot in which every line is as it was written, else `undefined`.
 * @throws {LogOpenError} when a newer version wrote it in another format
 */
export function checkSnapshotFile(path: string): SnapshotHeader | undefined {
  const file = openSync(path, 'r');
  try {
    const lines = readLines(file);
    const first = readHeader<SnapshotHeader>(lines.next().value ?? undefined, 'petstore-sim snapshot');
    if (first === undefined) return undefined;
    let chain = first.sum;
    let pieces = -1;
    let isWhole = false;
    for (const { bytes, isEnded } of lines) {
      const sum = isEnded && !isWhole ? checkLine(bytes, chain) : undefined;
      if (sum === undefined) return undefined;
      chain = sum;
      pieces++;
      isWhole = isEndLine(bytes) && parseLine<EndLine>(bytes).end.pieces === pieces;
    }
    return isWhole ? first.header : undefined;
  } finally {
    closeSync(file);
  }
}

const isEndLine = (line: Buffer) => beginsWith(line, '"end":');

/** The pieces of a snapshot that has been checked. */
export async function* readPieces(path: string): AsyncGenerator<unknown, void, undefined> {
  const file = openSync(path, 'r');
  try {
    const lines = readLines(file);
    lines.next();
    for (const { bytes } of lines) {
      if (!isEndLine(bytes)) yield parseLine<PieceLine>(bytes).piece;
    }
  } finally {
    closeSync(file);
  }
}

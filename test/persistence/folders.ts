import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { FoundEntry, OpenedLog } from '../../src/persistence/log.js';
import { type OpenFileLogOptions, openFileLog } from '../../src/persistence/node/folder/file-log.js';
import { newFolder } from '../support/new-folder.js';

export const scenario = { name: 'default', hash: 'abcd' };

/** Opens a log for the time of the test. */
export async function openFor(folder: string, options: Partial<OpenFileLogOptions> = {}): Promise<OpenedLog> {
  const opened = await openFileLog(folder, { version: '1.0.0', scenario, ...options });
  onTestFinished(() => opened.log.close());
  return opened;
}

/** Opens a new log for the time of the test, in a folder of its own. */
export async function newLog(options: Partial<OpenFileLogOptions> = {}) {
  const folder = newFolder();
  return { folder, ...(await openFor(folder, options)) };
}

/** Positions of entries. */
export const positionsOf = (entries: readonly { position: number }[]) => entries.map(({ position }) => position);

/** Whole numbers from the first to the last. */
export const range = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index);

export interface Content {
  readonly isNew: boolean;
  readonly notices: readonly string[];
  readonly snapshot: { position: number; pieces: unknown[] } | undefined;
  readonly entries: FoundEntry[];
}

/** Everything that an opened log found. */
export async function contentOf({ isNew, notices, snapshot, entries }: OpenedLog): Promise<Content> {
  const found = snapshot && { position: snapshot.position, pieces: await listOf(snapshot.pieces) };
  return { isNew, notices, snapshot: found, entries: await listOf(entries) };
}

/** Opens, reads everything and closes. */
export async function readFolder(folder: string, options: Partial<OpenFileLogOptions> = {}): Promise<Content> {
  const opened = await openFileLog(folder, { version: '1.0.0', scenario, ...options });
  try {
    return await contentOf(opened);
  } finally {
    await opened.log.close();
  }
}

async function listOf<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
}

export const logFiles = (folder: string): string[] => readdirSync(folder).filter((name) => name.endsWith('.jsonl'));

/** Changes the bytes of a file in a folder. */
export function change(folder: string, name: string, edit: (bytes: Buffer) => Buffer): void {
  writeFileSync(join(folder, name), edit(readFileSync(join(folder, name))));
}

/** Byte range of the line that contains a text. */
export function lineWith(bytes: Buffer, text: string): { start: number; end: number } {
  const at = bytes.indexOf(text);
  if (at < 0) throw new Error(`expected ${text} in the file`);
  return { start: bytes.lastIndexOf(10, at) + 1, end: bytes.indexOf(10, at) + 1 };
}

import { closeSync, fstatSync, fsyncSync, openSync, readdirSync, readSync, truncateSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { asideName, bytesOf, renameAside, setAsidePrefix } from './folder-files.js';
import { beginsWith } from './line.js';
import { readLines } from './read-lines.js';

/** Cuts a file of the log back to where its whole entries end. @returns how many bytes went */
export function cutBack(folder: string, name: string, offset: number): number {
  const path = join(folder, name);
  const removed = bytesOf(folder, name) - offset;
  truncateSync(path, offset);
  flush(path);
  return removed;
}

/**
 * Takes a file from an offset on, and the files after it, out of the log. What is taken out is flushed under its new
 * name before it goes.
 * @returns the new names
 */
export function setAsideFrom(folder: string, name: string, offset: number, later: readonly string[]): string[] {
  // The last first, so that a process that is ended here leaves no gap that looks like another kind of damage.
  const aside = later.toReversed().map((each) => renameAside(folder, each));
  aside.push(offset === 0 ? renameAside(folder, name) : copyRest(folder, name, offset));
  return aside.reverse();
}

/** Number of entries in the files of a log that were set aside in a folder. */
export function entriesSetAside(folder: string): number {
  let count = 0;
  for (const name of readdirSync(folder)) {
    if (!name.startsWith(setAsidePrefix) || !name.includes('-log-')) continue;
    const file = openSync(join(folder, name), 'r');
    try {
      for (const { bytes } of readLines(file)) if (!beginsWith(bytes, '"file":')) count++;
    } finally {
      closeSync(file);
    }
  }
  return count;
}

function copyRest(folder: string, name: string, offset: number): string {
  const aside = asideName(folder, name);
  const from = openSync(join(folder, name), 'r');
  const to = openSync(join(folder, aside), 'wx', 0o600);
  try {
    const buffer = Buffer.allocUnsafe(1024 * 1024);
    for (let at = offset; at < fstatSync(from).size; ) {
      const read = readSync(from, buffer, 0, buffer.length, at);
      for (let written = 0; written < read; ) written += writeSync(to, buffer, written, read - written);
      at += read;
    }
    fsyncSync(to);
  } finally {
    closeSync(from);
    closeSync(to);
  }
  cutBack(folder, name, offset);
  return aside;
}

function flush(path: string): void {
  const file = openSync(path, 'r+');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { listFolder } from './folder-files.js';
import { placeOf } from './line.js';
import { readLines } from './read-lines.js';
import { setAsideFrom } from './set-aside.js';

/**
 * Takes the entry at a position and all after it out of a log whose lines have been checked.
 * @returns a sentence that tells of it
 */
export function setEntriesAside(folder: string, from: number, reason: string): string {
  const names = listFolder(folder).logs.map(({ name }) => name);
  for (const [index, name] of names.entries()) {
    const offset = offsetOf(join(folder, name), from);
    if (offset === undefined) continue;
    const aside = setAsideFrom(folder, name, offset, names.slice(index + 1)).join(', ');
    return `Entry ${from} and all after it were set aside as ${aside}, because ${reason}.`;
  }
  throw new RangeError(`expected entry ${from} to be in the log, found it in none of its files`);
}

function offsetOf(path: string, position: number): number | undefined {
  const file = openSync(path, 'r');
  try {
    for (const { bytes, offset } of readLines(file)) if (placeOf(bytes)?.position === position) return offset;
    return undefined;
  } finally {
    closeSync(file);
  }
}

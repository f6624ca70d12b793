import { readFileSync, realpathSync, statSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { isInside } from './is-inside.js';

/** Maximum size of a scenario file or pets file, in bytes. */
const maximumBytes = 1024 * 1024;

/** Finds a file that a scenario names. Rejects names that lead outside of the scenario's folder. */
export function findInside(folder: string, written: string): { file: string } | { failure: string } {
  const failure = "expected a file under the scenario's own folder";
  const isPlain = written !== '' && !/[\\\0]|^[a-z]+:/i.test(written) && !isAbsolute(written);
  if (!isPlain || written.split('/').includes('..')) return { failure };
  const file = join(folder, written);
  try {
    if (isInside(realpathSync(folder), realpathSync(file))) return { file };
  } catch {
    return { failure: "expected a file that exists, under the scenario's own folder" };
  }
  return { failure };
}

/**
 * Reads a scenario file as text.
 * @returns the text and the real path, or the reason why the file cannot be a scenario
 */
export function readTextFile(file: string): { text: string; realPath: string } | { failure: string } {
  try {
    // Checks that the path is a file before opening it, because opening a named pipe would block.
    const stats = statSync(file);
    if (!stats.isFile()) return { failure: 'expected a file' };
    if (stats.size > maximumBytes) return { failure: 'expected a file of at most 1 MiB' };
    const text = new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(file));
    return { text, realPath: realpathSync(file) };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ERR_ENCODING_INVALID_ENCODED_DATA') return { failure: 'expected a file of UTF-8 text' };
    if (code === 'ENOENT' || code === 'ENOTDIR') return { failure: 'expected a file that exists' };
    return { failure: `expected a readable file (${code})` };
  }
}

import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  existsSync,
  lstatSync,
  openSync,
  realpathSync,
  rmdirSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, resolve } from 'node:path';
import { UsageError } from '../node/usage-error.js';
import { makeFolders } from '../persistence/folder/make-folders.js';

/**
 * Finds out before the work whether what comes of it can be written.
 * @param flag what names the file
 * @param inputs the files that are read, of which it must be none
 * @throws {UsageError} when it cannot
 */
export function checkOutput(flag: string, file: string | undefined, inputs: readonly string[] = []): void {
  if (file === undefined) return;
  try {
    if (file === '') throw new Error('it is empty');
    checkIsWritable(file);
    if (inputs.some((input) => isSame(input, file))) throw new Error('it is what is read');
  } catch (error) {
    throw new UsageError(unwritable(flag, file, error as Error));
  }
}

/** Tried, because permissions do not say it: no file can be made below /proc, whoever asks. */
function checkIsWritable(file: string): void {
  if (existsSync(file)) {
    if (statSync(file).isDirectory()) throw new Error('it is a folder');
    accessSync(file, constants.W_OK);
    return;
  }
  const made = makeFolders(dirname(resolve(file)));
  try {
    // A link to a file that is not there can be written, but not made anew.
    if (lstatSync(file, { throwIfNoEntry: false }) !== undefined) return;
    closeSync(openSync(file, 'wx'));
    unlinkSync(file);
  } finally {
    for (const folder of made.reverse()) rmdirSync(folder);
  }
}

const isSame = (one: string, other: string) =>
  existsSync(one) && existsSync(other) && realpathSync(one) === realpathSync(other);

/**
 * Writes a file, with its folder.
 * @param options.isSecret whether only its owner may read it; default `false`
 * @throws {UsageError} when it cannot be written
 */
export function writeOutput(flag: string, file: string, text: string, { isSecret = false } = {}): void {
  try {
    makeFolders(dirname(resolve(file)));
    // The mode is that of a new file alone, so one that is there gets it before the text.
    if (isSecret && existsSync(file) && statSync(file).isFile()) chmodSync(file, 0o600);
    writeFileSync(file, text, isSecret ? { mode: 0o600 } : {});
  } catch (error) {
    throw new UsageError(unwritable(flag, file, error as Error));
  }
}

const unwritable = (flag: string, file: string, { message }: Error): string =>
  `expected ${flag} to name a file that can be written, got ${JSON.stringify(file)}: ${message}`;

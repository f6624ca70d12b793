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
 * Checks before the work that an output file can be written.
 * @param flag flag that names the file
 * @param inputs input files, which must not include the output file
 * @throws {UsageError} for an unwritable file
 */
export function checkOutput(flag: string, file: string | undefined, inputs: readonly string[] = []): void {
  if (file === undefined) return;
  try {
    if (file === '') throw new Error('the name is empty');
    checkIsWritable(file);
    if (inputs.some((input) => isSame(input, file))) throw new Error('it is an input file');
  } catch (error) {
    throw new UsageError(unwritable(flag, file, error as Error));
  }
}

/** Tries to create the file, because permissions are not sufficient: below /proc no user can create a file. */
function checkIsWritable(file: string): void {
  if (existsSync(file)) {
    if (statSync(file).isDirectory()) throw new Error('it is a folder');
    accessSync(file, constants.W_OK);
    return;
  }
  const made = makeFolders(dirname(resolve(file)));
  try {
    // A dangling link can be written to, but not created again.
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
 * Writes a file, and creates its folder.
 * @param options.isSecret whether only the owner may read the file; default `false`
 * @throws {UsageError} for an unwritable file
 */
export function writeOutput(flag: string, file: string, text: string, { isSecret = false } = {}): void {
  try {
    makeFolders(dirname(resolve(file)));
    // `mode` affects only new files, so an existing file gets its mode before the text is written.
    if (isSecret && existsSync(file) && statSync(file).isFile()) chmodSync(file, 0o600);
    writeFileSync(file, text, isSecret ? { mode: 0o600 } : {});
  } catch (error) {
    throw new UsageError(unwritable(flag, file, error as Error));
  }
}

const unwritable = (flag: string, file: string, { message }: Error): string =>
  `expected ${flag} to name a writable file, got ${JSON.stringify(file)}: ${message}`;

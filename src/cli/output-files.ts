import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  mkdirSync,
  realpathSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, resolve } from 'node:path';
import { UsageError } from '../node/usage-error.js';

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

/** Folders that are not there are made with the file. */
function checkIsWritable(file: string): void {
  if (existsSync(file) && statSync(file).isDirectory()) throw new Error('it is a folder');
  let there = resolve(file);
  while (!existsSync(there)) there = dirname(there);
  if (there !== resolve(file) && !statSync(there).isDirectory()) throw new Error(`${there} is a file`);
  accessSync(there, constants.W_OK);
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
    mkdirSync(dirname(file), { recursive: true });
    // The mode is that of a new file alone, so one that is there gets it before the text.
    if (isSecret && existsSync(file) && statSync(file).isFile()) chmodSync(file, 0o600);
    writeFileSync(file, text, isSecret ? { mode: 0o600 } : {});
  } catch (error) {
    throw new UsageError(unwritable(flag, file, error as Error));
  }
}

const unwritable = (flag: string, file: string, { message }: Error): string =>
  `expected ${flag} to name a file that can be written, got ${JSON.stringify(file)}: ${message}`;

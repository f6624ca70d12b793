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
import { makeFolders } from '../persistence/node/folder/make-folders.js';
import { UsageError } from '../validation/usage-error.js';

/** Endings of files by format. Programs that open a file choose by its ending, so no other ending is written. */
const endings = {
  HTML: ['html', 'htm'],
  XML: ['xml'],
  JSON: ['json'],
  'JSON Lines': ['jsonl', 'ndjson', 'json', 'log'],
  YAML: ['yaml', 'yml'],
} as const;
export type OutputFormat = keyof typeof endings;

/**
 * Checks that the ending of an output file fits the written format. A file without an ending of letters, such as one of
 * mktemp, fits every format.
 * @throws {UsageError} for another ending
 */
export function checkEnding(flag: string, file: string, format: OutputFormat): void {
  const ending = /\.([a-z]{2,6})$/i.exec(file)?.[1]?.toLowerCase();
  const allowed: readonly string[] = endings[format];
  if (ending === undefined || allowed.includes(ending)) return;
  const list = allowed.map((each) => `.${each}`).join(' or ');
  throw new UsageError(`expected ${flag} to name a file of ${format} (${list}), got ${JSON.stringify(file)}`);
}

/**
 * Checks before a long run that an output file can be written.
 * @param flag name of the flag for the file, for the message
 * @param format format of the written text
 * @param inputs input files, which the output file must not overwrite
 * @throws {UsageError} for an unwritable file, or an ending of another format
 */
export function checkOutput(
  flag: string,
  file: string | undefined,
  format: OutputFormat,
  inputs: readonly string[] = [],
): void {
  if (file === undefined) return;
  try {
    if (file === '') throw new Error('the name is empty');
    checkIsWritable(file);
    if (inputs.some((input) => isSame(input, file))) throw new Error('it is an input file');
  } catch (error) {
    throw unwritable(flag, file, error as Error);
  }
  checkEnding(flag, file, format);
}

/**
 * Checks that an output file can be written. Creates and deletes a missing file as a test, because permissions do not
 * show every obstacle: no file can be created below /proc.
 */
function checkIsWritable(file: string): void {
  if (existsSync(file)) {
    if (statSync(file).isDirectory()) throw new Error('it is a folder');
    accessSync(file, constants.W_OK);
    return;
  }
  const made = makeFolders(dirname(resolve(file)));
  try {
    // Skips the writability test for a symbolic link to a missing file. The link can be written to, but the test
    // creates a new file, which fails where a link exists.
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
 * Writes a file. Creates its folder if it is missing.
 * @param options.isSecret whether only the owner may read the file; default `false`
 * @throws {UsageError} for an unwritable file
 */
export function writeOutput(flag: string, file: string, text: string, { isSecret = false } = {}): void {
  try {
    makeFolders(dirname(resolve(file)));
    // Sets the permissions of an existing file before the text is written, because the option `mode` applies only to
    // new files.
    if (isSecret && existsSync(file) && statSync(file).isFile()) chmodSync(file, 0o600);
    writeFileSync(file, text, isSecret ? { mode: 0o600 } : {});
  } catch (error) {
    throw unwritable(flag, file, error as Error);
  }
}

/** Error for a file that cannot be written. */
export const unwritable = (flag: string, file: string, { message }: Error): UsageError =>
  new UsageError(`expected ${flag} to name a writable file, got ${JSON.stringify(file)}: ${message}`);

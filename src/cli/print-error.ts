import { harmlessLines } from '../values/harmless.js';

/** Writes lines to standard error. Replaces control characters, which names and values from a file may contain. */
export const printError = (text: string): void => void process.stderr.write(`${harmlessLines(text)}\n`);

/** Writes messages of this program to standard error. */
export const printNotes = (notes: readonly string[]): void => {
  for (const note of notes) printError(`petstore-sim: ${note}`);
};

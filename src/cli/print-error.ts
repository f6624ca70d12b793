import { sanitizeLines } from '../values/sanitize-text.js';

/**
 * Prints lines to standard error. Replaces control characters, because names and values from a file may contain them.
 */
export const printError = (text: string): void => void process.stderr.write(`${sanitizeLines(text)}\n`);

/** Prints messages of this program to standard error. */
export const printNotes = (notes: readonly string[]): void => {
  for (const note of notes) printError(`petstore-sim: ${note}`);
};

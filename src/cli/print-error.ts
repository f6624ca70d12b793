import { sanitizeLines } from '../values/sanitize-text.js';

/**
 * Prints lines to standard error. Replaces control characters, because names and values from a file may contain them.
 */
export const printError = (text: string): void => void process.stderr.write(`${sanitizeLines(text)}\n`);

/** Prints a message of this program to standard error. */
export const printNote = (note: string): void => printError(`petstore-sim: ${note}`);

/** Prints messages of this program to standard error. */
export const printNotes = (notes: readonly string[]): void => notes.forEach(printNote);

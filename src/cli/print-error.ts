import { sanitizeLines } from '../values/sanitize-text.js';
import { styleError } from './terminal.js';

/**
 * Prints lines to standard error. Replaces control characters, because names and values from a file may contain them.
 */
export const printError = (text: string): void => void process.stderr.write(`${sanitizeLines(text)}\n`);

/**
 * Prints a message about a mistake, each line of which may start with a place in a file, like the message of a compiler.
 * On a terminal, the start is red.
 */
export function printMistake(message: string): void {
  const text = sanitizeLines(message).replace(/^(petstore-sim:|.*?:\d+:\d+:)/gm, (start) =>
    styleError('bold', styleError('red', start)),
  );
  process.stderr.write(`${text}\n`);
}

/** Prints a message of this program to standard error. */
export const printNote = (note: string): void => printError(`petstore-sim: ${note}`);

/** Prints messages of this program to standard error. */
export const printNotes = (notes: readonly string[]): void => notes.forEach(printNote);

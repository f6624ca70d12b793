import { sanitizeLines } from '../values/sanitize-text.js';
import { styleError, wrapForTerminal } from './terminal.js';

/**
 * Prints lines to standard error. Replaces control characters, because names and values from a file may contain them.
 */
export const printError = (text: string): void => void process.stderr.write(`${wrapLines(sanitizeLines(text))}\n`);

const wrapLines = (text: string) =>
  text
    .split('\n')
    .map((line) => wrapForTerminal(line, 2, process.stderr))
    .join('\n');

/**
 * Prints a message about a mistake, each line of which may start with a place in a file, like the message of a compiler.
 * On a terminal, the start is red.
 */
export function printMistake(message: string): void {
  const text = sanitizeLines(message).replace(/^(petstore-sim:|.*?:\d+:\d+:)/gm, (start) =>
    styleError('bold', styleError('red', start)),
  );
  process.stderr.write(`${wrapLines(text)}\n`);
}

/** Prints a message of this program to standard error. */
export const printNote = (note: string): void => printError(`petstore-sim: ${note}`);

/** Prints messages of this program to standard error. */
export const printNotes = (notes: readonly string[]): void => notes.forEach(printNote);

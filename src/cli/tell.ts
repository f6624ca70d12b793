import { harmlessLines } from '../values/harmless.js';

/** Writes lines to standard error. Names and values of a file in them may hold control characters, which are replaced. */
export const tell = (text: string): void => void process.stderr.write(`${harmlessLines(text)}\n`);

/** Writes messages of this program to standard error, such as what a recording lacks. */
export const tellNotes = (notes: readonly string[]): void => {
  for (const note of notes) tell(`petstore-sim: ${note}`);
};

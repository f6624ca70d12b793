import { stripVTControlCharacters, styleText } from 'node:util';
import type { Style } from '../judge/report/style.js';
import { wrap } from '../values/wrap.js';

/** Width of output that is not written to a terminal, in characters. */
const plainColumns = 80;
const minimumColumns = 60;
/** Maximum width of lists and sentences, in characters. Longer lines are hard to read. */
const maximumColumns = 110;

/** Width at which lists and sentences are wrapped, in characters: the width of the terminal, within limits. */
export const textColumns = ({ columns = plainColumns }: { columns?: number } = process.stdout): number =>
  Math.min(maximumColumns, Math.max(minimumColumns, columns));

/**
 * Formats rows of two columns. The second column is aligned, and its text is wrapped.
 * @param columns width of the output, in characters
 * @param width width of the first column, in characters; default: that of the longest text
 */
export const twoColumns = (
  rows: readonly (readonly [string, string])[],
  columns: number,
  width = Math.max(...rows.map(([first]) => first.length)),
): string[] =>
  rows.flatMap(([first, text]) =>
    wrap(text, columns - width - 4).map((line, index) => `  ${(index === 0 ? first : '').padEnd(width)}  ${line}`),
  );

/**
 * Wraps a line at the width of a terminal, words whole. Later lines are indented. A file or pipe gets the line as it is.
 * @param stream stream to which the line is written
 * @param ending end of each line but the last, such as ` \` in a command for a shell
 */
export function wrapForTerminal(
  line: string,
  indent: number,
  { columns }: { columns?: number | undefined } = process.stdout,
  ending = '',
): string {
  const lengthOf = (text: string) => stripVTControlCharacters(text).length;
  if (columns === undefined || columns < minimumColumns || lengthOf(line) <= columns) return line;
  const lines: string[] = [];
  let current = '';
  for (const [index, word] of line.split(' ').entries()) {
    const longer = index === 0 ? word : `${current} ${word}`;
    if (lengthOf(longer) <= columns - ending.length || current.trim() === '') current = longer;
    else {
      lines.push(current.trimEnd());
      current = word === '' ? '' : ' '.repeat(indent) + word;
    }
  }
  return [...lines, current].join(`${ending}\n`);
}

/** Styles text for standard error, if that is a terminal with colors. */
export const styleError: Style = (format, text) => styleText(format, text, { stream: process.stderr });

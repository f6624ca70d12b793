import { stripVTControlCharacters } from 'node:util';
import { sanitizeText } from '../values/sanitize-text.js';

/**
 * Lines around an error message that do not explain the error: stack frames, and lines without words. Node,
 * shells and package managers print such lines.
 */
const noise = /^(Node\.js v\d|npm (ERR!|error)|\s*at |[^\p{L}\p{N}]*$)/u;
/**
 * Start of an error message in most programming languages: `TypeError: ...`, `requests.exceptions.HTTPError: ...`,
 * `panic: ...`.
 */
const error = /^(Uncaught )?[\w.$]*(Error|Exception|panic|fatal|expected|assert\w*)\b/i;

const linesOf = (output: string) =>
  stripVTControlCharacters(output)
    .split('\n')
    .filter((line) => !noise.test(line))
    .map((line) => line.trim());

const bestOf = (lines: readonly string[]) => lines.findLast((line) => error.test(line)) ?? lines.at(-1) ?? '';

/**
 * Finds the line of a command's output that best explains a failure. Returns at most 100 characters, or an empty text
 * if no line does.
 */
export const lastError = (output: string): string => sanitizeText(bestOf(linesOf(output)).slice(0, 100));

/** Maximum number and length of the lines that a result quotes from a command's error output. */
const quotedLines = 3;
const quotedLength = 200;

/**
 * Returns the last lines of a command's error output, without stack frames. Includes the line that best explains the
 * failure, even if more lines follow it.
 */
export function lastErrorLines(errorOutput: string): string[] {
  const lines = linesOf(errorOutput);
  const last = lines.slice(-quotedLines);
  const best = bestOf(lines);
  const quoted = last.includes(best) ? last : [best, ...last.slice(1)];
  return quoted.map((line) => sanitizeText(line.slice(0, quotedLength)));
}

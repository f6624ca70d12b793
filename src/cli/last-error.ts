import { stripVTControlCharacters } from 'node:util';
import { sanitizeText } from '../values/sanitize-text.js';

/** Lines after an error message that do not explain the error. Node, shells and package managers print such lines. */
const noise = /^(Node\.js v\d|npm (ERR!|error)|\s*at |\s*$)/;
/**
 * Start of an error message in most programming languages: `TypeError: ...`, `requests.exceptions.HTTPError: ...`,
 * `panic: ...`.
 */
const error = /^(Uncaught )?[\w.$]*(Error|Exception|panic|fatal|expected|assert\w*)\b/i;

/**
 * Finds the line of a command's output that best explains a failure. Returns at most `length` characters, or an empty
 * text if no line does.
 */
export function lastError(output: string, length = 100): string {
  const lines = stripVTControlCharacters(output)
    .split('\n')
    .filter((line) => !noise.test(line));
  const best = (lines.findLast((line) => error.test(line.trim())) ?? lines.at(-1) ?? '').trim();
  return sanitizeText(best.slice(0, length));
}

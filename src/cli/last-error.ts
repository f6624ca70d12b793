import { stripVTControlCharacters } from 'node:util';
import { harmless } from '../values/harmless.js';

/** Output after an error that is not its cause: of Node, a shell or a package manager. */
const noise = /^(Node\.js v\d|npm (ERR!|error)|\s*at |\s*$)/;
/**
 * Start of an error message in most languages: `TypeError: ...`, `requests.exceptions.HTTPError: ...`, `panic: ...`.
 */
const error = /^(Uncaught )?[\w.$]*(Error|Exception|panic|fatal|expected|assert\w*)\b/i;

/** Line of a command's output that best explains a failure, at most `length` printable characters; empty for none. */
export function lastError(output: string, length = 100): string {
  const lines = stripVTControlCharacters(output)
    .split('\n')
    .filter((line) => !noise.test(line));
  const best = (lines.findLast((line) => error.test(line.trim())) ?? lines.at(-1) ?? '').trim();
  return harmless(best.slice(0, length));
}

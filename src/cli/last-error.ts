import { stripVTControlCharacters } from 'node:util';
import { harmless } from '../values/harmless.js';

/** What Node prints after an error that ended it, and what a shell or a package manager adds. */
const noise = /^(Node\.js v\d|npm (ERR!|error)|\s*at |\s*$)/;
/** What names an error in most languages: `TypeError: ...`, `requests.exceptions.HTTPError: ...`, `panic: ...`. */
const error = /^(Uncaught )?[\w.$]*(Error|Exception|panic|fatal|expected|assert\w*)\b/i;

/** The line of a command's output that says best why it failed, at most `length` printable characters; empty when there is none. */
export function lastError(output: string, length = 100): string {
  const lines = stripVTControlCharacters(output)
    .split('\n')
    .filter((line) => !noise.test(line));
  const best = (lines.findLast((line) => error.test(line.trim())) ?? lines.at(-1) ?? '').trim();
  return harmless(best.slice(0, length));
}

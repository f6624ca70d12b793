#!/usr/bin/env node
import { printMistake } from './print-error.js';
import { runCommandLine } from './run-command-line.js';

reportOutputErrors();
runCommandLine(process.argv.slice(2)).then((code) => {
  process.exitCode = code;
});

/**
 * Reports a failed write to standard output in one line instead of a stack trace, and changes exit code 0 to 1. Ignores
 * a pipe that its reader has closed, such as `head`.
 */
function reportOutputErrors(): void {
  let hasFailed = false;
  process.stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
    if (code === 'EPIPE' || hasFailed) return;
    hasFailed = true;
    printMistake(`petstore-sim: failed to write the output: ${message}`);
  });
  // Errors of writes to standard error are ignored, because they cannot be reported anywhere.
  process.stderr.on('error', () => {});
  process.on('exit', (code) => {
    if (hasFailed && code === 0) process.exitCode = 1;
  });
}

#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

reportOutputErrors();
// Node's own exit code after an error is 1, which means that a client failed.
process.on('uncaughtException', (error) => {
  console.error(error);
  process.exit(2);
});
const args = process.argv.slice(2);
// Loads nothing else for the version, which scripts ask often.
if (args.length === 1 && args[0] === '--version') {
  const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8'));
  process.stdout.write(`${version}\n`);
} else if (!hasFolder()) {
  process.exitCode = 2;
  import('./print-error.js').then(({ printMistake }) =>
    printMistake('petstore-sim: expected a working directory, got one that was removed; change to another folder'),
  );
} else {
  import('./run-command-line.js')
    .then(({ runCommandLine }) => runCommandLine(args))
    .then((code) => {
      process.exitCode = code;
    });
}

/** Whether the working directory exists. A shell can be in a folder that was removed meanwhile. */
function hasFolder(): boolean {
  try {
    process.cwd();
    return true;
  } catch {
    return false;
  }
}

/**
 * Reports a failed write to standard output in one line instead of a stack trace, and changes exit code 0 to 2. Ignores
 * a pipe that its reader has closed, such as `head`.
 */
function reportOutputErrors(): void {
  let hasFailed = false;
  process.stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
    if (code === 'EPIPE' || hasFailed) return;
    hasFailed = true;
    import('./print-error.js').then(({ printMistake }) =>
      printMistake(`petstore-sim: failed to write the output: ${message}`),
    );
  });
  // Errors of writes to standard error are ignored, because they cannot be reported anywhere.
  process.stderr.on('error', () => {});
  process.on('exit', (code) => {
    if (hasFailed && code === 0) process.exitCode = 2;
  });
}

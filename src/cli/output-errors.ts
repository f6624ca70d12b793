/**
 * Reports failed writes to standard output in one line instead of a stack, and changes exit code 0 to 1. Ignores a
 * closed pipe (`| head`).
 */
export function reportOutputErrors(): void {
  let hasFailed = false;
  process.stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
    if (code === 'EPIPE' || hasFailed) return;
    hasFailed = true;
    process.stderr.write(`petstore-sim: failed to write the output: ${message}\n`);
  });
  // Errors of standard error are ignored, because no output is left to report them.
  process.stderr.on('error', () => {});
  process.on('exit', (code) => {
    if (hasFailed && code === 0) process.exitCode = 1;
  });
}

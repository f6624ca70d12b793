/**
 * Reports output that cannot be written, in one line instead of a stack, and ends the process with 1 unless it has a
 * worse result. A reader that has seen enough (`| head`) is no error.
 */
export function reportOutputErrors(): void {
  let hasFailed = false;
  process.stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
    if (code === 'EPIPE' || hasFailed) return;
    hasFailed = true;
    process.stderr.write(`petstore-sim: failed to write the output: ${message}\n`);
  });
  // There is nowhere to report this.
  process.stderr.on('error', () => {});
  process.on('exit', (code) => {
    if (hasFailed && code === 0) process.exitCode = 1;
  });
}

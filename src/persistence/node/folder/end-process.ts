/** Writes a sentence to standard error, and exits with code 1. */
export function endProcess(sentence: string): void {
  process.stderr.write(`petstore-sim: ${sentence}\n`);
  process.exit(1);
}

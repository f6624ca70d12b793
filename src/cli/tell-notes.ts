/** Says what a recording lacks. */
export function tellNotes(notes: readonly string[]): void {
  for (const note of notes) process.stderr.write(`petstore-sim: ${note}\n`);
}

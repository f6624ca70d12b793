/** Mistake on the command line. The message contains what was expected and what was found. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Mistake on the command line. The message contains the expectation and the finding. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

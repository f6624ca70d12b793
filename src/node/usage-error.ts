/** The person at the command line made a mistake; the message says what was expected and what was found. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

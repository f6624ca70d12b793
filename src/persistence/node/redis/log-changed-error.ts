/**
 * Error if another server removed entries of the shared log in Redis, or replaced its snapshot, while this server read
 * the log. The caller must read the log again.
 */
export class LogChangedError extends Error {
  override readonly name = 'LogChangedError';
}

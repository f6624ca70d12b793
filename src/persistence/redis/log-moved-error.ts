/** What was being read of a log is not there any more: others have gone on. To be read again. */
export class LogMovedError extends Error {
  override readonly name = 'LogMovedError';
}

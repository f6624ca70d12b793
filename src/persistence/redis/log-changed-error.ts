/** The log was trimmed or replaced by others while this process read it; open the log again. */
export class LogChangedError extends Error {
  override readonly name = 'LogChangedError';
}

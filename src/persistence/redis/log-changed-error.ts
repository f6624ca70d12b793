/** Error if other replicas replaced or shortened the log while this server read it. Open the log again. */
export class LogChangedError extends Error {
  override readonly name = 'LogChangedError';
}

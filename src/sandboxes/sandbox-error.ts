/**
 * Error when a sandbox cannot be created: its name is `taken`, or the server has as many sandboxes as its limit allows
 * (`full`).
 */
export class SandboxError extends Error {
  override readonly name = 'SandboxError';
  constructor(
    readonly reason: 'taken' | 'full',
    message: string,
  ) {
    super(message);
  }
}

/**
 * Error of a request for a new sandbox. Reason `taken`: a sandbox has this name. Reason `full`: the server has the
 * maximum number of sandboxes.
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

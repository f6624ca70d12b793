/** A sandbox cannot be made: its name is `taken`, or there are as many as there may be (`full`). */
export class SandboxError extends Error {
  override readonly name = 'SandboxError';
  constructor(
    readonly reason: 'taken' | 'full',
    message: string,
  ) {
    super(message);
  }
}

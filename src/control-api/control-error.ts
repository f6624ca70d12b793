import { SandboxError } from '../sandboxes/sandbox-error.js';
import { ScenarioError } from '../scenario/scenario-error.js';
import { joinIssues } from '../validation/issue.js';

/** A control operation that cannot be done. In this process and over HTTP it has the same status, code and message. */
export class ControlError extends Error {
  override readonly name = 'ControlError';
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    /** After how many seconds it may work, where it is worth another try by itself. */
    readonly retryAfterSeconds?: number | undefined,
  ) {
    super(message);
  }
}

export const notFound = (message: string) => new ControlError(404, 'not_found', message);
export const invalid = (message: string) => new ControlError(400, 'invalid_request', message);
export const conflict = (message: string) => new ControlError(409, 'conflict', message);
export const tooMany = (message: string) => new ControlError(503, 'service_unavailable', message);
/** Cannot be done now, and soon may. */
export const unavailable = (message: string) => new ControlError(503, 'service_unavailable', message, 1);

/** A mistake of the caller as a ControlError. Any other error, which is a bug of the simulator, is returned as it is. */
export function toControlError(error: unknown): unknown {
  // A scenario is a field of its operation; a key and a fault rule are the input themselves.
  if (error instanceof ScenarioError)
    return invalid(joinIssues(error.issues, error.subject === 'scenario' ? 'scenario.' : ''));
  if (error instanceof SandboxError) return error.reason === 'taken' ? conflict(error.message) : tooMany(error.message);
  return error instanceof RangeError ? invalid(error.message) : error;
}

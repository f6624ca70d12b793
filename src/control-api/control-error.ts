import { SandboxError } from '../sandboxes/sandbox-error.js';
import { ScenarioError } from '../scenario/scenario-error.js';
import { joinIssues } from '../validation/issue.js';

/**
 * Error of a failed control operation. Calls in the same process and calls over HTTP fail with the same status, code
 * and message.
 */
export class ControlError extends Error {
  override readonly name = 'ControlError';
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    /** Time after which a retry may succeed, if the failure is temporary. */
    readonly retryAfterSeconds?: number | undefined,
  ) {
    super(message);
  }
}

export const notFound = (message: string) => new ControlError(404, 'not_found', message);
export const invalid = (message: string) => new ControlError(400, 'invalid_request', message);
export const conflict = (message: string) => new ControlError(409, 'conflict', message);
export const tooMany = (message: string) => new ControlError(503, 'service_unavailable', message);
/** Creates the error of a temporary failure, after which a retry may succeed. */
export const unavailable = (message: string) => new ControlError(503, 'service_unavailable', message, 1);

/**
 * Converts an error about a caller's input to a ControlError. Returns any other error unchanged, as a bug of the
 * simulator.
 */
export function toControlError(error: unknown): unknown {
  // Error paths get the prefix `scenario.` if the scenario is one field of the input.
  if (error instanceof ScenarioError)
    return invalid(joinIssues(error.issues, error.subject === 'scenario' ? 'scenario.' : ''));
  if (error instanceof SandboxError) return error.reason === 'taken' ? conflict(error.message) : tooMany(error.message);
  return error instanceof RangeError ? invalid(error.message) : error;
}

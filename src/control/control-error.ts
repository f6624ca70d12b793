import { ScenarioError } from '../scenario/scenario-error.js';

/** A control operation that cannot be done; the message says what was expected. The same through both doors. */
export class ControlError extends Error {
  override readonly name = 'ControlError';
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

export const notFound = (message: string) => new ControlError(404, 'not_found', message);
export const invalid = (message: string) => new ControlError(400, 'invalid_request', message);
export const conflict = (message: string) => new ControlError(409, 'conflict', message);
export const tooMany = (message: string) => new ControlError(503, 'service_unavailable', message);

/** What the caller did wrong, as a ControlError; a bug of the simulator stays what it is. */
export function toControlError(error: unknown): unknown {
  return error instanceof RangeError || error instanceof ScenarioError ? invalid(error.message) : error;
}

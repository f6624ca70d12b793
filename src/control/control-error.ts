import { ScenarioError } from '../scenario/scenario-error.js';
import type { Issue } from '../schema/issue.js';
import { maskedKey } from '../values/mask-key.js';

/** A control operation that cannot be done; the message says what was expected. The same through both adapters. */
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
  if (error instanceof ScenarioError) return invalid(formatIssues('scenario.', error.issues));
  return error instanceof RangeError ? invalid(error.message) : error;
}

/** A scenario may hold thousands of mistakes. */
const maximumIssues = 10;
const mostLength = 1_000;

/** Mistakes as one text. API keys among the names are shown as everywhere: only their ends. */
export function formatIssues(prefix: string, issues: readonly Issue[]): string {
  const lines = issues.slice(0, maximumIssues).map(({ path, steps, message }) => {
    const [field, key] = steps;
    const shown =
      field === 'keys' && typeof key === 'string' && key.length > 4 ? path.replace(key, () => maskedKey(key)) : path;
    return shown === '' ? message : `${prefix}${shown}: ${message}`;
  });
  const text = lines.join('; ');
  return text.length > mostLength ? `${text.slice(0, mostLength).toWellFormed()}…` : text;
}

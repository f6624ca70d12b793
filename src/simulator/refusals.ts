import type { ApiError } from '../requests/api-error.js';
import { errorOutcome, type Outcome } from '../requests/outcome.js';
import type { Settings } from '../scenario/settings.js';

/** Returns the outcome of a refusal. */
export type Refusals = (error: ApiError, settings: Settings) => Outcome;

/**
 * Reuses the last outcome for an equal refusal, so that the journal stores the text once. A client over a limit gets
 * the same text for a second.
 */
export function createRefusals(): Refusals {
  let message: string | undefined;
  let status: number | undefined;
  let settings: Settings | undefined;
  let last: Outcome | undefined;
  return (error, current) => {
    if (last === undefined || error.message !== message || error.status !== status || current !== settings) {
      ({ message, status } = error);
      settings = current;
      last = { ...errorOutcome(error, current), isRefusal: true, bodyKey: {} };
    }
    return last;
  };
}

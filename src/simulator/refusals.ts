import type { ApiError } from '../requests/api-error.js';
import { errorOutcome, type Outcome } from '../requests/outcome.js';
import type { Settings } from '../scenario/settings.js';

/** Returns the outcome (response status, headers and body) for a rate-limited or banned request. */
export type Refusals = (error: ApiError, settings: Settings) => Outcome;

/**
 * Creates a function that returns the response to a rejected request. Reuses the previous response if it is equal, so
 * that the journal stores the text once. Rejections within one second have the same text.
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
      last = { ...errorOutcome(error, current), isRefusal: true };
    }
    return last;
  };
}

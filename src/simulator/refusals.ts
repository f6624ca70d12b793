import type { Settings } from '../petstore/settings.js';
import type { ApiError } from '../requests/api-error.js';
import { errorOutcome, type Outcome } from '../requests/outcome.js';

/** Gives the outcome of a refusal. */
export type Refusals = (error: ApiError, settings: Settings) => Outcome;

/**
 * Keeps the last refusal while the next one says the same: a client that goes on over its limit gets one text for a second,
 * and the journal holds it once.
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

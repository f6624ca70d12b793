import * as timers from 'node:timers';
import type { Steps } from '../values/steps.js';

/** Maximum time for one long task before the server handles other requests. */
const maximumTurnMs = 8;

/**
 * Node's `setImmediate`, unaffected by fake timers and jsdom. Read at import, because sinon later replaces the function
 * in `node:timers` too.
 */
export const setImmediate = timers.setImmediate;

/** Starts a time slice for a long task, after which the server must handle other requests. */
export function startTimeSlice() {
  let endMs = performance.now() + maximumTurnMs;
  return {
    /** Whether the task must pause, so that the server can handle other requests. True after 8 ms. */
    isOver: () => performance.now() >= endMs,
    /** Waits for the next turn of the event loop. */
    async next(): Promise<void> {
      await new Promise((resolve) => setImmediate(resolve));
      endMs = performance.now() + maximumTurnMs;
    },
  };
}

/** Runs a task in steps. Handles other requests after each few milliseconds. */
export async function runInTurns<Result>(steps: Steps<Result>): Promise<Result> {
  const slice = startTimeSlice();
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    if (slice.isOver()) await slice.next();
  }
}

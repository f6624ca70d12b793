import * as timers from 'node:timers';
import type { Steps } from '../../values/steps.js';

/** Maximum time for one long task before the server handles other requests, in milliseconds. */
export const maximumTurnMs = 8;

/**
 * Node's `setImmediate`, unaffected by fake timers and jsdom. Read at import, because sinon later replaces the function
 * in `node:timers` too.
 */
export const setImmediate = timers.setImmediate;

/** Runs a task in steps. Handles other requests after each few milliseconds. */
export async function runInTurns<Result>(steps: Steps<Result>): Promise<Result> {
  let endMs = performance.now() + maximumTurnMs;
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    if (performance.now() < endMs) continue;
    await nextTurn();
    endMs = performance.now() + maximumTurnMs;
  }
}

/** Waits for the next turn of the event loop. */
export const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

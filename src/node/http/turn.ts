import * as timers from 'node:timers';
import type { Steps } from '../../values/steps.js';

/** Maximum time for one request before others are handled, in milliseconds. */
export const mostTurnMs = 8;

/**
 * Node's own `setImmediate`, independent of fake timers and of jsdom, which has none. Read once at import, because
 * sinon replaces the function in `node:timers` too.
 */
export const setImmediate = timers.setImmediate;

/** Runs steps, with pauses in which other requests are handled. */
export async function inTurns<Result>(steps: Steps<Result>): Promise<Result> {
  let endMs = performance.now() + mostTurnMs;
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    if (performance.now() < endMs) continue;
    await nextTurn();
    endMs = performance.now() + mostTurnMs;
  }
}

/** Waits for the next turn of the event loop. */
export const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

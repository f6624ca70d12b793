import * as timers from 'node:timers';
import type { Steps } from '../../values/steps.js';

/** So long one request may be worked on before others are served. */
export const mostTurnMs = 8;

/**
 * Node's own `setImmediate`, also under the fake timers of a test runner, and in jsdom, which has no global one. Taken once,
 * because sinon replaces that of `node:timers` as well.
 */
export const setImmediate = timers.setImmediate;

/** Works on a request in steps, with others served in between. */
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

/** Lets others be served. */
export const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

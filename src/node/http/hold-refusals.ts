import { setImmediate, setTimeout } from 'node:timers';

/** Requests that a client starts side by side arrive within this, and before an answer that was held as long. */
const holdMs = 20;

/**
 * Waits before a refusal is sent. What was on its way arrives meanwhile, so that what arrives later was sent by a client
 * that had read the refusal. Takes the timers of Node, not those that a test runner may have put in their place.
 */
export function holdRefusal(): Promise<number> {
  return new Promise((resolve) => {
    const startMs = performance.now();
    // Twice round the event loop: what a busy process has not read yet arrived before the answer all the same.
    const end = () => setImmediate(() => setImmediate(() => resolve(Math.max(1, performance.now() - startMs))));
    setTimeout(end, holdMs);
  });
}

import { setImmediate as turn } from 'node:timers/promises';

/**
 * Creates a function that lets the server handle other events, if it was busy for `maximumBusyMs` milliseconds since
 * the last time.
 */
export function createPauses(maximumBusyMs: number): () => Promise<void> | undefined {
  let pauseDueMs = performance.now() + maximumBusyMs;
  return () => {
    if (performance.now() < pauseDueMs) return undefined;
    return turn().then(() => {
      pauseDueMs = performance.now() + maximumBusyMs;
    });
  };
}

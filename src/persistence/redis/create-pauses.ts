import { setImmediate as turn } from 'node:timers/promises';

/**
 * Creates a function that lets the server handle other events, if it was busy for `turnMs` milliseconds since the last
 * time.
 */
export function createPauses(turnMs: number): () => Promise<void> | undefined {
  let turnEndsMs = performance.now() + turnMs;
  return () => {
    if (performance.now() < turnEndsMs) return undefined;
    return turn().then(() => {
      turnEndsMs = performance.now() + turnMs;
    });
  };
}

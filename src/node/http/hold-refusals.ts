// As they were when this was loaded: a test runner may put timers of its own in their place later, and never run them.
const { setImmediate, setTimeout } = globalThis;
const now = performance.now.bind(performance);

/** Requests that a client starts side by side arrive within this, and before an answer that was held as long. */
const holdMs = 20;

/**
 * Waits before a refusal is sent. What was on its way arrives meanwhile, so that what arrives later was sent by a client
 * that had read the refusal.
 */
export function holdRefusal(): Promise<number> {
  return new Promise((resolve) => {
    const startMs = now();
    // Twice round the event loop: what a busy process has not read yet arrived before the answer all the same.
    const end = () => setImmediate(() => setImmediate(() => resolve(Math.max(1, now() - startMs))));
    setTimeout(end, holdMs);
  });
}

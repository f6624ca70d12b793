import type { Answer } from '../../requests/api-call.js';
import { setImmediate } from './event-loop-turns.js';

const realSetTimeout = setTimeout;

/** Delay before a 429 is sent, in milliseconds. Requests that arrive during the delay count as parallel requests. */
const holdMs = 20;

/**
 * Calls `deliver` with a response. Delays a 429 by about 20 ms, so that requests which the client sends in parallel
 * arrive before the client can read the 429.
 */
export function deliverAfterDelay(answer: Answer, deliver: (answer: Answer) => void): void {
  const { sent } = answer;
  if (sent === undefined) deliver(answer);
  else
    void delayRefusal().then((heldMs) => {
      sent(heldMs);
      deliver(answer);
    });
}

/** Waits about 20 ms, or not at all under fake timers. Resolves with the wait in milliseconds. */
function delayRefusal(): Promise<number> {
  if (setTimeout !== realSetTimeout) return Promise.resolve(0);
  return new Promise((resolve) => {
    const startMs = performance.now();
    // Waits for two event-loop turns, in which a busy process reads the requests that have already arrived.
    const end = () => setImmediate(() => setImmediate(() => resolve(Math.max(1, performance.now() - startMs))));
    setTimeout(end, holdMs);
  });
}

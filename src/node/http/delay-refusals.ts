import type { Answer } from '../../requests/api-call.js';
import { setImmediate } from './event-loop-turns.js';

const realSetTimeout = setTimeout;

/**
 * Time for which the server holds back a 429, in milliseconds. Requests that the client sends in parallel arrive within
 * this time.
 */
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

/**
 * Waits 20 ms before a 429 is sent, and resolves with the actual wait in milliseconds. Requests that arrive meanwhile
 * were sent in parallel; later ones were sent after the client could read the 429. Does not wait under fake timers,
 * whose clock would advance.
 */
function delayRefusal(): Promise<number> {
  if (setTimeout !== realSetTimeout) return Promise.resolve(0);
  return new Promise((resolve) => {
    const startMs = performance.now();
    // Waits for two event-loop turns, in which a busy process reads the requests that have already arrived.
    const end = () => setImmediate(() => setImmediate(() => resolve(Math.max(1, performance.now() - startMs))));
    setTimeout(end, holdMs);
  });
}

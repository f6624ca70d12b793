import type { Answer } from '../requests/api-call.js';
import { setImmediate } from './event-loop-turns.js';

const realSetTimeout = setTimeout;

/**
 * Delay before a response that asks to wait, such as a 429, is sent. Requests that arrive during the delay count as
 * parallel requests.
 */
const holdMs = 20;

/**
 * Calls `deliver` with a response. If `answer.sent` is set, first delays the response, which asks to wait, such as a
 * 429, by about 20 ms. Requests that the client sends in parallel then arrive before the client can read the response.
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
 * Waits about 20 ms, or not at all under fake timers, whose clock would advance. Resolves with the wait in
 * milliseconds.
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

import type { Answer } from '../../requests/api-call.js';
import { setImmediate } from './turn.js';

const realSetTimeout = setTimeout;

/** Delay of a rejection, in milliseconds: parallel requests of a client arrive within this time. */
const holdMs = 20;

/** Delivers an answer; later if it is one that the adapter holds. */
export function whenSent(answer: Answer, deliver: (answer: Answer) => void): void {
  const { sent } = answer;
  if (sent === undefined) deliver(answer);
  else
    void holdRefusal().then((heldMs) => {
      sent(heldMs);
      deliver(answer);
    });
}

/**
 * Delays a rejection and resolves with the delay in milliseconds. A request that arrives later was sent after its
 * client had read the rejection. No delay under the fake timers of a test runner, whose clock would advance meanwhile.
 */
function holdRefusal(): Promise<number> {
  if (setTimeout !== realSetTimeout) return Promise.resolve(0);
  return new Promise((resolve) => {
    const startMs = performance.now();
    // Two turns of the event loop: requests that a busy process has not read yet arrived before the response.
    const end = () => setImmediate(() => setImmediate(() => resolve(Math.max(1, performance.now() - startMs))));
    setTimeout(end, holdMs);
  });
}

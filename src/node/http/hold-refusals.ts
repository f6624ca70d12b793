import type { Answer } from '../../requests/api-call.js';
import { setImmediate } from './turn.js';

const realSetTimeout = setTimeout;

/** Requests that a client starts side by side arrive within this, and before an answer that was held as long. */
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
 * Waits before a refusal is sent, and tells how many milliseconds. What was on its way arrives meanwhile, so that what arrives later was sent by a client
 * that had read the refusal. Not under the fake timers of a test runner: the client's time would run meanwhile.
 */
function holdRefusal(): Promise<number> {
  if (setTimeout !== realSetTimeout) return Promise.resolve(0);
  return new Promise((resolve) => {
    const startMs = performance.now();
    // Twice round the event loop: what a busy process has not read yet arrived before the answer all the same.
    const end = () => setImmediate(() => setImmediate(() => resolve(Math.max(1, performance.now() - startMs))));
    setTimeout(end, holdMs);
  });
}

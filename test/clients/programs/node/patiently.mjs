import { setTimeout as sleep } from 'node:timers/promises';
import { askedWaitMs, isWorthWaiting } from './asked-wait.mjs';

// doc: patiently
/** Makes a call again after each 429, four times at most; for a client that returns answers, or throws what has them. */
export async function patiently(send) {
  for (let attempt = 1; ; attempt++) {
    const [result, hasFailed] = await send().then(
      (answer) => [answer, false],
      (error) => [error, true],
    );
    const response = result?.response ?? result;
    if (attempt === 5 || !isWorthWaiting(response)) {
      if (hasFailed) throw result;
      return result;
    }
    await response.body?.cancel?.();
    await sleep(askedWaitMs(response.headers) + Math.random() * 100 * 2 ** attempt);
  }
}
// end

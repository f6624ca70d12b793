import { DelegateBackoff, ExponentialBackoff, handleAll, handleWhenResult, retry } from 'cockatiel';
import { askedWaitMs, isWorthWaiting } from './asked-wait.mjs';

const policy = retry(handleAll, { maxAttempts: 3, backoff: new ExponentialBackoff() });
/** It tries again what throws, so the one thing that a caller must add is to throw. */
export const byDefault = ({ url, ...init }) =>
  policy.execute(async () => {
    const response = await fetch(url, init);
    await response.arrayBuffer();
    if (!response.ok) throw new Error(`status ${response.status}`);
  });

// doc: set right
const patience = retry(handleWhenResult(isWorthWaiting), {
  maxAttempts: 4,
  backoff: new DelegateBackoff(({ result }) => askedWaitMs(result.value.headers)),
});
export const setRight = ({ url, ...init }) => patience.execute(() => fetch(url, init));
// end

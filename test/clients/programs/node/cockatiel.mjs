import { DelegateBackoff, ExponentialBackoff, handleAll, handleWhen, retry } from 'cockatiel';
import { fetchWhole } from './patiently.mjs';
import { retryDelayMs } from './retry-delay.mjs';

const policy = retry(handleAll, { maxAttempts: 3, backoff: new ExponentialBackoff() });
/** Throws for a response without success, because only errors are retried. */
export const byDefault = ({ url, ...init }) =>
  policy.execute(async () => {
    const response = await fetch(url, init);
    await response.arrayBuffer();
    if (!response.ok) throw new Error(`status ${response.status}`);
  });

// doc: set right
const patience = (method) =>
  retry(
    handleWhen(() => method === 'GET').orWhenResult(
      (response) => retryDelayMs(1, method, response) !== undefined,
    ),
    {
      maxAttempts: 4,
      backoff: new DelegateBackoff(({ attempt, result }) =>
        retryDelayMs(attempt, method, result.value),
      ),
    },
  );
export const setRight = ({ url, ...init }) =>
  patience(init.method).execute(() => fetchWhole(url, init));
// end

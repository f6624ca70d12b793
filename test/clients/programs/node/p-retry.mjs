import { setTimeout as sleep } from 'node:timers/promises';
import pRetry from 'p-retry';
import { askedWaitMs, isWorthWaiting } from './asked-wait.mjs';

/** It tries again what throws, so the one thing that a caller must add is to throw. */
export const byDefault = ({ url, signal, ...init }) =>
  pRetry(
    async () => {
      const response = await fetch(url, { ...init, signal });
      await response.arrayBuffer();
      if (!response.ok) throw new Error(`status ${response.status}`);
    },
    { signal },
  );

// doc: set right
const patientFetch = (url, init) =>
  pRetry(
    async () => {
      const response = await fetch(url, init);
      if (isWorthWaiting(response)) throw Object.assign(new Error('status 429'), { response });
      return response;
    },
    {
      retries: 4,
      minTimeout: 100,
      randomize: true,
      shouldRetry: async ({ error: { response } }) => {
        if (response) await sleep(askedWaitMs(response.headers));
        return response !== undefined;
      },
    },
  );
// end
export const setRight = ({ url, ...init }) => patientFetch(url, init);

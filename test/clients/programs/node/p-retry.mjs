import { setTimeout as sleep } from 'node:timers/promises';
import pRetry from 'p-retry';
import { fetchWhole } from './patiently.mjs';
import { retryDelayMs } from './retry-delay.mjs';

/** Throws for a response without success, because only errors are retried. */
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
const patientFetch = (url, { method = 'GET', ...init }) =>
  pRetry(
    async () => {
      const response = await fetchWhole(url, { ...init, method });
      if (!response.ok) throw Object.assign(new Error(`status ${response.status}`), { response });
      return response;
    },
    {
      retries: 4,
      minTimeout: 0,
      shouldRetry: async ({ error, attemptNumber }) => {
        const waitMs = retryDelayMs(attemptNumber, method, error.response);
        if (waitMs !== undefined) await sleep(waitMs);
        return waitMs !== undefined;
      },
    },
  );
// end
export const setRight = ({ url, ...init }) => patientFetch(url, init);

// doc: whole
//| import { setTimeout as sleep } from 'node:timers/promises';
//| import pRetry from 'p-retry';
//| import { fetchWhole, retryDelayMs } from './patience.mjs';
//|
//| <set right>
//|
//| const { PETSTORE_BASE_URL, PETSTORE_API_KEY } = process.env;
//| const url = `${PETSTORE_BASE_URL}/pets`;
//| const headers = { authorization: `Bearer ${PETSTORE_API_KEY}` };
//| await patientFetch(url, { headers });
// end

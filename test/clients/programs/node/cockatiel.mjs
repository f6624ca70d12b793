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
const patientFetch = (url, { method = 'GET', ...init }) =>
  patience(method).execute(() => fetchWhole(url, { ...init, method }));
// end
export const setRight = ({ url, ...init }) => patientFetch(url, init);

// doc: whole
//| import { DelegateBackoff, handleWhen, retry } from 'cockatiel';
//| import { fetchWhole, retryDelayMs } from './patience.mjs';
//|
//| <set right>
//|
//| const { PETSTORE_BASE_URL, PETSTORE_API_KEY } = process.env;
//| const url = `${PETSTORE_BASE_URL}/pets`;
//| const headers = { authorization: `Bearer ${PETSTORE_API_KEY}` };
//| const response = await patientFetch(url, { headers });
//| if (!response.ok) throw new Error(`the service answered ${response.status}`);
// end

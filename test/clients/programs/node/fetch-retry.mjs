import fetchRetry from 'fetch-retry';
import nodeFetch, { Response } from 'node-fetch';
import { retryDelayMs } from './retry-delay.mjs';

// Statuses as in its README; by default it repeats only broken connections.
const retryingFetch = fetchRetry(nodeFetch);
export const byDefault = ({ url, ...init }) =>
  retryingFetch(url, { ...init, retryOn: [429, 503] });

// doc: set right
/** With a time limit, and with the whole body: a response that breaks off is an error. */
async function fetchWhole(url, init) {
  const response = await nodeFetch(url, { signal: AbortSignal.timeout(30_000), ...init });
  return new Response(await response.buffer(), response);
}
const repeatingFetch = fetchRetry(fetchWhole);
const patientFetch = (url, { method = 'GET', ...init }) =>
  repeatingFetch(url, {
    ...init,
    method,
    retryOn: (attempt, _error, response) =>
      retryDelayMs(attempt + 1, method, response) !== undefined,
    retryDelay: (attempt, _error, response) => retryDelayMs(attempt + 1, method, response),
  });
// end
export const setRight = ({ url, ...init }) => patientFetch(url, init);

// doc: whole
//| import fetchRetry from 'fetch-retry';
//| import nodeFetch, { Response } from 'node-fetch';
//| import { retryDelayMs } from './patience.mjs';
//|
//| <set right>
//|
//| const { PETSTORE_BASE_URL, PETSTORE_API_KEY } = process.env;
//| const url = `${PETSTORE_BASE_URL}/pets`;
//| const headers = { authorization: `Bearer ${PETSTORE_API_KEY}` };
//| const response = await patientFetch(url, { headers });
//| if (!response.ok) throw new Error(`the service answered ${response.status}`);
// end

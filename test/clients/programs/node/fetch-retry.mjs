import fetchRetry from 'fetch-retry';
import nodeFetch from 'node-fetch';
import { askedWaitMs, isWorthWaiting } from './asked-wait.mjs';

// The statuses are those of its README; without them it repeats broken connections alone.
const retryingFetch = fetchRetry(nodeFetch);
export const byDefault = ({ url, ...init }) => retryingFetch(url, { ...init, retryOn: [429, 503] });

// doc: set right
const patientFetch = fetchRetry(nodeFetch, {
  retryOn: (attempt, _error, response) => attempt < 4 && isWorthWaiting(response),
  retryDelay: (_attempt, _error, response) => askedWaitMs(response.headers),
});
// end
export const setRight = ({ url, ...init }) => patientFetch(url, init);

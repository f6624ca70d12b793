import { setTimeout as sleep } from 'node:timers/promises';
import { request } from 'gaxios';
import { retryDelayMs } from './retry-delay.mjs';

export const byDefault = (call) => request({ ...call, retry: true });

// doc: set right
const delayOf = (attempt, { response, config }) => retryDelayMs(attempt, config.method, response);
const retryConfig = () => ({
  shouldRetry: (error) =>
    delayOf(error.config.retryConfig.currentRetryAttempt + 1, error) !== undefined,
  retryBackoff: (error) => sleep(delayOf(error.config.retryConfig.currentRetryAttempt, error)),
});
const patientRequest = (call) =>
  request({ timeout: 30_000, ...call, retryConfig: retryConfig() });
// end
export const setRight = patientRequest;

// doc: whole
//| import { setTimeout as sleep } from 'node:timers/promises';
//| import { request } from 'gaxios';
//| import { retryDelayMs } from './patience.mjs';
//|
//| <set right>
//|
//| const { PETSTORE_BASE_URL, PETSTORE_API_KEY } = process.env;
//| const url = `${PETSTORE_BASE_URL}/pets`;
//| const headers = { authorization: `Bearer ${PETSTORE_API_KEY}` };
//| await patientRequest({ url, headers });
// end

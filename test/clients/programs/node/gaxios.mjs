import { setTimeout as sleep } from 'node:timers/promises';
import { request } from 'gaxios';
import { askedWaitMs, isWorthWaiting } from './asked-wait.mjs';

export const byDefault = (call) => request({ ...call, retry: true });

// doc: set right
const retryConfig = () => ({
  shouldRetry: ({ response, config }) => isWorthWaiting(response) && config.retryConfig.currentRetryAttempt < 4,
  retryBackoff: ({ response }) => sleep(askedWaitMs(response.headers)),
});
export const setRight = (call) => request({ ...call, retryConfig: retryConfig() });
// end

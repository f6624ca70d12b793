import got from 'got';
import { retryDelayMs } from './retry-delay.mjs';

export const byDefault = ({ url, ...init }) => got(url, init);

// doc: set right
const patientGot = got.extend({
  timeout: { request: 30_000 },
  retry: {
    limit: 4,
    methods: ['GET', 'POST'],
    // A response without an error status broke off.
    calculateDelay: ({ attemptCount, error: { options, response } }) =>
      retryDelayMs(
        attemptCount,
        options.method,
        response?.statusCode >= 400 ? response : undefined,
      ) ?? 0,
  },
});
// end
export const setRight = ({ url, ...init }) => patientGot(url, init);

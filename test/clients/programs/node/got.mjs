import got from 'got';
import { askedWaitMs, longestWaitMs } from './asked-wait.mjs';

export const byDefault = ({ url, ...init }) => got(url, init);

// doc: set right
const patientGot = got.extend({
  retry: {
    limit: 4,
    methods: ['GET', 'POST'],
    statusCodes: [429],
    enforceRetryRules: true,
    calculateDelay: ({ error: { response } }) => {
      const waitMs = response?.statusCode === 429 ? askedWaitMs(response.headers) : 0;
      return waitMs > longestWaitMs ? 0 : waitMs;
    },
  },
});
// end
export const setRight = ({ url, ...init }) => patientGot(url, init);

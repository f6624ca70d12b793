import { setTimeout as sleep } from 'node:timers/promises';
import ky, { isHTTPError } from 'ky';
import { askedWaitMs, isWorthWaiting } from './asked-wait.mjs';

export const byDefault = ({ url, ...init }) => ky(url, init);

// doc: set right
const patientKy = ky.extend({
  retry: {
    limit: 4,
    methods: ['get', 'post'],
    // Its own reading of Retry-After waits for 24 days where that is no time; after `true` it adds a little.
    shouldRetry: async ({ error }) => {
      const isRefused = isHTTPError(error) && isWorthWaiting(error.response);
      if (isRefused) await sleep(askedWaitMs(error.response.headers));
      return isRefused;
    },
  },
});
// end
export const setRight = ({ url, ...init }) => patientKy(url, init);

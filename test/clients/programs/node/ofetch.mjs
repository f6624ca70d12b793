import { ofetch } from 'ofetch';
import { askedWaitMs, isWorthWaiting } from './asked-wait.mjs';

export const byDefault = ({ url, ...init }) => ofetch(url, init);

// doc: set right
const patientFetch = ofetch.create({
  retry: 4,
  retryStatusCodes: [429],
  retryDelay: ({ response }) => askedWaitMs(response.headers),
  onResponseError: ({ response, options }) => {
    if (!isWorthWaiting(response)) options.retry = false;
  },
});
// end
export const setRight = ({ url, ...init }) => patientFetch(url, init);

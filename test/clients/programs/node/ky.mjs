import ky, { isHTTPError } from 'ky';
import { isWorthWaiting } from './asked-wait.mjs';

export const byDefault = ({ url, ...init }) => ky(url, init);

// doc: set right
const patientKy = ky.extend({
  retry: {
    limit: 4,
    methods: ['get', 'post'],
    // `true` would skip Retry-After: only `undefined` goes on to read it.
    shouldRetry: ({ error }) => (isHTTPError(error) && isWorthWaiting(error.response) ? undefined : false),
  },
});
// end
export const setRight = ({ url, ...init }) => patientKy(url, init);

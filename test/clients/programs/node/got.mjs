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

// doc: whole
//| import got from 'got';
//| import { retryDelayMs } from './patience.mjs';
//|
//| <set right>
//|
//| const { PETSTORE_BASE_URL, PETSTORE_API_KEY } = process.env;
//| const url = `${PETSTORE_BASE_URL}/pets`;
//| const headers = { authorization: `Bearer ${PETSTORE_API_KEY}` };
//| await patientGot(url, { headers });
// end

import { Agent, RetryAgent, request } from 'undici';
import { retryDelayMs } from './retry-delay.mjs';

const sendWith =
  (dispatcher) =>
  async ({ url, ...init }) => {
    const response = await request(url, { ...init, dispatcher });
    await response.body.arrayBuffer();
    return response;
  };

export const byDefault = sendWith(new RetryAgent(new Agent()));

// doc: set right
const patientAgent = new RetryAgent(new Agent({ headersTimeout: 30_000, bodyTimeout: 30_000 }), {
  retry: (error, { state, opts }, callback) => {
    const waitMs = retryDelayMs(state.counter, opts.method, error.headers && error);
    if (waitMs === undefined) callback(error);
    else setTimeout(() => callback(null), waitMs);
  },
});
// end
export const setRight = sendWith(patientAgent);

// doc: whole
//| import { Agent, RetryAgent, request } from 'undici';
//| import { retryDelayMs } from './patience.mjs';
//|
//| <set right>
//|
//| const { PETSTORE_BASE_URL, PETSTORE_API_KEY } = process.env;
//| const url = `${PETSTORE_BASE_URL}/pets`;
//| const headers = { authorization: `Bearer ${PETSTORE_API_KEY}` };
//| const response = await request(url, { headers, dispatcher: patientAgent });
//| await response.body.dump();
//| if (response.statusCode >= 400) throw new Error(`the service answered ${response.statusCode}`);
// end

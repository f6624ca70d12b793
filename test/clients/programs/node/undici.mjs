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

import { Agent, RetryAgent, request } from 'undici';
import { askedWaitMs, longestWaitMs } from './asked-wait.mjs';

const sendWith =
  (dispatcher) =>
  async ({ url, ...init }) => {
    const response = await request(url, { ...init, dispatcher });
    await response.body.dump();
    return response;
  };

export const byDefault = sendWith(new RetryAgent(new Agent()));

// doc: set right
const patientAgent = new RetryAgent(new Agent(), {
  retry: (error, { state }, callback) => {
    const waitMs = error.statusCode === 429 ? askedWaitMs(error.headers) : Number.POSITIVE_INFINITY;
    if (waitMs > longestWaitMs || state.counter > 4) callback(error);
    else setTimeout(() => callback(null), waitMs);
  },
});
// end
export const setRight = sendWith(patientAgent);

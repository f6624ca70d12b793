import type { Answer } from '../adapters/api-call.js';
import { errorBody } from '../contract/api-error.js';
import { retryAfterHeader } from '../contract/document.js';
import type { Simulator } from '../simulator/simulator.js';

/** The answer to a request that could not be written down, so that nothing happened. It uses no quota and is in no journal. */
export const unavailableAnswer = ({ clock }: Simulator): Answer => ({
  status: 503,
  headers: {
    'Content-Type': 'application/json',
    Date: new Date(clock.now()).toUTCString(),
    [retryAfterHeader]: '1',
  },
  body: errorBody({
    status: 503,
    code: 'service_unavailable',
    message: 'The simulator cannot write its log now, so this request has changed nothing; retry in 1 second.',
  }),
  operation: undefined,
  key: undefined,
  plan: undefined,
  fault: undefined,
  wire: undefined,
});

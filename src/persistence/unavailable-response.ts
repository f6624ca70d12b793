import { retryAfterHeader } from '../rate-limits/header-names.js';
import type { Answer, ApiCall } from '../requests/api-call.js';
import { unavailableBody } from '../requests/api-error.js';
import { limitHeaders } from '../simulator/limit-headers.js';
import { coreOf, type Simulator } from '../simulator/simulator.js';

/**
 * Creates the 503 response to a request that the server could not write to its log. The request uses no quota and is
 * missing from the journal.
 */
export const unavailableResponse = (sim: Simulator, call: ApiCall): Answer => ({
  status: 503,
  headers: {
    'Content-Type': 'application/json',
    Date: new Date(sim.clock.now()).toUTCString(),
    ...limitHeaders(coreOf(sim).state, call, sim.clock.now()),
    [retryAfterHeader]: '1',
  },
  body: unavailableBody,
  operation: undefined,
  key: undefined,
  plan: undefined,
  fault: undefined,
  wire: undefined,
});

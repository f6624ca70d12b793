import { retryAfterHeader } from '../rate-limits/header-names.js';
import type { Answer, ApiCall } from '../requests/api-call.js';
import { unavailableBody } from '../requests/api-error.js';
import { limitHeaders } from '../simulator/limit-headers.js';
import { coreOf, type Simulator } from '../simulator/simulator.js';
import type { LogUnavailableError } from './log.js';

/**
 * Creates the 503 response to a request that the server could not write to its log. The request uses no quota and is
 * missing from the journal, unless the log stored the request after all.
 */
export const unavailableResponse = (
  sim: Simulator,
  { isUncertain }: LogUnavailableError,
  call: Pick<ApiCall, 'header'>,
): Answer => ({
  status: 503,
  headers: {
    'Content-Type': 'application/json',
    Date: new Date(sim.clock.now()).toUTCString(),
    ...limitHeaders(coreOf(sim).state, call.header('authorization'), sim.clock.now()),
    [retryAfterHeader]: '1',
  },
  body: unavailableBody(isUncertain),
  operation: undefined,
  key: undefined,
  plan: undefined,
  fault: undefined,
  wire: undefined,
});

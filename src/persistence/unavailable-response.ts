import { retryAfterHeader } from '../rate-limits/header-names.js';
import { addRateHeaders } from '../rate-limits/rate-report.js';
import type { Answer, ApiCall } from '../requests/api-call.js';
import { unavailableBody, unavailableMessage } from '../requests/api-error.js';
import type { Outcome } from '../requests/outcome.js';
import { rateOf } from '../simulator/limit-headers.js';
import { coreOf, type Simulator } from '../simulator/simulator.js';
import { inWords } from '../simulator/words.js';

/**
 * Creates the 503 response to a request that the server could not write to its log. The request uses no quota and is
 * missing from the journal.
 */
export function unavailableResponse(sim: Simulator, call: ApiCall): Answer {
  const { state } = coreOf(sim);
  const { words } = state.resolved;
  const nowMs = sim.clock.now();
  const rate = rateOf(state, call, nowMs);
  const outcome: Outcome = { status: 503, body: unavailableBody, error: { message: unavailableMessage } };
  const { body, headers: own = {} } =
    words === undefined ? outcome : inWords(words, outcome, { rate, banStatus: undefined, nowMs });
  const headers: Record<string, string> = {
    'Content-Type': 'application/json',
    Date: new Date(nowMs).toUTCString(),
  };
  if (rate !== undefined && words === undefined) addRateHeaders(headers, rate);
  for (const [name, value] of Object.entries(own)) if (value !== null) headers[name] = value;
  headers[retryAfterHeader] = '1';
  return {
    status: 503,
    headers,
    body,
    operation: undefined,
    key: undefined,
    plan: undefined,
    fault: undefined,
    wire: undefined,
  };
}

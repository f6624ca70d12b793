import { createSimulator } from '../../petstore/create-simulator.js';
import { basePath } from '../../petstore/document.js';
import { retryAfterHeader } from '../../rate-limits/header-names.js';
import type { Scenario } from '../../scenario/scenario-schema.js';
import type { Simulator } from '../../simulator/simulator.js';
import { type Exchange, isGivenUp, placeOf } from '../../traffic-files/exchange.js';
import { fromJsonBytes } from '../../values/json-bytes.js';

/** Result of replaying a recording against a simulator. */
export interface ReplayedRecording {
  /** Number of recorded responses that were compared with the simulator's. Requests without a response are omitted. */
  readonly compared: number;
  readonly same: number;
  /**
   * Number of the simulator's responses whose Retry-After differs from the recorded Retry-After by at most one second.
   */
  readonly sameWaits: number;
  readonly differing: readonly string[];
}

/**
 * Sends the requests of a recording to a simulator, at their recorded times in simulated time.
 * @throws {ScenarioError} for mistakes in the scenario
 */
export async function replayRecording(scenario: Scenario, exchanges: readonly Exchange[]): Promise<ReplayedRecording> {
  const startMs = exchanges[0]?.arrivedAtMs ?? 0;
  const sim = createSimulator({ scenario: { ...atOnce(scenario), clock: { start: startMs, mode: 'frozen' } } });
  const differing: string[] = [];
  let compared = 0;
  let sameWaits = 0;
  for (const exchange of exchanges) {
    if (exchange.arrivedAtMs > sim.clock.now()) sim.clock.set(Math.ceil(exchange.arrivedAtMs));
    // A fault that cuts the connection gives the client no response.
    const requestHeaders = {
      ...(exchange.requestBody && { 'content-type': 'application/json' }),
      ...exchange.requestHeaders,
    };
    const response = await sendAgain(sim, { ...exchange, requestHeaders }, exchange.token).catch(() => undefined);
    if (isGivenUp(exchange)) continue;
    compared++;
    const status = response?.status ?? 0;
    const retryAfter = response?.headers.get(retryAfterHeader);
    const recorded = exchange.headers[retryAfterHeader];
    if (retryAfter && recorded && Math.abs(Number(retryAfter) - Number(recorded)) <= 1) sameWaits++;
    if (status !== exchange.status) differing.push(`${placeOf(exchange)}: recorded ${exchange.status}, now ${status}`);
  }
  return { compared, same: compared - differing.length, sameWaits, differing };
}

/**
 * Copies a scenario without the waits of its fault rules, which would never end on a frozen clock. A response that hangs
 * is lost at once. The rules stay, because a request meets the first that matches.
 */
export const atOnce = ({ faults = [], ...scenario }: Scenario): Scenario => ({
  ...scenario,
  faults: faults.map(({ then: { hang, drip: _, ...then }, ...rule }) => ({
    ...rule,
    then: { ...then, ...(hang && { reset: true as const }), delay: 0 },
  })),
});

/** Recorded request headers, besides Authorization, that a response of a simulator depends on. */
const repeatedHeaders = ['content-type', 'origin'];

/**
 * Sends a recorded request to a simulator.
 * @param token API key to send; `undefined` to send no Authorization header
 */
export function sendAgain(
  sim: Simulator,
  { method, path, query, requestHeaders, requestBody }: Exchange,
  token: string | undefined,
): Promise<Response> {
  const repeated = Object.entries(requestHeaders).filter(([name]) => repeatedHeaders.includes(name));
  return sim.fetch(`http://petstore.test${basePath}${path}${query && `?${query}`}`, {
    method,
    headers: { ...Object.fromEntries(repeated), ...(token !== undefined && { authorization: `Bearer ${token}` }) },
    ...(requestBody && { body: fromJsonBytes(requestBody) as BodyInit }),
  });
}

import { basePath } from '../../contract/document.js';
import type { Scenario } from '../../scenario/scenario-schema.js';
import { createSimulator } from '../../simulator/simulator.js';
import { type Exchange, placeOf } from '../recording/exchange.js';

/** What came of sending a recording again: how many answers had the recorded status, and the first that had not. */
export interface Replayed {
  readonly same: number;
  readonly differing: readonly string[];
}

/**
 * Sends the requests of a recording again to a simulator with a scenario, each at its instant, in virtual time.
 * @throws {ScenarioError}
 */
export async function replayRecording(scenario: Scenario, exchanges: readonly Exchange[]): Promise<Replayed> {
  const startMs = exchanges[0]?.arrivedAtMs ?? 0;
  // On a clock that stands still a delay would never end, and it changes no status.
  const faults = (scenario.faults ?? []).flatMap(({ then: { delay: _, ...then }, ...rule }) =>
    Object.keys(then).length > 0 ? [{ ...rule, then }] : [],
  );
  const sim = createSimulator({ scenario: { ...scenario, faults, clock: { start: startMs, mode: 'frozen' } } });
  const differing: string[] = [];
  for (const exchange of exchanges) {
    if (exchange.arrivedAtMs > sim.clock.now()) sim.clock.set(Math.ceil(exchange.arrivedAtMs));
    const status = await statusOf(sim.fetch, exchange);
    if (status !== exchange.status) differing.push(`${placeOf(exchange)}: recorded ${exchange.status}, now ${status}`);
  }
  return { same: exchanges.length - differing.length, differing };
}

async function statusOf(send: typeof fetch, exchange: Exchange): Promise<number> {
  const { method, path, query, token, requestHeaders, requestBody } = exchange;
  try {
    const response = await send(`http://petstore.test${basePath}${path}${query && `?${query}`}`, {
      method,
      headers: {
        ...(requestBody && { 'content-type': 'application/json' }),
        ...requestHeaders,
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
      },
      ...(requestBody && { body: requestBody.slice() }),
    });
    return response.status;
  } catch {
    return 0;
  }
}

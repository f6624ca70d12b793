import { createSimulator } from '../../petstore/create-simulator.js';
import { documentedPlans } from '../../petstore/document.js';
import type { Scenario } from '../../scenario/scenario-schema.js';
import { type Exchange, readDate, relevantHeaders } from '../../traffic-files/exchange.js';
import type { Learner } from '../deduce/learner.js';
import { sendAgain } from '../deduce/replay-recording.js';

/**
 * API key that replaces the real API's key when the command `compare` sends recorded requests to a simulator. The
 * simulator must not receive the real key.
 */
const ownKey = 'petstore-sim-own-key';

/** Sends requests recorded from a real API to a simulator with the same pets, and returns the simulator's responses. */
export async function simulateResponses(
  scenario: Scenario,
  exchanges: readonly Exchange[],
  { facts, limits }: Learner,
): Promise<Exchange[]> {
  const startMs = instantOf(exchanges[0]);
  const plan = limits.planOf('own');
  const plans = { ...documentedPlans, ...scenario.plans };
  const name = plan !== undefined && Object.hasOwn(plans, plan.plan) ? plan.plan : 'free';
  const sim = createSimulator({
    scenario: {
      ...scenario,
      pets: facts.initialPets.map((pet) => ({
        ...pet,
        // Omits undocumented fields of pets, unless the simulator returns such fields (`unknownFields: echo`).
        extra: scenario.assumptions?.unknownFields === 'echo' ? pet.extra : undefined,
      })),
      categories: [...facts.categories],
      keys: { ...scenario.keys, [ownKey]: { plan: name } },
      clock: { start: startMs, mode: 'frozen' },
    },
  });
  const answers: Exchange[] = [];
  for (const exchange of exchanges) {
    const nowMs = instantOf(exchange);
    if (nowMs > sim.clock.now()) sim.clock.set(nowMs);
    const { token } = exchange;
    const response = await sendAgain(sim, exchange, token === 'own' ? ownKey : token);
    const headers = relevantHeaders(response.headers);
    const answer = {
      status: response.status,
      headers,
      responseBody: await response.text(),
      dateMs: readDate(headers, nowMs),
    };
    answers.push({ ...exchange, ...answer, arrivedAtMs: nowMs, answeredAtMs: nowMs, missing: [] });
  }
  return answers;
}

/**
 * Time of a recorded request, in Unix milliseconds: the `Date` header of its response, or without this header the
 * arrival time by the recording machine's clock.
 */
const instantOf = (exchange: Exchange | undefined) => exchange?.dateMs ?? exchange?.arrivedAtMs ?? 0;

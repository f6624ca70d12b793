import { createSimulator } from '../../petstore/create-simulator.js';
import { documentedPlans } from '../../petstore/document.js';
import { resolveScenario } from '../../petstore/scenario.js';
import { defaultSettings, type SettingId, type Settings } from '../../petstore/settings.js';
import { retryAfterHeader } from '../../rate-limits/header-names.js';
import type { Scenario } from '../../scenario/scenario-schema.js';
import { type Exchange, readDate, relevantHeaders } from '../../traffic-files/exchange.js';
import { pluralize } from '../../values/pluralize.js';
import { shownValue } from '../deduce/knowledge-costs.js';
import { contradictionTexts } from '../deduce/knowledge-lines.js';
import { Learner } from '../deduce/learner.js';
import { limitAssumptions } from '../deduce/limit-rules.js';
import { codeOf, isDecided, type Knowledge } from '../deduce/observation.js';
import { isRefusal } from '../deduce/observed-rate.js';
import { atOnce, sendAgain } from '../deduce/replay-recording.js';
import { calibratedName } from '../deduce/scenario-text.js';
import { hasFailed, isEvidence, unusableResponse } from '../deduce/unusable-response.js';
import { banNumbers, observeBans } from './compare-bans.js';
import { compareLimits, setText } from './compare-limits.js';
import type { ComparisonResult, ServiceDifference } from './difference.js';
import { responseDifferences } from './response-shape.js';

/** Result of the comparison of a scenario with a real service. */
export interface Comparison extends ComparisonResult {
  readonly outcome: 'same' | 'differs' | 'could not check';
  readonly reason: string;
  readonly requests: number;
}

/**
 * Names of the assumptions that `compare` does not check like all others. Bans and limits have separate functions.
 * The simulator in `compare` sends no CORS headers.
 */
const notCompared: readonly string[] = ['cors', 'enterpriseLimits', ...limitAssumptions, ...banNumbers];

/**
 * Compares a service's responses with the simulator's under a scenario, for the same requests.
 * @param exchanges exchanges with the service, in order
 * @param ended reason for an early end of the run
 * @throws {ScenarioError} for mistakes in the scenario
 */
export async function compare(
  scenario: Scenario,
  exchanges: readonly Exchange[],
  ended: string | undefined,
): Promise<Comparison> {
  const usable = exchanges.filter(isEvidence);
  const learner = new Learner(usable);
  // Removes the pets from the scenario, because generating them takes time and the comparison with the real API does
  // not need them.
  const { pets: _, ...withoutPets } = scenario;
  const resolved = resolveScenario(withoutPets);
  const rows = learner.knowledge().filter(({ about }) => !notCompared.includes(about));
  const isStated = (about: string) => states(scenario, about);
  const limits = compareLimits(scenario, resolved, usable, learner, isStated);
  const chosen = rows.flatMap((row) => (isStated(row.about) && choiceDifference(row, resolved.settings)) || []);
  const { drift, uncheckedParts } = await unexplained(withoutPets, resolved.settings, usable, learner);
  const contradicted = [
    ...rows
      .filter(({ state }) => state === 'contradicted')
      .map(({ about, evidence }) => contradiction(about, evidence.at(-1) ?? '')),
    ...contradictionTexts(learner)
      .filter((text) => !text.includes(`${retryAfterHeader} ends `))
      .map((text) => contradiction('document', text)),
  ];
  const differences = [...chosen, ...limits.differences, ...unique([...contradicted, ...drift])];
  const confirmed = rows.filter(
    (row) => isStated(row.about) && isDecided(row) && choiceDifference(row, resolved.settings) === undefined,
  );
  const isFound = ({ about }: Knowledge) => differences.some((difference) => difference.about === about);
  const unchecked = rows.filter((row) => (row.state === 'not asked' || !isStated(row.about)) && !isFound(row));
  return {
    ...conclude(differences, ended, exchanges),
    differences,
    confirmed: [...confirmed.map(({ about }) => about), ...limits.confirmed],
    unchecked: [...unchecked.map(({ about }) => about), ...limits.unchecked, ...uncheckedParts],
    requests: exchanges.length,
  };
}

/**
 * Whether a scenario states a value of an assumption. A scenario of `calibrate` states only what `calibrate` has
 * learned; any other scenario also states the default values.
 */
function states({ name, assumptions = {} }: Scenario, about: string): boolean {
  if (name !== calibratedName) return true;
  const code = codeOf(about);
  return code === undefined ? Object.hasOwn(assumptions, about) : Object.hasOwn(assumptions.errorCodes ?? {}, code);
}

/**
 * Decides the outcome of a comparison between a real API and the simulator: `same`, `differs` or `could not check`. An
 * API that failed, or is no Petstore, gets `could not check`.
 */
function conclude(
  differences: readonly ServiceDifference[],
  ended: string | undefined,
  exchanges: readonly Exchange[],
): Pick<Comparison, 'outcome' | 'reason'> {
  const requests = exchanges.length;
  const last = exchanges.at(-1);
  const failure = last && (unusableResponse(last) ?? (hasFailed(last) ? 'The service failed.' : undefined));
  const unchecked = (reason: string) => ({ outcome: 'could not check', reason }) as const;
  if (failure !== undefined) return unchecked(ended ?? failure);
  if (differences.length > 0) {
    const drift = differences.filter(({ kind }) => kind === 'drift').length;
    return {
      outcome: 'differs',
      reason: `${pluralize(differences.length, 'difference')}, ${drift} of them drift that no assumption explains.`,
    };
  }
  if (ended !== undefined) return unchecked(ended);
  if (requests === 0) return unchecked('No responses to compare.');
  const unanswered = exchanges.filter((exchange) => hasFailed(exchange) || !isEvidence(exchange)).length;
  if (unanswered > 0) {
    return unchecked(
      `${unanswered} of ${requests} requests got no response of the API: none at all, a 5xx or a rejected key.`,
    );
  }
  return { outcome: 'same', reason: `${pluralize(requests, 'request')} answered alike.` };
}

function choiceDifference(row: Knowledge, settings: Settings): ServiceDifference | undefined {
  if (!isDecided(row)) return undefined;
  const { about, state, value, left, evidence } = row;
  const code = codeOf(about);
  const own = code === undefined ? settings[about as SettingId] : (settings.errorCodes[code] ?? code);
  if ([value, ...left].some((each) => setText(each) === setText(own))) return undefined;
  return {
    kind: 'assumption',
    about,
    service: `${shownValue(value)}${state === 'likely' ? ' (likely)' : ''}`,
    simulator: shownValue(own),
    place: evidence.at(-1) ?? '',
  };
}

/**
 * Finds responses of the real API that differ from the simulator, although the simulator uses all settings learned from
 * the real API. Neither the API's documentation nor these settings explain the differences.
 */
async function unexplained(
  scenario: Scenario,
  chosen: Settings,
  exchanges: readonly Exchange[],
  learner: Learner,
): Promise<{ drift: ServiceDifference[]; uncheckedParts: string[] }> {
  const { limits: _, ban: __, ...rest } = scenario;
  const { enterpriseLimits: ___, ...assumptions } = { ...defaultSettings, ...chosen, ...learner.settings() };
  const local = await simulateResponses({ ...rest, assumptions } as Scenario, exchanges, learner);
  const [bans, localBans] = [observeBans(exchanges).banned, observeBans(local).banned];
  const pairs = exchanges.flatMap((exchange, index): [Exchange, Exchange][] => {
    const answer = local[index] as Exchange;
    // Skips the comparison of responses if only one of them, the real API's or the simulator's, is a 429 or a ban. The
    // difference may come from other clients that use the same API key of the real API.
    const isOther = isRefusal(exchange) !== isRefusal(answer) || bans.has(exchange) !== localBans.has(answer);
    return hasFailed(exchange) || isOther ? [] : [[exchange, answer]];
  });
  const drift = pairs.flatMap(([exchange, answer]) => responseDifferences(exchange, answer));
  const lacks = (status: number) => !pairs.some(([exchange]) => exchange.status === status);
  return { drift, uncheckedParts: [...(lacks(405) ? ['Allow'] : []), ...(lacks(401) ? ['WWW-Authenticate'] : [])] };
}

const contradiction = (about: string, text: string): ServiceDifference => ({
  kind: 'drift',
  about,
  service: text,
  simulator: 'no assumption explains it',
  place: /^#\d+[^:]*/.exec(text)?.[0] ?? '',
});

/**
 * Removes duplicate differences between the real API and the simulator. Also removes differences that follow from
 * different statuses, except contradictions that no setting explains.
 */
function unique(differences: readonly ServiceDifference[]): ServiceDifference[] {
  const others = new Set(differences.filter(({ about }) => about === 'status').map(({ place }) => place));
  const seen = new Set<string>();
  return differences.filter(({ about, service, simulator, place }) => {
    const name = JSON.stringify([about, service.replace(/^#\d+[^:]*/, ''), simulator]);
    const isConsequence = others.has(place) && about !== 'status' && simulator !== 'no assumption explains it';
    if (seen.has(name) || isConsequence) return false;
    seen.add(name);
    return true;
  });
}

/**
 * API key that replaces the real API's key when the command `compare` sends recorded requests to a simulator. The
 * simulator must not receive the real key.
 */
const ownKey = 'petstore-sim-own-key';

/** Sends requests recorded from a real API to a simulator with the same pets, and returns the simulator's responses. */
async function simulateResponses(
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
      ...atOnce(scenario),
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
    // A fault that cuts the connection gives the client no response, or a part of the body.
    const response = await sendAgain(sim, exchange, token === 'own' ? ownKey : token).catch(() => Response.error());
    const headers = relevantHeaders(response.headers);
    const answer = {
      status: response.status,
      headers,
      responseBody: await response.text().catch(() => ''),
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

import type { Settings } from '../../petstore/settings.js';
import { rateLimitHeaders, retryAfterHeader } from '../../rate-limits/header-names.js';
import type { ResolvedScenario } from '../../scenario/resolve-scenario.js';
import type { Scenario } from '../../scenario/scenario-schema.js';
import { type Exchange, placeOf } from '../../traffic-files/exchange.js';
import { shownValue } from '../deduce/knowledge-costs.js';
import type { Learner } from '../deduce/learner.js';
import { LimitHypotheses, limitsText, unseenLimit } from '../deduce/limit-hypotheses.js';
import { allLimitRules, type LimitAssumption, type LimitRules, limitAssumptions } from '../deduce/limit-rules.js';
import { isRefusal, type ObservedRate, rateOf, retryAfterEndMs } from '../deduce/observed-rate.js';
import { compareBans, observeBans } from './compare-bans.js';
import type { ComparisonResult, ServiceDifference } from './difference.js';

/** Response of the real API with its rate-limit headers as numbers. */
interface Sample extends ObservedRate {
  readonly exchange: Exchange;
}

const { remaining: remainingHeader, reset: resetHeader } = rateLimitHeaders;

/**
 * Changes of a recorded rate-limit header by one, up or down. `compare` confirms a header only if both changes would
 * contradict the scenario's rules.
 */
const headerDeviations = [
  { about: resetHeader, delta: 1, service: 'is one second later' },
  { about: resetHeader, delta: -1, service: 'is one second earlier' },
  { about: remainingHeader, delta: 1, service: 'has one more' },
  { about: remainingHeader, delta: -1, service: 'has one less' },
];

/**
 * Compares the rate-limit headers and 429 responses of a real API with the rate-limit settings of a scenario. A setting
 * counts as confirmed only if each of its other values would contradict the responses.
 */
export function compareLimits(
  scenario: Scenario,
  resolved: ResolvedScenario,
  exchanges: readonly Exchange[],
  learner: Learner,
  isStated: (about: string) => boolean,
): ComparisonResult {
  const { banned } = observeBans(exchanges);
  const ownExchanges = exchanges
    .filter((exchange) => exchange.token === 'own' && !banned.has(exchange))
    .slice(0, maximumResponses);
  const samples = ownExchanges.flatMap(sampleOf);
  const rules = compareRules(resolved, ownExchanges, samples, isStated);
  // Expects exact values of Retry-After and ban lengths only if the API certainly counts in whole seconds. Windows that
  // start at full minutes cannot prove this, because they always end at a whole second.
  const { algorithm, windowStart } = resolved.settings;
  const isAnchored = algorithm !== 'fixed-window' || (isStated('windowStart') && windowStart !== 'clock');
  const isExact = rules.confirmed.includes(resetHeader) && isStated('algorithm') && isAnchored;
  const parts = [
    comparePlan(scenario, resolved, samples),
    rules,
    compareRetryAfter(exchanges, isExact),
    compareBans(resolved.settings, exchanges, learner, isExact ? 0 : maximumRounding, isStated),
  ];
  return {
    differences: parts.flatMap(({ differences }) => differences),
    confirmed: parts.flatMap(({ confirmed }) => confirmed),
    unchecked: parts.flatMap(({ unchecked }) => unchecked),
  };
}

/**
 * Maximum number of responses in which the limits of the API and of the simulator are compared. Further responses are
 * ignored, because simulating each under several rate-limit rules takes time.
 */
const maximumResponses = 2_000;
/** Maximum difference in seconds, such as between Retry-After and the reset time, that counts as rounding. */
const maximumRounding = 2;

const nothing: ComparisonResult = { differences: [], confirmed: [], unchecked: [] };
const unchecked = (...about: string[]): ComparisonResult => ({ ...nothing, unchecked: about });
const confirmed = (about: string): ComparisonResult => ({ ...nothing, confirmed: [about] });
const different = (difference: ServiceDifference): ComparisonResult => ({ ...nothing, differences: [difference] });

function sampleOf(exchange: Exchange): Sample[] {
  const rate = rateOf(exchange);
  return rate === undefined ? [] : [{ exchange, ...rate }];
}

/**
 * Compares the real API's limits with the plan of the scenario's key `own-key` (the user's API key), or else with all
 * plans.
 */
function comparePlan(
  { keys, plans }: Scenario,
  resolved: ResolvedScenario,
  samples: readonly Sample[],
): ComparisonResult {
  const about = 'enterpriseLimits';
  const ownPlan = keys?.['own-key']?.plan;
  const expected = Object.entries(resolved.plans).filter(([name]) => ownPlan === undefined || name === ownPlan);
  const isMissing = ([, limits]: (typeof expected)[number], { limit }: Sample) =>
    !Object.values(limits).includes(limit);
  const fitting = expected.find((plan) => !samples.some((sample) => isMissing(plan, sample)));
  if (fitting !== undefined) {
    const [name, limits] = fitting;
    const different = new Set(Object.values(limits));
    const isSeen = [...different].every((limit) => samples.some((sample) => sample.limit === limit));
    const isClear = different.size === Object.keys(limits).length;
    return name === 'enterprise' && isClear && isSeen ? confirmed(about) : unchecked(about);
  }
  const hasUnseen = expected.some(([, limits]) => Object.values(limits).includes(unseenLimit));
  const isDocumented = ownPlan === undefined && plans?.enterprise === undefined;
  const [plan] = expected;
  const sample = plan && samples.find((each) => isMissing(plan, each));
  if (hasUnseen || isDocumented || plan === undefined || sample === undefined) return unchecked(about);
  const [name, limits] = plan;
  return different({
    kind: 'assumption',
    about: ownPlan === undefined || name === 'enterprise' ? about : `plans.${name}`,
    service: `has a limit of ${sample.limit}`,
    simulator: `has ${expected.length > 1 ? 'no plan with it' : limitsText(limits, ' and ')}`,
    place: placeOf(sample.exchange),
  });
}

/**
 * Checks whether the scenario's rate-limit rules explain the rate-limit headers and the 429 responses of the real API.
 */
function compareRules(
  { settings }: ResolvedScenario,
  ownExchanges: readonly Exchange[],
  samples: readonly Sample[],
  isStated: (about: string) => boolean,
): ComparisonResult {
  const all = [...limitAssumptions, resetHeader, remainingHeader];
  const stated = limitAssumptions.filter(isStated);
  const hasStated = (each: LimitRules, names: readonly LimitAssumption[]) =>
    names.every((about) => isSame(each, settings, about));
  const ofScenario = allLimitRules().filter((each) => hasStated(each, stated));
  const inSeconds = ofScenario.filter(({ rounding }) => rounding === 'seconds');
  if (inSeconds.length === 0 || samples.length === 0) return unchecked(...all);
  // Prefers rules that count time in whole seconds, as the simulator does, if they explain all responses of the real
  // API.
  const isExact = explains(inSeconds, ownExchanges);
  const isFraction = !isExact && explains(ofScenario, ownExchanges);
  const rules = isExact ? inSeconds : ofScenario;
  const every = isExact ? allLimitRules(['seconds']) : allLimitRules();
  const ofOtherChoices = stated.flatMap((about) => {
    // The possible values of the setting `windowStart` depend on the rate-limit algorithm.
    const rest = stated.filter((each) => each !== about && !(about === 'algorithm' && each === 'windowStart'));
    const others = every.filter((each) => !isSame(each, settings, about) && hasStated(each, rest));
    const fitting = simulate(others, ownExchanges).candidates.map((hypothesis) => hypothesis.rules);
    return fitting.length > 0 ? [{ about, fitting }] : [];
  });
  const fits = isExact || isFraction;
  // If the scenario's rules explain the responses even with a header changed by one, the header remains unconfirmed. If
  // the rules explain only the changed responses, the real API's header deviates by the opposite of the change.
  const fittingDeviations = headerDeviations.filter(({ about, delta }) => {
    const changed = ownExchanges.map((exchange) => shifted(exchange, about, fits ? delta : -delta));
    return explains(rules, changed);
  });
  const open = new Set<string>([...ofOtherChoices, ...fittingDeviations].map(({ about }) => about));
  // Reports X-RateLimit-Reset as unchecked if the real API counts fractions of a second. The header may then differ by
  // one second from the simulator's, because the simulator counts whole seconds.
  if (isFraction || stated.length === 0) open.add(resetHeader);
  if (fits || stated.length === 0) {
    const checkable = fits ? [...stated, resetHeader, remainingHeader] : [];
    return {
      ...nothing,
      confirmed: checkable.filter((about) => !open.has(about)),
      unchecked: all.filter((about) => open.has(about) || !checkable.includes(about)),
    };
  }
  const { unexplained } = simulate(rules, ownExchanges);
  const place = unexplained === undefined ? '' : placeOf(unexplained.exchange);
  const [choice] = ofOtherChoices;
  const [deviation] = fittingDeviations;
  const difference: ServiceDifference =
    open.size === 1 && choice !== undefined
      ? {
          kind: 'assumption',
          about: choice.about,
          service: [...new Set(choice.fitting.map((each) => shownValue(each.settings[choice.about])))].join(' or '),
          simulator: shownValue(settings[choice.about]),
          place,
        }
      : open.size === 1 && deviation !== undefined
        ? { kind: 'drift', about: deviation.about, service: deviation.service, simulator: 'counts otherwise', place }
        : {
            kind: 'drift',
            about: 'limits',
            service:
              open.size === 0
                ? 'counts in a way that no assumption describes'
                : `differs in one of ${[...open].join(', ')}`,
            simulator: `counts by ${settings.algorithm}`,
            place,
          };
  return { differences: [difference], confirmed: [], unchecked: all.filter((about) => about !== difference.about) };
}

/**
 * Whether the rules and the scenario have the same value of the setting `about`. `windowStart` matters only to fixed
 * windows.
 */
function isSame({ settings }: LimitRules, ownSettings: Settings, about: LimitAssumption): boolean {
  if (about === 'windowStart' && settings.algorithm !== 'fixed-window') return true;
  return setText(settings[about]) === setText(ownSettings[about]);
}

/** Converts a value to JSON text for comparison, with sorted list items. */
export const setText = (value: unknown) => JSON.stringify(Array.isArray(value) ? [...value].sort() : value);

/**
 * Excludes each possible rate-limit rule that contradicts a recorded response. Stops at the first response that no rule
 * explains.
 */
function simulate(rules: readonly LimitRules[], ownExchanges: readonly Exchange[]): LimitHypotheses {
  const hypotheses = new LimitHypotheses(rules);
  ownExchanges.some((exchange) => {
    hypotheses.add(exchange, false);
    return hypotheses.unexplained !== undefined;
  });
  return hypotheses;
}

const explains = (rules: readonly LimitRules[], ownExchanges: readonly Exchange[]) =>
  simulate(rules, ownExchanges).candidates.length > 0;

function shifted(exchange: Exchange, header: string, delta: number): Exchange {
  const rate = rateOf(exchange);
  // Does not change X-RateLimit-Remaining in a 429, because it is always 0 there.
  if (rate === undefined || (header === remainingHeader && isRefusal(exchange))) return exchange;
  const value = Math.max(0, Number(exchange.headers[header]) + delta);
  return { ...exchange, headers: { ...exchange.headers, [header]: String(value) } };
}

/**
 * Checks whether Retry-After and X-RateLimit-Reset state the same time in each 429 response of the real API, as in the
 * simulator. Reports a difference that rounding does not explain.
 */
function compareRetryAfter(exchanges: readonly Exchange[], isExact: boolean): ComparisonResult {
  const gaps = exchanges.flatMap((exchange): { exchange: Exchange; seconds: number }[] => {
    const rate = rateOf(exchange);
    const untilMs = retryAfterEndMs(exchange);
    if (!isRefusal(exchange) || untilMs === undefined || rate === undefined) return [];
    return [{ exchange, seconds: untilMs / 1000 - rate.reset }];
  });
  const about = retryAfterHeader;
  const [first] = gaps;
  if (first === undefined) return unchecked(about);
  if (isExact && gaps.every(({ seconds }) => seconds === 0)) return confirmed(about);
  const isConstant = gaps.every(({ seconds }) => seconds === first.seconds);
  const off =
    gaps.find(({ seconds }) => Math.abs(seconds) > maximumRounding) ??
    (isConstant && isExact && gaps.length >= minimumEqualGaps ? first : undefined);
  // A small difference between Retry-After and the reset time may come from rounding, so it is not reported.
  if (off === undefined) return unchecked(about);
  const { seconds } = off;
  return different({
    kind: 'drift',
    about,
    service: `ends ${Math.abs(seconds)} s ${seconds > 0 ? 'after' : 'before'} ${resetHeader}`,
    simulator: 'ends with it',
    place: placeOf(off.exchange),
  });
}

/**
 * Minimum number of 429 responses with the same difference between Retry-After and the reset time. Fewer could be a
 * coincidence, so the difference is not reported.
 */
const minimumEqualGaps = 3;

import type { Settings } from '../../petstore/settings.js';
import { rateLimitHeaders, retryAfterHeader } from '../../rate-limits/header-names.js';
import { windowSeconds } from '../../rate-limits/plan-limits.js';
import type { WindowName } from '../../requests/request-record.js';
import type { ResolvedScenario } from '../../scenario/resolve-scenario.js';
import type { Scenario } from '../../scenario/scenario-schema.js';
import { type Exchange, placeOf } from '../../traffic-files/exchange.js';
import { BanWatch } from '../deduce/ban-watch.js';
import { shownValue } from '../deduce/costs.js';
import { readExchange } from '../deduce/facts.js';
import type { Learner } from '../deduce/learner.js';
import { LimitHypotheses } from '../deduce/limit-hypotheses.js';
import {
  allLimitRules,
  isCounted,
  type LimitAssumption,
  type LimitRules,
  limitAssumptions,
} from '../deduce/limit-rules.js';
import { isRefusal, rateOf } from '../deduce/rate.js';
import { compareBans } from './compare-bans.js';
import type { Difference, Findings } from './difference.js';

/** A response with the numbers of its key's limits. Those of bans show no window and are left out. */
interface Sample {
  readonly exchange: Exchange;
  readonly limit: number;
  readonly remaining: number;
  readonly reset: number;
}

const { remaining: remainingHeader, reset: resetHeader } = rateLimitHeaders;
/** Limit that a calibrated scenario contains where none was seen. */
const unseenLimit = 1_000_000;

/** An error of one in a header, which the comparison must detect to call the header checked. */
interface Defect {
  readonly about: string;
  readonly service: string;
  readonly delta: 1 | -1;
}
const defects: readonly Defect[] = [
  { about: resetHeader, delta: 1, service: 'is one second later' },
  { about: resetHeader, delta: -1, service: 'is one second earlier' },
  { about: remainingHeader, delta: 1, service: 'has one more' },
  { about: remainingHeader, delta: -1, service: 'has one less' },
];

/**
 * Compares X-RateLimit-*, Retry-After and the order of refusals with the scenario's rules. A rule or a header counts as
 * confirmed only if every other value, and every error of one, would contradict the responses.
 */
export function compareLimits(
  scenario: Scenario,
  resolved: ResolvedScenario,
  exchanges: readonly Exchange[],
  learner: Learner,
  isStated: (about: string) => boolean,
): Findings {
  const bans = new BanWatch();
  const own = exchanges.filter((each) => {
    const { isBan } = bans.add(readExchange(each));
    return each.token === 'own' && !isBan;
  });
  own.splice(mostResponses);
  const samples = own.flatMap(sampleOf);
  const rules = compareRules(resolved, own, samples, isStated);
  // Windows that the clock starts end with a whole second also where the service counts fractions.
  const { algorithm, windowStart } = resolved.settings;
  const isAnchored = algorithm !== 'fixed-window' || (isStated('windowStart') && windowStart !== 'clock');
  const isExact = rules.confirmed.includes(resetHeader) && isStated('algorithm') && isAnchored;
  const parts = [
    comparePlan(scenario, resolved, samples),
    rules,
    compareRetryAfter(exchanges, isExact),
    compareBans(resolved.settings, exchanges, learner, isExact ? 0 : mostRounding, isStated),
  ];
  return {
    differences: parts.flatMap(({ differences }) => differences),
    confirmed: parts.flatMap(({ confirmed }) => confirmed),
    unchecked: parts.flatMap(({ unchecked }) => unchecked),
  };
}

/** Number of responses that are compared with the rules; each is tried on several. */
const mostResponses = 2_000;
/** Seconds by which rounding can make the difference of two instants wrong. */
const mostRounding = 2;

const nothing: Findings = { differences: [], confirmed: [], unchecked: [] };

function sampleOf(exchange: Exchange): Sample[] {
  const rate = rateOf(exchange);
  return rate === undefined ? [] : [{ exchange, ...rate }];
}

/** Compares the limits with those of the key's plan, or of any plan where the scenario does not name the own key's. */
function comparePlan({ keys, plans }: Scenario, resolved: ResolvedScenario, samples: readonly Sample[]): Findings {
  const about = 'enterpriseLimits';
  if (samples.length === 0) return { ...nothing, unchecked: [about] };
  const ownPlan = keys?.['own-key']?.plan;
  const all: Readonly<Record<string, Readonly<Record<WindowName, number>>>> = resolved.plans;
  const expected = Object.entries(all).filter(([name]) => ownPlan === undefined || name === ownPlan);
  const isMissing = ([, { minute, day }]: (typeof expected)[number], { limit }: Sample) =>
    limit !== minute && limit !== day;
  const fitting = expected.find((plan) => !samples.some((sample) => isMissing(plan, sample)));
  if (fitting !== undefined) {
    const isSet = ({ minute, day }: Readonly<Record<WindowName, number>>) =>
      [minute, day].every((limit) => samples.some((sample) => sample.limit === limit));
    const isTold = fitting[1].minute !== fitting[1].day;
    return fitting[0] === 'enterprise' && isTold && isSet(fitting[1])
      ? { ...nothing, confirmed: [about] }
      : { ...nothing, unchecked: [about] };
  }
  const hasUnseen = expected.some(([, { minute, day }]) => minute === unseenLimit || day === unseenLimit);
  if (hasUnseen || (ownPlan === undefined && plans?.enterprise === undefined))
    return { ...nothing, unchecked: [about] };
  const [plan] = expected;
  const sample = plan && samples.find((each) => isMissing(plan, each));
  if (plan === undefined || sample === undefined) return { ...nothing, unchecked: [about] };
  const [name, { minute, day }] = plan;
  const difference: Difference = {
    kind: 'assumption',
    about: ownPlan === undefined || name === 'enterprise' ? about : `plans.${name}`,
    service: `has a limit of ${sample.limit}`,
    simulator: `has ${expected.length > 1 ? 'no plan with it' : `${minute} a minute and ${day} a day`}`,
    place: placeOf(sample.exchange),
  };
  return { ...nothing, differences: [difference] };
}

/** Compares the counting with the scenario's rules. */
function compareRules(
  { settings, plans }: ResolvedScenario,
  own: readonly Exchange[],
  samples: readonly Sample[],
  isStated: (about: string) => boolean,
): Findings {
  const all = [...limitAssumptions, resetHeader, remainingHeader];
  const every = allLimitRules(['seconds']);
  const stated = limitAssumptions.filter(isStated);
  const rules = every.filter((each) => stated.every((about) => isSame(each, settings, about)));
  if (rules.length === 0 || samples.length === 0) return { ...nothing, unchecked: all };
  const ofOtherChoices = stated.flatMap((about) => {
    // Another algorithm may start its windows otherwise.
    const rest = stated.filter((each) => each !== about && !(about === 'algorithm' && each === 'windowStart'));
    const others = every.filter(
      (each) => !isSame(each, settings, about) && rest.every((name) => isSame(each, settings, name)),
    );
    const fitting = others.filter((each) => explains([each], own));
    return fitting.length > 0 ? [{ about, fitting }] : [];
  });
  const fits = explains(rules, own);
  // An error in the other direction takes the planted one away.
  const ofDefects = defects.filter(({ about, delta }) =>
    explains(
      rules,
      own.map((each) => shifted(each, about, fits ? delta : -delta)),
    ),
  );
  const checkable = [...stated, resetHeader, remainingHeader];
  const open = new Set<string>([...ofOtherChoices, ...ofDefects].map(({ about }) => about));
  if (fits) {
    return {
      ...nothing,
      confirmed: checkable.filter((about) => !open.has(about)),
      unchecked: all.filter((about) => open.has(about) || !checkable.includes(about)),
    };
  }
  const lengthsOf = (limit: number) => {
    const names = (['minute', 'day'] as const).filter((name) =>
      Object.values(plans).some((plan) => plan[name] === limit),
    );
    return (names.length > 0 ? names : (['minute', 'day'] as const)).map((name) => windowSeconds[name]);
  };
  const isRoughWithout = ({ about, delta }: Defect) => {
    const undone = samples.map(({ exchange }) => sampleOf(shifted(exchange, about, -delta)));
    return rules.some((each) => followsRoughly(undone.flat(), each.settings, lengthsOf));
  };
  // A service that counts fractions of a second cannot be told from one whose reset is a second off.
  const isFraction = rules.some((each) => followsRoughly(samples, each.settings, lengthsOf));
  if (isFraction || stated.length === 0) return { ...nothing, unchecked: all };
  const suspects = defects.filter((each) => ofDefects.includes(each) || isRoughWithout(each));
  for (const { about } of suspects) open.add(about);
  const broken = own[firstUnexplained(rules, own)];
  const place = broken === undefined ? '' : placeOf(broken);
  const [choice] = ofOtherChoices;
  const [defect] = suspects;
  const difference: Difference =
    open.size === 1 && choice !== undefined
      ? {
          kind: 'assumption',
          about: choice.about,
          service: [...new Set(choice.fitting.map((each) => shownValue(each.settings[choice.about])))].join(' or '),
          simulator: shownValue(settings[choice.about]),
          place,
        }
      : open.size === 1 && defect !== undefined
        ? { kind: 'drift', about: defect.about, service: defect.service, simulator: 'counts otherwise', place }
        : {
            kind: 'drift',
            about: 'limits',
            service: open.size === 0 ? 'counts as no assumption says' : `differs in one of ${[...open].join(', ')}`,
            simulator: `counts by ${settings.algorithm}`,
            place,
          };
  return { differences: [difference], confirmed: [], unchecked: all.filter((about) => about !== difference.about) };
}

/** Whether rules have a value of the scenario. A window that is not fixed has no start. */
function isSame({ settings }: LimitRules, own: Settings, about: LimitAssumption): boolean {
  if (about === 'windowStart' && settings.algorithm !== 'fixed-window') return true;
  return setText(settings[about]) === setText(own[about]);
}

const setText = (value: unknown) => JSON.stringify(Array.isArray(value) ? [...value].sort() : value);

/** Index of the first response that none of the rules gives without requests of other clients; -1 where one gives all. */
function firstUnexplained(rules: readonly LimitRules[], own: readonly Exchange[]): number {
  const hypotheses = new LimitHypotheses(rules);
  return own.findIndex((exchange) => {
    hypotheses.add(exchange, false);
    return hypotheses.broken !== undefined;
  });
}

const explains = (rules: readonly LimitRules[], own: readonly Exchange[]) => firstUnexplained(rules, own) === -1;

function shifted(exchange: Exchange, header: string, delta: number): Exchange {
  const rate = rateOf(exchange);
  // A refusal has nothing left, whatever is wrong with the count.
  if (rate === undefined || (header === remainingHeader && isRefusal(exchange))) return exchange;
  const value = Math.max(0, Number(exchange.headers[header]) + delta);
  return { ...exchange, headers: { ...exchange.headers, [header]: String(value) } };
}

/**
 * Whether the responses are those of the scenario's algorithm within a second or two, as those of a service with fractions
 * are. A lost request may count.
 */
function followsRoughly(
  samples: readonly Sample[],
  settings: Settings,
  lengthsOf: (limit: number) => readonly number[],
): boolean {
  const last = new Map<number, { sample: Sample; index: number }>();
  const counts = samples.map(({ exchange }) => isCounted(settings, exchange.operation) && !isRefusal(exchange));
  const seconds = samples.map(({ exchange }) => Math.floor((exchange.dateMs ?? exchange.arrivedAtMs) / 1000));
  return samples.every((sample, index) => {
    const before = last.get(sample.limit);
    last.set(sample.limit, { sample, index });
    return lengthsOf(sample.limit).some((length) => isRoughly(sample, length, index, before));
  });

  function isRoughly(
    { exchange, limit, remaining, reset }: Sample,
    length: number,
    index: number,
    before: { sample: Sample; index: number } | undefined,
  ): boolean {
    const now = seconds[index] ?? 0;
    const wait = reset - now;
    if (wait < -1 || remaining > limit) return false;
    const sent = counts.slice((before?.index ?? index) + 1, index + 1).filter(Boolean).length;
    const fell = (before?.sample.remaining ?? remaining) - remaining;
    const isServed = !isRefusal(exchange) && settings.rejectedCounts === 'none';
    if (settings.algorithm === 'token-bucket') {
      const refilled = ((now - (seconds[before?.index ?? index] ?? now) + 2) * limit) / length + 1;
      const isLevel = before === undefined || !isServed || (fell <= sent && fell >= sent - refilled);
      // A bucket that rejected requests empty further takes longer to have a token.
      const isDeep = isRefusal(exchange) && settings.rejectedCounts === 'all';
      return (isDeep || wait <= Math.ceil(length / limit) + 2) && isLevel;
    }
    if (wait > length + 2 || (counts[index] && remaining === limit)) return false;
    if (settings.algorithm === 'sliding-log') {
      const own = seconds.filter((second, at) => at <= index && counts[at] && second > now - length + 2);
      const isOldest = own[0] === undefined || reset <= own[0] + length + 2;
      return remaining <= limit - Math.min(limit, own.length) && isOldest;
    }
    if (settings.windowStart === 'clock' && reset % length !== 0) return false;
    if (before === undefined || remaining === limit || before.sample.remaining === limit) return true;
    if (reset === before.sample.reset) return isServed ? fell === sent : fell >= 0;
    const isOver = before.sample.reset <= now + 1;
    // Other responses may have begun the window without showing it.
    const isFirst = before.index === index - 1 && isServed && settings.windowStart !== 'clock';
    return isOver && (!isFirst || Math.abs(wait - length) <= 2);
  }
}

/** Compares the wait that refusals name with their reset. */
function compareRetryAfter(exchanges: readonly Exchange[], isExact: boolean): Findings {
  const gaps = exchanges.flatMap((exchange): { exchange: Exchange; seconds: number }[] => {
    const text = exchange.headers[retryAfterHeader];
    const rate = rateOf(exchange);
    if (!isRefusal(exchange) || text === undefined || rate === undefined) return [];
    const nowSeconds = (exchange.dateMs ?? Number.NaN) / 1000;
    const until = /^\d+$/.test(text) ? nowSeconds + Number(text) : Date.parse(text) / 1000;
    return Number.isNaN(until) ? [] : [{ exchange, seconds: until - rate.reset }];
  });
  const about = retryAfterHeader;
  const [first] = gaps;
  if (first === undefined) return { ...nothing, unchecked: [about] };
  if (isExact && gaps.every(({ seconds }) => seconds === 0)) return { ...nothing, confirmed: [about] };
  const isConstant = gaps.every(({ seconds }) => seconds === first.seconds);
  const off =
    gaps.find(({ seconds }) => Math.abs(seconds) > mostRounding) ??
    (isConstant && isExact && gaps.length >= surelyConstant ? first : undefined);
  // One second is rounding where the service counts fractions.
  if (off === undefined) return { ...nothing, unchecked: [about] };
  const { seconds } = off;
  const difference: Difference = {
    kind: 'drift',
    about,
    service: `ends ${Math.abs(seconds)} s ${seconds > 0 ? 'after' : 'before'} ${resetHeader}`,
    simulator: 'ends with it',
    place: placeOf(off.exchange),
  };
  return { ...nothing, differences: [difference] };
}

/** Number of refusals whose equal gaps are no chance of rounding. */
const surelyConstant = 3;

import { documentedPlans } from '../../petstore/document.js';
import { limitsApplyTo } from '../../rate-limits/admission.js';
import { windowSeconds } from '../../rate-limits/plan-limits.js';
import type { LimitRules } from './limit-rules.js';
import type { ObservedRate } from './observed-rate.js';
import {
  resolutionMs,
  simulatedWindow,
  type TimeRange,
  type WindowObservation,
  type WindowSize,
  type WindowState,
} from './simulated-window.js';

/** Operation, refusal and X-RateLimit headers of a response, from which the state of an API key is deduced. */
export interface ObservedResponse {
  readonly operation: string | undefined;
  readonly isRefused: boolean;
  readonly rate: ObservedRate;
}

/**
 * Possible state of a real API's key under certain rate-limit rules: its plan, and its limits and windows as far as
 * responses show them.
 */
export interface SimulatedKey {
  readonly plan: string;
  /**
   * Limits of the key's plan per window (minute and day). A limit is absent if neither the API's documentation nor a
   * response shows the limit.
   */
  readonly limits: Readonly<Partial<Record<LearnedWindow, number>>>;
  readonly windows: Readonly<Partial<Record<LearnedWindow, WindowState>>>;
}

/** Window whose limit is learned. Services with other windows are not learned: the search doubles with each window. */
export type LearnedWindow = keyof typeof windowSeconds;

const windowNames = ['minute', 'day'] as const;
const otherName = { minute: 'day', day: 'minute' } as const;

/**
 * Assumed states of a real API's key before its first response: one per documented plan, and one without known limits
 * for the plan Enterprise.
 */
export const newKeys: readonly SimulatedKey[] = [
  ...Object.entries(documentedPlans).map(([plan, limits]) => ({ plan, limits, windows: {} })),
  { plan: 'enterprise', limits: {}, windows: {} },
];

const sizeOf = (name: LearnedWindow, limit: number): WindowSize => ({ limit, length: windowSeconds[name] * 1000 });

/**
 * Returns one rate-limit window of an API key: its name (minute or day), state and size (limit and length). Returns
 * `undefined` if no response has shown the limit or the use of this window.
 */
function windowOf({ windows, limits }: Pick<SimulatedKey, 'windows' | 'limits'>, name: LearnedWindow) {
  const [state, limit] = [windows[name], limits[name]];
  return state === undefined || limit === undefined ? undefined : { name, state, size: sizeOf(name, limit) };
}

const windowsOf = (key: SimulatedKey) => windowNames.flatMap((name) => windowOf(key, name) ?? []);

/**
 * Converts a reset header, in Unix seconds, to the range of possible reset times before rounding, in milliseconds. The
 * reset of a token bucket is always rounded up, as in the simulator.
 */
function endOf(reset: number, { rounding, settings: { algorithm } }: LimitRules): TimeRange {
  const ms = reset * 1000;
  if (rounding === 'down') return [ms, ms + 1000 - resolutionMs];
  return rounding === 'up' || algorithm === 'token-bucket' ? [ms - 1000 + resolutionMs, ms] : [ms, ms];
}

/**
 * Converts a request's possible arrival times to the possible times with which the API counts, in milliseconds. Rounds
 * down to a second if the rate-limit rules count in whole seconds.
 */
const countedAt = ([minimum, maximum]: TimeRange, { rounding }: LimitRules): TimeRange =>
  rounding === 'seconds' ? [Math.floor(minimum / 1000) * 1000, Math.floor(maximum / 1000) * 1000] : [minimum, maximum];

/**
 * Returns the states that an API key can have after a response. An empty list means that the rate-limit rules cannot
 * explain the response.
 */
export function statesAfterResponse(
  key: SimulatedKey,
  rules: LimitRules,
  arrival: TimeRange,
  observed: ObservedResponse,
): SimulatedKey[] {
  const { settings } = rules;
  const isLimited = limitsApplyTo(settings, observed.operation);
  if (observed.isRefused && (!isLimited || observed.rate.remaining > 0)) return [];
  const reported = windowNames.filter((name) => name === settings.reportedWindow);
  const names = observed.isRefused || reported.length === 0 ? windowNames : reported;
  return names.flatMap((name) => explainBy(name, key, rules, countedAt(arrival, rules), observed, isLimited));
}

/**
 * Lists the possible effects of a request on an API key's minute and day windows. A refused request has several
 * possible effects, because its response describes only one window.
 */
function treatments(
  { rejectedCounts }: LimitRules['settings'],
  isLimited: boolean,
  isRefused: boolean,
): (readonly [shown: WindowObservation, other: WindowObservation])[] {
  if (!isLimited || !isRefused) {
    const both = { wasUsedUp: isLimited ? false : undefined, isCharged: isLimited };
    return [[both, both]];
  }
  const [countsAll, countsOther] = [rejectedCounts === 'all', rejectedCounts !== 'none'];
  const usedUp = { wasUsedUp: true, isCharged: countsAll };
  const other = { wasUsedUp: false, isCharged: countsOther };
  // A refused request may count in, and use up, the minute or day window that did not cause the refusal. The response
  // shows the window that resets later, which may be either.
  return [[usedUp, usedUp], [usedUp, other], ...(countsOther ? [[other, usedUp] as const] : [])];
}

function explainBy(
  name: LearnedWindow,
  key: SimulatedKey,
  rules: LimitRules,
  countedAtRange: TimeRange,
  { isRefused, rate }: ObservedResponse,
  isLimited: boolean,
): SimulatedKey[] {
  const limits = withLimit(key.limits, name, rate.limit);
  if (limits === undefined) return [];
  const { settings } = rules;
  const window = simulatedWindow(settings);
  const size = sizeOf(name, rate.limit);
  const shown = { remaining: rate.remaining, end: endOf(rate.reset, rules) };
  const other = otherName[name];
  const before = key.windows[name];
  const otherWindow = windowOf({ windows: key.windows, limits }, other);
  const isLeast = isRefused || settings.reportedWindow === 'least-remaining';
  return treatments(settings, isLimited, isRefused).flatMap(([own, ofOther]) => {
    const sight = { ...own, shown };
    const states =
      before === undefined
        ? window.first(size, countedAtRange, sight)
        : window.next(size, before, countedAtRange, sight);
    if (otherWindow === undefined) {
      // If the headers show the window (minute or day) with fewer remaining requests, this number cannot exceed the
      // other window's limit. An unknown minute limit is less than the day limit.
      const maximumLimit = limits[other] ?? (other === 'minute' ? rate.limit - 1 : Number.POSITIVE_INFINITY);
      const maximumLeft = maximumLimit - (ofOther.isCharged ? 1 : 0);
      if (isLeast && rate.remaining > maximumLeft) return [];
      return states.map((state) => ({ ...key, limits, windows: { [name]: state } }));
    }
    const otherStates = window.next(otherWindow.size, otherWindow.state, countedAtRange, ofOther).filter((state) => {
      const { remaining, end } = window.predict(otherWindow.size, state, countedAtRange);
      const resetsFirst = remaining[1] === rate.remaining && end[0] <= shown.end[1];
      return !isLeast || remaining[1] > rate.remaining || resetsFirst;
    });
    return states.flatMap((state) =>
      otherStates.map((otherState) => ({ ...key, limits, windows: { [name]: state, [other]: otherState } })),
    );
  });
}

/**
 * Adds a response's limit to the known limits of an API key. Returns `undefined` if the limit contradicts a known
 * limit.
 */
function withLimit(
  limits: SimulatedKey['limits'],
  name: LearnedWindow,
  limit: number,
): SimulatedKey['limits'] | undefined {
  const known = limits[name];
  if (known !== undefined) return known === limit ? limits : undefined;
  const all = { ...limits, [name]: limit };
  return all.minute !== undefined && all.day !== undefined && all.day <= all.minute ? undefined : all;
}

/**
 * Returns the states that an API key can have after a request whose response is lost or shows no limits. The request
 * may or may not have been counted.
 */
export function mayCount(
  key: SimulatedKey,
  rules: LimitRules,
  arrival: TimeRange,
  operation: string | undefined,
): SimulatedKey[] {
  if (!limitsApplyTo(rules.settings, operation)) return [key];
  const countedAtRange = countedAt(arrival, rules);
  const window = simulatedWindow(rules.settings);
  const count = (before: SimulatedKey, name: LearnedWindow): SimulatedKey[] => {
    const known = windowOf(before, name);
    if (known === undefined) return [before];
    return window
      .next(known.size, known.state, countedAtRange, { isCharged: true })
      .map((after) => ({ ...before, windows: { ...before.windows, [name]: after } }));
  };
  // Adds the states of the API key in which only one of its windows (minute or day) has counted the request. These
  // states are possible if the API counts a rejected request only in the window that is not used up.
  const [minute, day] = [count(key, 'minute'), count(key, 'day')];
  const single = rules.settings.rejectedCounts === 'other-windows' ? [...minute, ...day] : [];
  return [key, ...single, ...minute.flatMap((each) => count(each, 'day'))];
}

/**
 * Whether one of the key's rate-limit windows certainly has no requests left, because even the largest possible
 * remaining number is 0.
 */
export function isUsedUp(key: SimulatedKey, rules: LimitRules, arrival: TimeRange): boolean {
  const window = simulatedWindow(rules.settings);
  return windowsOf(key).some(
    ({ size, state }) => window.predict(size, state, countedAt(arrival, rules)).remaining[1] === 0,
  );
}

const middle = ([minimum, maximum]: TimeRange): TimeRange => {
  const instant = Number.isFinite(minimum) ? (minimum + maximum) / 2 : maximum;
  return [instant, instant];
};

/** Replaces each uncertain time (a range) of a simulated API key by the middle of the range. */
export function withExactTimes(key: SimulatedKey): SimulatedKey {
  const windows = Object.entries(key.windows).map(([name, { used, end, hits }]) => [
    name,
    {
      used,
      end: end && middle(end),
      hits: hits.map(([minimum, maximum, requests]) => [...middle([minimum, maximum]), requests]),
    },
  ]);
  return { ...key, windows: Object.fromEntries(windows) };
}

/**
 * Predicts the real API's response to a request under certain rate-limit rules, and the key's state afterwards. Every
 * time in `key` must be exact instead of a range, as `withExactTimes` makes it.
 */
export function predict(
  key: SimulatedKey,
  rules: LimitRules,
  atMs: number,
  operation: string | undefined,
): { readonly key: SimulatedKey; readonly isRefused: boolean; readonly rate: ObservedRate } {
  const { settings, rounding } = rules;
  const countedAtRange = countedAt([atMs, atMs], rules);
  const window = simulatedWindow(settings);
  const known = windowsOf(key);
  const isLimited = limitsApplyTo(settings, operation);
  const isLeft = new Map(
    known.map(({ name, state, size }) => [name, window.predict(size, state, countedAtRange).remaining[1] > 0]),
  );
  const isRefused = isLimited && [...isLeft.values()].includes(false);
  const after = known.map(({ name, state, size }) => {
    const isCharged = isRefused
      ? settings.rejectedCounts === 'all' || (settings.rejectedCounts === 'other-windows' && isLeft.get(name) === true)
      : isLimited;
    const [next = state] = window.next(size, state, countedAtRange, { isCharged });
    const { remaining, end } = window.predict(size, next, countedAtRange);
    return { name, state: next, size, remaining: remaining[1], end };
  });
  const isByLeast = isRefused || settings.reportedWindow === 'least-remaining';
  const shown = after
    .filter(({ name }) => isByLeast || name === settings.reportedWindow)
    .sort((a, b) => a.remaining - b.remaining || b.end[0] - a.end[0])[0];
  const reset = (shown?.end[0] ?? 0) / 1000;
  return {
    key: { ...key, windows: Object.fromEntries(after.map(({ name, state }) => [name, state])) },
    isRefused,
    rate: {
      limit: shown?.size.limit ?? 0,
      remaining: shown?.remaining ?? 0,
      reset: rounding === 'down' ? Math.floor(reset) : Math.ceil(reset - resolutionMs / 1000),
    },
  };
}

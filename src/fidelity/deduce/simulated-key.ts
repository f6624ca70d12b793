import { documentedPlans } from '../../petstore/document.js';
import { limitsApplyTo } from '../../rate-limits/admission.js';
import { type DocumentedWindow, documentedNames, documentedWindows } from '../../values/window-fields.js';
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
   * Limits of the key's plan per documented window. A limit is absent if neither the API's documentation nor a response
   * shows the limit. Services with other windows are not learned: the search doubles with each window.
   */
  readonly limits: Readonly<Partial<Record<DocumentedWindow, number>>>;
  readonly windows: Readonly<Partial<Record<DocumentedWindow, WindowState>>>;
}

/**
 * Assumed states of a real API's key before its first response: one per documented plan, and one without known limits
 * for the plan Enterprise.
 */
export const newKeys: readonly SimulatedKey[] = [
  ...Object.entries(documentedPlans).map(([plan, limits]) => ({ plan, limits, windows: {} })),
  { plan: 'enterprise', limits: {}, windows: {} },
];

const sizeOf = (name: DocumentedWindow, limit: number): WindowSize => ({
  limit,
  length: documentedWindows[name] * 1000,
});

/**
 * Returns one rate-limit window of an API key: its name, state and size (limit and length). Returns
 * `undefined` if no response has shown the limit or the use of this window.
 */
function windowOf({ windows, limits }: Pick<SimulatedKey, 'windows' | 'limits'>, name: DocumentedWindow) {
  const [state, limit] = [windows[name], limits[name]];
  return state === undefined || limit === undefined ? undefined : { name, state, size: sizeOf(name, limit) };
}

const windowsOf = (key: SimulatedKey) => documentedNames.flatMap((name) => windowOf(key, name) ?? []);

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
  const reported = documentedNames.filter((name) => name === settings.reportedWindow);
  const names = observed.isRefused || reported.length === 0 ? documentedNames : reported;
  return names.flatMap((name) => explainBy(name, key, rules, countedAt(arrival, rules), observed, isLimited));
}

/** Number of the documented windows that a response does not describe. */
const others = documentedNames.length - 1;

/** Lists all ways to give each of some windows one of two values. */
const waysFor = <Value>(windows: number, values: readonly [Value, Value]): Value[][] =>
  windows === 0 ? [[]] : values.flatMap((value) => waysFor(windows - 1, values).map((rest) => [value, ...rest]));

/** All choices of some, but not all, of the documented windows. */
const someWindows = waysFor(documentedNames.length, [true, false])
  .map((isChosen) => documentedNames.filter((_, index) => isChosen[index]))
  .filter(({ length }) => length > 0 && length < documentedNames.length);

/**
 * Lists the possible effects of a request on an API key's windows: on the one that the response describes, then on the
 * others. A refused request has several possible effects, because its response describes only one window.
 */
function treatments(
  { rejectedCounts }: LimitRules['settings'],
  isLimited: boolean,
  isRefused: boolean,
): (readonly [shown: WindowObservation, others: readonly WindowObservation[]])[] {
  if (!isLimited || !isRefused) {
    const each = { wasUsedUp: isLimited ? false : undefined, isCharged: isLimited };
    return [[each, Array.from({ length: others }, () => each)]];
  }
  const [countsAll, countsOther] = [rejectedCounts === 'all', rejectedCounts !== 'none'];
  const usedUp = { wasUsedUp: true, isCharged: countsAll };
  const other = { wasUsedUp: false, isCharged: countsOther };
  // A refused request may count in, and use up, a window that did not cause the refusal. The response shows the used-up
  // window that resets last, which may be any.
  const ways = waysFor(others, [usedUp, other]);
  const causedByOther = ways.filter((each) => each.includes(usedUp)).map((each) => [other, each] as const);
  return [...ways.map((each) => [usedUp, each] as const), ...(countsOther ? causedByOther : [])];
}

function explainBy(
  name: DocumentedWindow,
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
  const before = key.windows[name];
  const otherNames = documentedNames.filter((each) => each !== name);
  const isLeast = isRefused || settings.reportedWindow === 'least-remaining';
  /** States of another window with which the response can show this one; empty without one. */
  const statesOfOther = (other: DocumentedWindow, ofOther: WindowObservation): SimulatedKey['windows'][] => {
    const otherWindow = windowOf({ windows: key.windows, limits }, other);
    if (otherWindow === undefined) {
      // If the headers show the window with the fewest remaining requests, this number cannot exceed another window's
      // limit. An unknown limit of a shorter window is less than the shown one.
      const isShorter = documentedWindows[other] < documentedWindows[name];
      const maximumLimit = limits[other] ?? (isShorter ? rate.limit - 1 : Number.POSITIVE_INFINITY);
      return isLeast && rate.remaining > maximumLimit - (ofOther.isCharged ? 1 : 0) ? [] : [{}];
    }
    return window
      .next(otherWindow.size, otherWindow.state, countedAtRange, ofOther)
      .filter((state) => {
        const { remaining, end } = window.predict(otherWindow.size, state, countedAtRange);
        const resetsFirst = remaining[1] === rate.remaining && end[0] <= shown.end[1];
        return !isLeast || remaining[1] > rate.remaining || resetsFirst;
      })
      .map((state) => ({ [other]: state }));
  };
  return treatments(settings, isLimited, isRefused).flatMap(([own, ofOthers]) => {
    const sight = { ...own, shown };
    const states =
      before === undefined
        ? window.first(size, countedAtRange, sight)
        : window.next(size, before, countedAtRange, sight);
    return otherNames
      .reduce(
        (known, other, index) => {
          const ofOther = statesOfOther(other, ofOthers[index] as WindowObservation);
          return known.flatMap((windows) => ofOther.map((more) => ({ ...windows, ...more })));
        },
        states.map((state): SimulatedKey['windows'] => ({ [name]: state })),
      )
      .map((windows) => ({ ...key, limits, windows }));
  });
}

/**
 * Adds a response's limit to the known limits of an API key. Returns `undefined` if the limit contradicts a known
 * limit.
 */
function withLimit(
  limits: SimulatedKey['limits'],
  name: DocumentedWindow,
  limit: number,
): SimulatedKey['limits'] | undefined {
  const known = limits[name];
  if (known !== undefined) return known === limit ? limits : undefined;
  const all: SimulatedKey['limits'] = { ...limits, [name]: limit };
  const ascending = documentedNames.flatMap((each) => all[each] ?? []);
  return ascending.every((each, index) => index === 0 || each > (ascending[index - 1] as number)) ? all : undefined;
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
  const count = (before: SimulatedKey, name: DocumentedWindow): SimulatedKey[] => {
    const known = windowOf(before, name);
    if (known === undefined) return [before];
    return window
      .next(known.size, known.state, countedAtRange, { isCharged: true })
      .map((after) => ({ ...before, windows: { ...before.windows, [name]: after } }));
  };
  const countIn = (names: readonly DocumentedWindow[]) =>
    names.reduce((keys, name) => keys.flatMap((each) => count(each, name)), [key]);
  // Adds the states of the API key in which only some of its windows have counted the request. These states are possible
  // if the API counts a rejected request only in the windows that are not used up.
  const partly = rules.settings.rejectedCounts === 'other-windows' ? someWindows.flatMap(countIn) : [];
  return [key, ...partly, ...countIn(documentedNames)];
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
  const windows = (Object.entries(key.windows) as [DocumentedWindow, WindowState][]).map(
    ([name, { used, end, hits }]) => [
      name,
      {
        used,
        end: end && middle(end),
        hits: hits.map(([minimum, maximum, requests]) => [...middle([minimum, maximum]), requests]),
      },
    ],
  );
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

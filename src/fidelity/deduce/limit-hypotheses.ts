import { limitsApplyTo } from '../../rate-limits/admission.js';
import { type Exchange, placeOf } from '../../traffic-files/exchange.js';
import { fictitiousKey } from '../../traffic-files/key-names.js';
import { type DocumentedWindow, documentedNames, forDocumented } from '../../values/window-fields.js';
import { withArticle } from '../../values/window-text.js';
import { allLimitRules, type LimitAssumption, type LimitRules, limitAssumptions } from './limit-rules.js';
import { type Knowledge, notAsked, Observations, observation } from './observation.js';
import { isRefusal, rateOf, secondsOf } from './observed-rate.js';
import { ServiceClock } from './service-clock.js';
import {
  isUsedUp,
  mayCount,
  newKeys,
  type ObservedResponse,
  predict,
  type SimulatedKey,
  statesAfterResponse,
  withExactTimes,
} from './simulated-key.js';
import type { TimeRange } from './simulated-window.js';

/** Combination of rate-limit rules that the real API may have, with the possible states of each API key. */
export interface LimitHypothesis {
  readonly rules: LimitRules;
  readonly keys: ReadonlyMap<string, readonly SimulatedKey[]>;
}

/** Response of the real API that none of the possible rate-limit rules explains. */
export interface UnexplainedResponse {
  readonly exchange: Exchange;
  /**
   * Explanation for the report: no combination of rate-limit rules explains the response and all earlier responses.
   * Names the last combination that explained the earlier responses.
   */
  readonly expected: string;
}

/** Plan of an API key with its limits; `undefined` for a limit that no response showed. */
export interface LearnedPlan {
  readonly token: string;
  readonly plan: string;
  readonly limits: Readonly<Record<DocumentedWindow, number | undefined>>;
}

/** Describes the known limits of a plan: `60 a minute and 1000 a day`. */
export const limitsText = (limits: Partial<LearnedPlan['limits']>, separator: string): string =>
  documentedNames
    .flatMap((name) => (limits[name] === undefined ? [] : [`${limits[name]} ${withArticle(name)}`]))
    .join(separator);

/** Maximum number of possible rate-limit states per API key. Above the maximum, all states of the key are discarded. */
const maximumStates = 24;
/**
 * Minimum number of requests that the service counted, but `calibrate` did not send, to conclude that another client
 * uses the key. Fewer requests may be a coincidence.
 */
const minimumUnaccounted = 3;
const dayMs = 86_400_000;
/**
 * Limit of a rate-limit window about which the recorded responses show nothing, in requests. A scenario derived from a
 * recording contains this limit, which is large enough to reject no request.
 */
export const unseenLimit = 1_000_000;

/**
 * Finds the combinations of rate-limit assumptions that explain all responses of a service. Allows for uncertain
 * arrival times, and for unknown usage before the first request. Assumes that the recording contains every later
 * request.
 */
export class LimitHypotheses {
  #candidates: LimitHypothesis[];
  #unexplained: UnexplainedResponse | undefined;
  #explainedResponses = 0;
  #unaccounted = 0;
  /**
   * Start of the time scale on which rate-limit windows are simulated. Close to the recorded times, because
   * floating-point numbers as large as Unix times lose fractions of a millisecond.
   */
  #epochMs: number | undefined;
  readonly #clock = new ServiceClock();
  /**
   * Last readable rate-limit headers of each API key, and the number of the key's later requests without such headers.
   */
  readonly #last = new Map<
    string,
    { limit: number; remaining: number; reset: number; isRefused: boolean; isBan: boolean; lost: number }
  >();
  /**
   * Possible answers to each open question about the real API's rate limits, and the responses that excluded the other
   * answers.
   */
  readonly #observations = new Observations();

  /**
   * @param rules combinations of rate-limit settings that may explain the real API's responses; default: all
   * combinations
   */
  constructor(rules: readonly LimitRules[] = allLimitRules()) {
    this.#candidates = rules.map((each) => ({ rules: each, keys: new Map() }));
  }

  /** Combinations of rate-limit assumptions that explain every response so far. */
  get candidates(): readonly LimitHypothesis[] {
    return this.#candidates;
  }

  get unexplained(): UnexplainedResponse | undefined {
    return this.#unexplained;
  }

  /** Number of the real API's responses that at least one combination of rate-limit settings explains. */
  get explainedResponses(): number {
    return this.#explainedResponses;
  }

  /**
   * Number of requests that the API counted against the rate limits, but that are missing among the known requests.
   * Other clients with the same key may have sent the missing requests.
   */
  get unaccounted(): number {
    return this.#unaccounted;
  }

  /**
   * Adds a request and its response to the evidence for the possible rate-limit rules.
   * @param isBan whether the response's status or error code shows a ban
   * @returns whether the response's status, error code or reset time shows a ban
   */
  add(exchange: Exchange, isBan: boolean): boolean {
    const { token, status, operation } = exchange;
    this.#clock.note(exchange);
    // Ignores requests with the invented API key by which `calibrate` tests whether the real API accepts any key. An
    // API that accepts unknown keys may apply other limits to them.
    if (token === undefined || token === fictitiousKey || isBan || (status === 401 && !isRefusal(exchange)))
      return isBan;
    const arrival = this.#arrivalOf(exchange);
    const rate = rateOf(exchange);
    const last = this.#last.get(token);
    if (status === 0 || status >= 500 || rate === undefined) {
      if (last !== undefined) last.lost++;
      this.#update(token, ({ rules }, keys) => keys?.flatMap((key) => mayCount(key, rules, arrival, operation)));
      return false;
    }
    const isRefused = isRefusal(exchange);
    this.#noteFall(token, rate.remaining, rate.limit);
    // Treats a 429 after a ban's 429 as part of the ban if the reset time is not earlier. During a ban, an API may send
    // the error code of an exceeded limit.
    const promisedSeconds = last?.isRefused === true ? last.reset : Number.POSITIVE_INFINITY;
    const isSameBan = isRefused && last?.isBan === true && rate.reset >= promisedSeconds;
    this.#last.set(token, { ...rate, isRefused, lost: 0, isBan: isSameBan });
    if (this.#unexplained !== undefined || isSameBan) return isSameBan;
    const relative = { ...rate, reset: rate.reset - this.#epoch / 1000 };
    const observed: ObservedResponse = { operation, isRefused, rate: relative };
    const expected = this.#expectation();
    const before = this.#candidates;
    this.#update(
      token,
      ({ rules }, keys = newKeys) => keys.flatMap((key) => statesAfterResponse(key, rules, arrival, observed)),
      observed,
    );
    const isBegun = this.#candidates.length === 0 && isRefused && rate.reset > promisedSeconds;
    if (isBegun) {
      this.#candidates = before;
      this.#update(token, ({ rules }, keys) => keys?.filter((key) => isUsedUp(key, rules, arrival)));
    }
    if (this.#candidates.length === 0) {
      this.#unexplained = { exchange, expected };
      return false;
    }
    this.#last.set(token, { ...rate, isRefused, lost: 0, isBan: isBegun });
    this.#explainedResponses++;
    for (const about of limitAssumptions) {
      this.#observations.add(observation(about, valuesOf(about, this.#candidates), describe(exchange)), exchange);
    }
    return isBegun;
  }

  /**
   * Plan and limits of each API key, as learned from the service's responses. Leaves out keys for which several plans
   * are possible.
   */
  get plans(): LearnedPlan[] {
    const tokens = new Set(this.#candidates.flatMap(({ keys }) => [...keys.keys()]));
    return [...tokens].flatMap((token) => this.planOf(token) ?? []);
  }

  /**
   * Limits of an API key whose plan the API document does not describe; `undefined` if responses have shown no such
   * key.
   */
  get enterprise(): LearnedPlan | undefined {
    return this.plans.find(({ plan }) => plan === 'enterprise');
  }

  /** Returns the plan and limits of a key, as far as responses show them; `undefined` if several are possible. */
  planOf(token: string): LearnedPlan | undefined {
    const keys = new Set(this.#candidates.flatMap((hypothesis) => hypothesis.keys.get(token) ?? []));
    const [plan, ...otherPlans] = new Set([...keys].map((key) => key.plan));
    if (plan === undefined || otherPlans.length > 0) return undefined;
    const limitOf = (name: DocumentedWindow) => {
      const [limit, ...others] = new Set([...keys].map(({ limits }) => limits[name]));
      return others.length > 0 ? undefined : limit;
    };
    return { token, plan, limits: forDocumented(limitOf) };
  }

  /**
   * Predicts the responses to requests with the user's API key under one combination of rate-limit rules, as text. The
   * field `atSeconds` of a request is a time of the API's clock, in Unix seconds.
   */
  expectedResponses(
    { rules, keys }: LimitHypothesis,
    requests: readonly { readonly atSeconds: number; readonly operation: string | undefined }[],
  ): string {
    const [first] = keys.get('own') ?? [];
    if (first === undefined) return '';
    let key = withExactTimes(first);
    return requests
      .map(({ atSeconds, operation }) => {
        const response = predict(key, rules, atSeconds * 1000 - this.#epoch, operation);
        key = response.key;
        const { limit, remaining, reset } = response.rate;
        return `${response.isRefused} ${limit} ${remaining} ${reset}`;
      })
      .join(';');
  }

  get #epoch(): number {
    return this.#epochMs ?? 0;
  }

  #arrivalOf(exchange: Exchange): TimeRange {
    const [minimum, maximum] = this.#clock.arrivalOf(exchange);
    this.#epochMs ??= Math.floor(minimum / dayMs) * dayMs;
    return [minimum - this.#epochMs, maximum - this.#epochMs];
  }

  /**
   * For each possible combination of rate-limit rules, computes the states that an API key can have after a request.
   * Removes combinations without a possible state, because the response contradicts them. Combinations with the same
   * effect share one computation.
   */
  #update(
    token: string,
    change: (hypothesis: LimitHypothesis, keys: readonly SimulatedKey[] | undefined) => SimulatedKey[] | undefined,
    observed?: ObservedResponse,
  ): void {
    const onceForEach = createOnceForEach<SimulatedKey[] | undefined>();
    this.#candidates = this.#candidates.flatMap((hypothesis) => {
      const { rules, keys } = hypothesis;
      const before = keys.get(token);
      const isLimited =
        observed === undefined ? rules.settings.limitsApply : limitsApplyTo(rules.settings, observed.operation);
      const countingKey = countingKeyOf(rules, isLimited, observed?.isRefused);
      const after = onceForEach(before, countingKey, () => distinct(change(hypothesis, before)));
      if (after?.length === 0) return [];
      const others = new Map(keys);
      if (after === undefined || after.length > maximumStates) others.delete(token);
      else others.set(token, after);
      return [{ rules, keys: others }];
    });
  }

  /**
   * Adds up the falls of X-RateLimit-Remaining that the known requests of a key do not explain. Each known request
   * explains a fall of at most one, so unknown requests must have caused the rest.
   */
  #noteFall(token: string, remaining: number, limit: number): void {
    const last = this.#last.get(token);
    if (last?.limit !== limit) return;
    this.#unaccounted += Math.max(0, last.remaining - remaining - last.lost - 1);
  }

  /** Returns which values of an assumption fit the observed responses, with the evidence. */
  about(about: LimitAssumption): Knowledge {
    if (this.#unexplained !== undefined) {
      const { exchange, expected } = this.#unexplained;
      const evidence = [`${placeOf(exchange)}: ${describe(exchange)}; ${expected}`];
      // A recording can be incomplete, so a single unknown request suffices as the cause of an unexpected response.
      const enough = exchange.question === undefined ? 1 : minimumUnaccounted;
      const state = this.#unaccounted >= enough ? 'not asked' : 'contradicted';
      return { about, state, left: [], evidence, requests: [exchange.id] };
    }
    if (this.#explainedResponses === 0) return notAsked(about);
    const left = valuesOf(about, this.#candidates);
    const { evidence, requests } = this.#observations.about(about);
    const base = { about, evidence, requests, left };
    // Only fixed rate-limit windows use the setting `windowStart`.
    const isFixed =
      about !== 'windowStart' || this.#candidates.every(({ rules }) => rules.settings.algorithm === 'fixed-window');
    if (left.length !== 1 || !isFixed) return { ...base, state: 'not asked' };
    return { ...base, state: 'certain', value: left[0] };
  }

  #expectation(): string {
    const [first] = this.#candidates;
    if (first === undefined) return '';
    const { algorithm, windowStart, reportedWindow, limitsApply } = first.rules.settings;
    return `no combination of algorithm, windowStart, rejectedCounts, reportedWindow and limitsApply explains this response and all earlier ones; the last possible one was ${algorithm}, ${windowStart}, ${reportedWindow}, limits on ${limitsApply}`;
  }
}

function describe(exchange: Exchange): string {
  const { limit, remaining, reset } = rateOf(exchange) ?? { limit: 0, remaining: 0, reset: 0 };
  return `${exchange.status}, Remaining ${remaining} of ${limit}, reset in ${reset - secondsOf(exchange)} s`;
}

/**
 * Returns a cache key for rate-limit rules. Rules that count a request in the same way have the same cache key.
 * @param isLimited requests to which the limits apply: a boolean, a boolean per operation, or the setting `limitsApply`
 * @param isRefused whether the API refused the request; `undefined` if unknown
 */
export function countingKeyOf({ settings, rounding }: LimitRules, isLimited: unknown, isRefused?: boolean): string {
  const { algorithm, windowStart, reportedWindow, rejectedCounts } = settings;
  const counts = isRefused === false ? '' : rejectedCounts;
  return `${algorithm} ${windowStart} ${rounding} ${reportedWindow} ${isLimited} ${counts}`;
}

/**
 * Creates a cache for results that are computed from an API key's possible rate-limit states. Rate-limit rules with the
 * same effect on the key share an entry of the cache.
 */
export function createOnceForEach<Result>() {
  const results = new Map<unknown, Map<string, Result>>();
  return (keys: readonly SimulatedKey[] | undefined, countingKey: string, compute: () => Result): Result => {
    const ofKeys = results.get(keys) ?? new Map<string, Result>();
    results.set(keys, ofKeys);
    if (!ofKeys.has(countingKey)) ofKeys.set(countingKey, compute());
    return ofKeys.get(countingKey) as Result;
  };
}

function distinct(keys: SimulatedKey[] | undefined): SimulatedKey[] | undefined {
  if (keys === undefined || keys.length < 2) return keys;
  return [...new Map(keys.map((key) => [JSON.stringify(key), key])).values()];
}

/**
 * Lists the different values of one setting among the rate-limit rules that explain all responses of the real API so
 * far. The setting `windowStart` is read only from rules with fixed windows.
 */
function valuesOf(about: LimitAssumption, hypotheses: readonly LimitHypothesis[]): unknown[] {
  const values = new Map<string, unknown>();
  for (const { rules } of hypotheses) {
    const { settings } = rules;
    if (about === 'windowStart' && settings.algorithm !== 'fixed-window') continue;
    values.set(JSON.stringify(settings[about]), settings[about]);
  }
  return [...values.values()];
}

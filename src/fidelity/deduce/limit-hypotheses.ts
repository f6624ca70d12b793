import { type Exchange, placeOf } from '../../traffic-files/exchange.js';
import { madeUpKey } from '../../traffic-files/key-names.js';
import type { Knowledge } from './clue.js';
import { allLimitRules, isCounted, type LimitAssumption, type LimitRules, limitAssumptions } from './limit-rules.js';
import { isRefusal, rateOf } from './rate.js';
import { ServiceClock } from './service-clock.js';
import {
  explain,
  isUsedUp,
  mayCount,
  newKeys,
  predict,
  type SeenResponse,
  type SimulatedKey,
  settled,
} from './simulated-key.js';
import type { Span } from './simulated-window.js';

/** One joint hypothesis with the possible pasts of each key. */
export interface LimitHypothesis {
  readonly rules: LimitRules;
  readonly keys: ReadonlyMap<string, readonly SimulatedKey[]>;
}

/** A response that no combination explains. */
export interface Broken {
  readonly exchange: Exchange;
  /** Expectation of the last combination, in words. */
  readonly expected: string;
}

/** Largest number of possible pasts of a key; one with more is treated as new. */
const mostPasts = 24;
/** Number of counted requests beyond those sent that rules out chance. */
const surelyNoChance = 3;
const dayMs = 86_400_000;

/**
 * Keeps every combination of the assumptions about limits that explains all responses. Unknown are only the instants of the
 * requests and a key's usage before the first one: unrecorded requests explain no response.
 */
export class LimitHypotheses {
  #alive: LimitHypothesis[];
  #broken: Broken | undefined;
  #seen = 0;
  #unaccounted = 0;
  /** Epoch of the simulated instants. It is close to them, because sums of large numbers lose fractions of a millisecond. */
  #epochMs: number | undefined;
  readonly #clock = new ServiceClock();
  /** Last response of each key with limits, and the number of lost responses since. */
  readonly #last = new Map<
    string,
    { limit: number; remaining: number; reset: number; isRefused: boolean; isBan: boolean; lost: number }
  >();
  readonly #evidence = new Map<LimitAssumption, { left: string; texts: string[]; requests: number[] }>();

  /** @param rules the combinations to try. Default: all */
  constructor(rules: readonly LimitRules[] = allLimitRules()) {
    this.#alive = rules.map((each) => ({ rules: each, keys: new Map() }));
  }

  /** Combinations that explain every response. */
  get alive(): readonly LimitHypothesis[] {
    return this.#alive;
  }

  get broken(): Broken | undefined {
    return this.#broken;
  }

  /** Number of explained responses. */
  get seen(): number {
    return this.#seen;
  }

  /** Sum of the falls of Remaining beyond the requests sent. */
  get unaccounted(): number {
    return this.#unaccounted;
  }

  /**
   * Adds the next exchange.
   * @param isBan whether the refusal has the status or the code of a ban, and so shows no window
   * @returns whether it is the refusal of a ban, also one under the code of a limit
   */
  add(exchange: Exchange, isBan: boolean): boolean {
    const { token, status, operation } = exchange;
    this.#clock.note(exchange);
    // A service that accepts a made-up key may limit it by other rules.
    if (token === undefined || token === madeUpKey || isBan || (status === 401 && !isRefusal(exchange))) return isBan;
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
    // A ban may have the code of a limit. Then its reset is later than the window's, and windows stay as they were.
    const promisedSeconds = last?.isRefused === true ? last.reset : Number.POSITIVE_INFINITY;
    const isSameBan = isRefused && last?.isBan === true && rate.reset >= promisedSeconds;
    this.#last.set(token, { ...rate, isRefused, lost: 0, isBan: isSameBan });
    if (this.#broken !== undefined || isSameBan) return isSameBan;
    const relative = { ...rate, reset: rate.reset - this.#epoch / 1000 };
    const seen: SeenResponse = { operation, isRefused, rate: relative };
    const expected = this.#expectation();
    const before = this.#alive;
    this.#update(token, ({ rules }, keys = newKeys) => keys.flatMap((key) => explain(key, rules, arrival, seen)), seen);
    const isBegun = this.#alive.length === 0 && isRefused && rate.reset > promisedSeconds;
    if (isBegun) {
      this.#alive = before;
      this.#update(token, ({ rules }, keys) => keys?.filter((key) => isUsedUp(key, rules, arrival)));
    }
    if (this.#alive.length === 0) {
      this.#broken = { exchange, expected };
      return false;
    }
    this.#last.set(token, { ...rate, isRefused, lost: 0, isBan: isBegun });
    this.#seen++;
    this.#noteEvidence(exchange);
    return isBegun;
  }

  /** Knowledge of each assumption. */
  knowledge(): Knowledge[] {
    return limitAssumptions.map((about) => this.#knowledgeOf(about));
  }

  /** Plan of a key with the limits that responses show; `undefined` if it is open. */
  planOf(token: string): { plan: string; minute: number | undefined; day: number | undefined } | undefined {
    const keys = new Set(this.#alive.flatMap((hypothesis) => hypothesis.keys.get(token) ?? []));
    const [plan, ...otherPlans] = new Set([...keys].map((key) => key.plan));
    if (plan === undefined || otherPlans.length > 0) return undefined;
    const limitOf = (name: 'minute' | 'day') => {
      const [limit, ...others] = new Set([...keys].map(({ limits }) => limits[name]));
      return others.length > 0 ? undefined : limit;
    };
    return { plan, minute: limitOf('minute'), day: limitOf('day') };
  }

  /** Responses that a hypothesis expects to requests at the given Unix seconds, as text. */
  expectedResponses(
    { rules, keys }: LimitHypothesis,
    token: string,
    requests: readonly { readonly atSeconds: number; readonly operation: string | undefined }[],
  ): string {
    const [first] = keys.get(token) ?? [];
    if (first === undefined) return '';
    let key = settled(first);
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

  #arrivalOf(exchange: Exchange): Span {
    const [least, most] = this.#clock.arrivalOf(exchange);
    this.#epochMs ??= Math.floor(least / dayMs) * dayMs;
    return [least - this.#epochMs, most - this.#epochMs];
  }

  /** Replaces the pasts of a key. Hypotheses that treated all its requests alike, and this one, are followed once. */
  #update(
    token: string,
    change: (hypothesis: LimitHypothesis, keys: readonly SimulatedKey[] | undefined) => SimulatedKey[] | undefined,
    seen?: SeenResponse,
  ): void {
    const followed = new Map<readonly SimulatedKey[] | undefined, Map<string, SimulatedKey[] | undefined>>();
    this.#alive = this.#alive.flatMap((hypothesis) => {
      const { rules, keys } = hypothesis;
      const before = keys.get(token);
      const alike = followed.get(before) ?? new Map<string, SimulatedKey[] | undefined>();
      followed.set(before, alike);
      const treatment = treatmentOf(rules, seen);
      if (!alike.has(treatment)) alike.set(treatment, distinct(change(hypothesis, before)));
      const after = alike.get(treatment);
      if (after?.length === 0) return [];
      const others = new Map(keys);
      if (after === undefined || after.length > mostPasts) others.delete(token);
      else others.set(token, after);
      return [{ rules, keys: others }];
    });
  }

  /** No algorithm lets Remaining fall by more than the requests that were counted. */
  #noteFall(token: string, remaining: number, limit: number): void {
    const last = this.#last.get(token);
    if (last?.limit !== limit) return;
    this.#unaccounted += Math.max(0, last.remaining - remaining - last.lost - 1);
  }

  #knowledgeOf(about: LimitAssumption): Knowledge {
    const { texts = [], requests = [] } = this.#evidence.get(about) ?? {};
    if (this.#broken !== undefined) {
      const { exchange, expected } = this.#broken;
      const evidence = [`${placeOf(exchange)}: ${this.#describe(exchange)}; ${expected}`];
      // A recording rarely has all requests of a key, unlike a calibration.
      const enough = exchange.question === undefined ? 1 : surelyNoChance;
      const state = this.#unaccounted >= enough ? 'not asked' : 'contradicted';
      return { about, state, left: [], evidence, requests: [exchange.id] };
    }
    const base = { about, evidence: texts, requests };
    if (this.#seen === 0) return { ...base, state: 'not asked', left: [] };
    const left = valuesOf(about, this.#alive);
    // Only fixed windows have a start.
    const isFixed =
      about !== 'windowStart' || this.#alive.every(({ rules }) => rules.settings.algorithm === 'fixed-window');
    if (left.length !== 1 || !isFixed) return { ...base, state: 'not asked', left };
    return { ...base, state: 'certain', value: left[0], left };
  }

  #noteEvidence(exchange: Exchange): void {
    for (const about of limitAssumptions) {
      const left = JSON.stringify(valuesOf(about, this.#alive));
      const known = this.#evidence.get(about) ?? { left: '', texts: [], requests: [] };
      if (left === known.left) continue;
      const text = `${placeOf(exchange)}: ${this.#describe(exchange)}`;
      this.#evidence.set(about, {
        left,
        texts: [...known.texts, text].slice(-3),
        requests: [...known.requests, exchange.id].slice(-3),
      });
    }
  }

  #expectation(): string {
    const [first] = this.#alive;
    if (first === undefined) return '';
    const { algorithm, windowStart, reportedWindow, limitsApply } = first.rules.settings;
    return `no combination of algorithm, windowStart, rejectedCounts, reportedWindow and limitsApply explains it with what came before; the last one that did was ${algorithm}, ${windowStart}, ${reportedWindow}, limits on ${limitsApply}`;
  }

  #describe(exchange: Exchange): string {
    const { limit, remaining, reset } = rateOf(exchange) ?? { limit: 0, remaining: 0, reset: 0 };
    const nowSeconds = Math.floor((exchange.dateMs ?? exchange.arrivedAtMs) / 1000);
    return `${exchange.status}, Remaining ${remaining} of ${limit}, reset in ${reset - nowSeconds} s`;
  }
}

/** Part of the rules that determines the treatment of a request. */
function treatmentOf({ settings, rounding }: LimitRules, seen: SeenResponse | undefined): string {
  const { algorithm, windowStart, reportedWindow, rejectedCounts, limitsApply } = settings;
  const isLimited = seen === undefined ? String(limitsApply) : isCounted(settings, seen.operation);
  const counts = seen?.isRefused === false ? '' : rejectedCounts;
  return `${algorithm} ${windowStart} ${rounding} ${reportedWindow} ${isLimited} ${counts}`;
}

function distinct(keys: readonly SimulatedKey[] | undefined): SimulatedKey[] | undefined {
  if (keys === undefined || keys.length < 2) return keys && [...keys];
  return [...new Map(keys.map((key) => [JSON.stringify(key), key])).values()];
}

/** Values of an assumption in several hypotheses. Only fixed windows have a start. */
function valuesOf(about: LimitAssumption, hypotheses: readonly LimitHypothesis[]): unknown[] {
  const values = new Map<string, unknown>();
  for (const { rules } of hypotheses) {
    const { settings } = rules;
    if (about === 'windowStart' && settings.algorithm !== 'fixed-window') continue;
    values.set(JSON.stringify(settings[about]), settings[about]);
  }
  return [...values.values()];
}

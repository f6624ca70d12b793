import { type Exchange, placeOf } from '../../traffic-files/exchange.js';
import type { Knowledge } from './clue.js';
import { follow, type KeyTrack, type Sight, tracksFor, unknownLimit } from './key-track.js';
import { allLimitRules, isCounted, type LimitAssumption, type LimitRules, limitAssumptions } from './limit-rules.js';
import { isRefusal, rateOf } from './rate.js';

/** One joint hypothesis with the keys that it has followed. */
export interface LimitHypothesis {
  readonly rules: LimitRules;
  readonly keys: ReadonlyMap<string, readonly KeyTrack[]>;
  /** How many requests that nobody has seen it needs to explain all answers. */
  readonly unseen: number;
}

/** So many requests that nobody has seen, and that came just where they were needed, are no chance. */
const surelyNoChance = 3;
/** A hypothesis that needs so many more than the best is given up. */
const mostBehind = 60;
const mostTracks = 6;

/** An answer that no combination explains. */
export interface Broken {
  readonly exchange: Exchange;
  /** What the last combination expected, in words. */
  readonly expected: string;
  /** Whether other clients use the key, as the answers before showed: what they did may explain it. */
  readonly isShared: boolean;
}

/**
 * Keeps every combination of the assumptions about limits that explains the answers: the simulator answers the same
 * requests under each, in virtual time. Other clients of a key are possible, but each of their requests counts against it.
 */
export class LimitHypotheses {
  #alive: LimitHypothesis[];
  #broken: Broken | undefined;
  #seen = 0;
  readonly #promises = new Map<string, number>();
  readonly #evidence = new Map<LimitAssumption, { left: string; texts: string[]; requests: number[] }>();

  /** @param rules the combinations to try. Default: all */
  constructor(rules: readonly LimitRules[] = allLimitRules()) {
    this.#alive = rules.map((each) => ({ rules: each, keys: new Map(), unseen: 0 }));
  }

  /** Those that explain the answers, the simplest first. */
  get alive(): readonly LimitHypothesis[] {
    return this.#alive;
  }

  /** Those that may be true: none needs so many more chances than another that it is out of the question. */
  get likely(): readonly LimitHypothesis[] {
    const best = this.#alive[0]?.unseen ?? 0;
    return this.#alive.filter(({ unseen }) => unseen < best + surelyNoChance);
  }

  get broken(): Broken | undefined {
    return this.#broken;
  }

  /** How many answers it rests on. */
  get seen(): number {
    return this.#seen;
  }

  /** Takes the next exchange. @param isBan whether it is the refusal of a ban, which shows no window */
  add(exchange: Exchange, isBan: boolean): void {
    const { token, status, operation } = exchange;
    if (token === undefined || this.#broken !== undefined || isBan) return;
    if (status === 401 && !isRefusal(exchange)) return;
    const rate = rateOf(exchange);
    if (status === 0 || status >= 500 || rate === undefined) {
      this.#pardon(token);
      return;
    }
    const { limit, remaining, reset } = rate;
    const refused = isRefusal(exchange);
    const sight = { operation, isRefused: refused, limit, remaining, reset };
    const next = secondsOf(exchange)
      .map((nowSeconds) => this.#follow(token, { ...sight, nowSeconds }))
      .find((found) => found.length > 0);
    if (next !== undefined) {
      this.#alive = next;
      this.#seen++;
      this.#noteEvidence(exchange);
    } else if (!this.#mayBeBan(exchange, token, reset)) {
      // A recording rarely has all that was done with a key; of our own questions we know that they were alone.
      const enough = exchange.question === undefined ? 1 : surelyNoChance;
      const isShared = (this.#alive[0]?.unseen ?? 0) >= enough;
      this.#broken = { exchange, expected: this.#expectation(), isShared };
      this.#alive = [];
    }
    if (refused) this.#promises.set(token, reset);
    else this.#promises.delete(token);
  }

  /** What is known of each assumption. */
  knowledge(): Knowledge[] {
    return limitAssumptions.map((about) => this.#knowledgeOf(about));
  }

  /** The plan of a key with the limits that were seen of it; `undefined` where they are not decided. */
  planOf(token: string): { plan: string; minute: number | undefined; day: number | undefined } | undefined {
    const tracks = this.likely.flatMap(({ keys }) => keys.get(token) ?? []);
    const [plan, ...otherPlans] = new Set(tracks.map((track) => track.plan));
    if (plan === undefined || otherPlans.length > 0) return undefined;
    const limitOf = (name: 'minute' | 'day') => {
      const [limit, ...others] = new Set(tracks.map(({ key }) => key[name].limit));
      return limit === unknownLimit || others.length > 0 ? undefined : limit;
    };
    return { plan, minute: limitOf('minute'), day: limitOf('day') };
  }

  #follow(token: string, sight: Sight): LimitHypothesis[] {
    const next: LimitHypothesis[] = [];
    // Hypotheses that treat this request alike, and have treated the ones before it alike, are followed once.
    const followed = new Map<readonly KeyTrack[] | undefined, Map<string, KeyTrack[]>>();
    for (const { rules, keys, unseen } of this.#alive) {
      const before = keys.get(token);
      const alike = followed.get(before) ?? new Map<string, KeyTrack[]>();
      followed.set(before, alike);
      const name = treatmentOf(rules, sight);
      let tracks = alike.get(name);
      if (tracks === undefined) {
        tracks = (before ?? tracksFor(sight, rules))
          .flatMap((track) => follow(track, rules, sight))
          .sort((a, b) => a.unseen - b.unseen)
          .slice(0, mostTracks);
        alike.set(name, tracks);
      }
      const [first] = tracks;
      if (first === undefined) continue;
      const least = before?.[0]?.unseen ?? 0;
      next.push({ rules, keys: new Map(keys).set(token, tracks), unseen: unseen - least + first.unseen });
    }
    next.sort((a, b) => a.unseen - b.unseen);
    const best = next[0]?.unseen ?? 0;
    return next.filter(({ unseen }) => unseen <= best + mostBehind);
  }

  /** An answer that was lost, or says nothing of the limits: its request may have been counted. */
  #pardon(token: string): void {
    this.#alive = this.#alive.map((each) => {
      const tracks = each.keys.get(token);
      if (tracks === undefined) return each;
      return {
        ...each,
        keys: new Map(each.keys).set(
          token,
          tracks.map((track) => ({ ...track, pardoned: track.pardoned + 1 })),
        ),
      };
    });
  }

  /** A refusal after a request that came too early, with a later promise, is a ban that has the code of a refusal. */
  #mayBeBan(exchange: Exchange, token: string, reset: number): boolean {
    const promised = this.#promises.get(token);
    return isRefusal(exchange) && promised !== undefined && reset > promised && exchange.arrivedAtMs < promised * 1000;
  }

  #knowledgeOf(about: LimitAssumption): Knowledge {
    const { texts = [], requests = [] } = this.#evidence.get(about) ?? {};
    if (this.#broken !== undefined) {
      const { exchange, expected, isShared } = this.#broken;
      const evidence = [`${placeOf(exchange)}: ${describe(exchange)}; ${expected}`];
      const state = isShared ? 'not asked' : 'contradicted';
      return { about, state, left: [], evidence, requests: [exchange.id] };
    }
    const base = { about, evidence: texts, requests };
    if (this.#seen === 0) return { ...base, state: 'not asked', left: [] };
    const fewest = this.#alive[0]?.unseen ?? 0;
    const best = valuesOf(
      about,
      this.#alive.filter(({ unseen }) => unseen === fewest),
    );
    if (best.length !== 1) return { ...base, state: 'not asked', left: best };
    const others = valuesOf(about, this.likely);
    // Whether a window is fixed at all comes first.
    const isFixed =
      about !== 'windowStart' || this.likely.every(({ rules }) => rules.settings.algorithm === 'fixed-window');
    if (!isFixed) return { ...base, state: 'not asked', left: others };
    const isCertain = others.length === 1 && fewest === 0;
    return { ...base, state: isCertain ? 'certain' : 'likely', value: best[0], left: others };
  }

  #noteEvidence(exchange: Exchange): void {
    for (const about of limitAssumptions) {
      const left = JSON.stringify(valuesOf(about, this.likely));
      const known = this.#evidence.get(about) ?? { left: '', texts: [], requests: [] };
      if (left === known.left) continue;
      const text = `${placeOf(exchange)}: ${describe(exchange)}`;
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
}

/** What of the rules decides how a request is treated. */
function treatmentOf({ settings }: LimitRules, { operation, isRefused }: Sight): string {
  const { algorithm, windowStart, reportedWindow, rejectedCounts } = settings;
  const counted = isCounted(settings, operation);
  // Where the simulator would refuse what the service has served, the hypothesis is out whatever that counts.
  return `${algorithm} ${windowStart} ${reportedWindow} ${counted} ${isRefused ? rejectedCounts : ''}`;
}

/** The values that hypotheses give an assumption. That of a fixed window's start is none where no window is fixed. */
function valuesOf(about: LimitAssumption, hypotheses: readonly LimitHypothesis[]): unknown[] {
  const values = new Map<string, unknown>();
  for (const { rules } of hypotheses) {
    const { settings } = rules;
    if (about === 'windowStart' && settings.algorithm !== 'fixed-window') continue;
    values.set(JSON.stringify(settings[about]), settings[about]);
  }
  return [...values.values()];
}

const describe = (exchange: Exchange): string => {
  const { limit, remaining, reset } = rateOf(exchange) ?? { limit: 0, remaining: 0, reset: 0 };
  return `${exchange.status}, Remaining ${remaining} of ${limit}, reset in ${reset - (secondsOf(exchange)[0] as number)} s`;
};

/** The second in which the service counted: that of `Date`, or the one before where the answer took over its end. */
function secondsOf({ dateMs, arrivedAtMs, answeredAtMs }: Exchange): number[] {
  const sent = Math.floor(arrivedAtMs / 1000);
  if (dateMs === undefined) return sent === Math.floor(answeredAtMs / 1000) ? [sent] : [sent, sent + 1];
  const second = Math.floor(dateMs / 1000);
  return sent < second ? [second, second - 1] : [second];
}

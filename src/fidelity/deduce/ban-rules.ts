import { settingValues } from '../../petstore/settings.js';
import { counted } from '../../values/counted.js';
import { type Knowledge, notAsked } from './clue.js';

/** Range in milliseconds. Network latency makes every arrival uncertain. */
export type Between = readonly [leastMs: number, mostMs: number];

/** A refusal after the first of an episode. */
export interface EarlyRequest {
  readonly afterFirstMs: Between;
  /** On the service's clock, as far as `Date` determines it. */
  readonly beforePromiseMs: Between;
}

/** Time from a key's first refusal to its next accepted request, or to a ban. */
export interface BanEpisode {
  /** In the order of sending; the last one may have started the ban. */
  readonly early: readonly EarlyRequest[];
  readonly isBanned: boolean;
  /** Whether every request was a question of this tool. */
  readonly isOurs: boolean;
  /** Whether every refusal promised the same instant. */
  readonly isSteady: boolean;
  readonly places: readonly string[];
}

/** Rules of bans. A strike is a refusal after the grace, and too early by more than the tolerance. */
export interface BanRules {
  /** Number of strikes that ban; `undefined` if unknown. */
  readonly after: number | undefined;
  /** Whether no other number explains the episodes. */
  readonly isOnly: boolean;
  readonly graceMs: Between;
  readonly toleranceMs: Between;
}

/** Largest number of strikes to try. */
const mostStrikes = 20;
/** Number of certain strikes without a ban that rules bans out. A strike is certain after any grace and outside any tolerance. */
const enoughStrikes = 10;
const sureStrike = { afterFirstMs: 5_000, beforePromiseMs: 2_000 };
const never = Number.POSITIVE_INFINITY;

/** Derives the rules that explain all episodes. */
export function readBanRules(episodes: readonly BanEpisode[]): BanRules {
  const steady = episodes.filter(({ isSteady }) => isSteady);
  const fits: { after: number; graceMs: Between }[] = [];
  for (let after = 1; after <= mostStrikes; after++) {
    const graceMs = graceFor(after, steady);
    if (graceMs !== undefined) fits.push({ after, graceMs });
  }
  const byDefault = settingValues.banGraceMs.default;
  // Prefers the default grace period of a ban over other values that fit.
  const best = fits.find(({ graceMs }) => isIn(byDefault, graceMs)) ?? fits[0];
  if (best === undefined || !steady.some(({ isBanned }) => isBanned)) {
    return { after: undefined, isOnly: false, graceMs: [0, never], toleranceMs: [0, never] };
  }
  return { ...best, isOnly: fits.length === 1, toleranceMs: toleranceFor(best.after, best.graceMs, steady) };
}

/**
 * Range of graces with which a number of strikes explains every ban. Requests approach the promise, so that an early request
 * without a strike was within the grace.
 */
function graceFor(after: number, episodes: readonly BanEpisode[]): Between | undefined {
  let [least, most] = [0, never];
  for (const { early, isBanned } of episodes) {
    if (!isBanned) continue;
    const [counted, uncounted] = [early.at(-after), early.at(-after - 1)];
    if (counted === undefined) return undefined;
    most = Math.min(most, counted.afterFirstMs[1]);
    if (uncounted !== undefined) least = Math.max(least, uncounted.afterFirstMs[0]);
  }
  return least < most ? [least, most] : undefined;
}

/** Range of tolerances that explains which of the last requests before a promise banned. */
function toleranceFor(after: number, [, graceMs]: Between, episodes: readonly BanEpisode[]): Between {
  let [least, most] = [0, never];
  for (const { early, isBanned } of episodes) {
    const last = early.at(-1);
    if (isBanned && last !== undefined) most = Math.min(most, last.beforePromiseMs[1]);
    const spared = isBanned ? undefined : early.filter(({ afterFirstMs: [after] }) => after > graceMs)[after - 1];
    if (spared !== undefined) least = Math.max(least, spared.beforePromiseMs[0]);
  }
  return [least, most];
}

const isIn = (value: number, [least, most]: Between) => value >= least && value < most;

/** Knowledge of the choices about strikes. @param isAlone whether no other client seems to use the key */
export function strikeKnowledge(episodes: readonly BanEpisode[], isAlone: boolean): Knowledge[] {
  const { after, isOnly, graceMs, toleranceMs } = readBanRules(episodes);
  const banned = episodes.filter(({ isBanned }) => isBanned);
  const evidence = banned
    .slice(-3)
    .map(({ places, early }) => `${places.at(-1)}: banned at refusal ${early.length + 1}`);
  if (after === undefined) {
    const spared = episodes.find(
      ({ early, isSteady }) => isSteady && early.filter(isSureStrike).length >= enoughStrikes,
    );
    const says =
      spared && `${spared.places[0]} and ${counted(spared.early.length, 'refused request')} after it: no ban`;
    const none = says && { state: 'likely' as const, value: 0, left: [0], evidence: [says] };
    return [{ ...notAsked('banAfter'), ...none }, notAsked('banGraceMs'), notAsked('banToleranceMs')];
  }
  const isCertain = isOnly && isAlone && banned.length > 1 && banned.every(({ isOurs }) => isOurs);
  const state = isCertain ? ('certain' as const) : ('likely' as const);
  return [
    { ...notAsked('banAfter'), state, value: after, left: [after], evidence },
    rangeKnowledge(notAsked('banGraceMs'), graceMs, settingValues.banGraceMs.default),
    rangeKnowledge(notAsked('banToleranceMs'), toleranceMs, settingValues.banToleranceMs.default),
  ];
}

const isSureStrike = ({ afterFirstMs, beforePromiseMs }: EarlyRequest) =>
  afterFirstMs[0] > sureStrike.afterFirstMs && beforePromiseMs[0] > sureStrike.beforePromiseMs;

/** Knowledge of a number in milliseconds from its range; none from a wide one. Never certain, because arrivals are uncertain. */
function rangeKnowledge(unknown: Knowledge, [least, most]: Between, byDefault: number): Knowledge {
  if (most > Math.max(500, 3 * least)) return unknown;
  const value = isIn(byDefault, [least, most]) ? byDefault : roundest(least, most);
  const evidence = [`at least ${Math.round(least)} ms, less than ${Math.round(most)} ms`];
  return { ...unknown, state: 'likely', value, left: [value], evidence };
}

/** Roundest number in a range. */
export function roundest(least: number, most: number): number {
  for (let step = 10 ** 9; step >= 1; step /= 10) {
    for (const part of [step, step / 2]) {
      const value = Math.ceil(least / part) * part;
      if (Number.isInteger(value) && value < most) return value;
    }
  }
  return Math.ceil(least);
}

import { settingValues } from '../../petstore/settings.js';
import { counted } from '../../values/counted.js';
import { type Knowledge, notAsked } from './clue.js';

/** From least to most, in milliseconds: when a request arrived is known only as well as the network lets it. */
export type Between = readonly [leastMs: number, mostMs: number];

/** A refused request after the first of an episode. */
export interface EarlyRequest {
  readonly afterFirstMs: Between;
  /** By the clock of the service, as far as `Date` tells it. */
  readonly beforePromiseMs: Between;
}

/** From the first refusal of a key to its next served request, or to a ban. */
export interface BanEpisode {
  /** In the order in which they were sent; the last one may have begun the ban. */
  readonly early: readonly EarlyRequest[];
  readonly isBanned: boolean;
  /** Whether all of it were questions of ours. */
  readonly isOurs: boolean;
  /** Whether every refusal promised the same instant. */
  readonly isSteady: boolean;
  readonly places: readonly string[];
}

/** What is known of the rules of bans: a strike is a refused request after the grace, and too early by more than the tolerance. */
export interface BanRules {
  /** How many strikes ban; `undefined` while nobody knows. */
  readonly after: number | undefined;
  /** Whether no other number explains what was seen. */
  readonly isOnly: boolean;
  readonly graceMs: Between;
  readonly toleranceMs: Between;
}

/** No service counts further. */
const mostStrikes = 20;
/** After so many refused requests without a ban there is none: later than any grace, and too early by more than any tolerance. */
const enoughStrikes = 10;
const sureStrike = { afterFirstMs: 5_000, beforePromiseMs: 2_000 };
const never = Number.POSITIVE_INFINITY;

/** What episodes show together. */
export function readBanRules(episodes: readonly BanEpisode[]): BanRules {
  const steady = episodes.filter(({ isSteady }) => isSteady);
  const fits: { after: number; graceMs: Between }[] = [];
  for (let after = 1; after <= mostStrikes; after++) {
    const graceMs = graceFor(after, steady);
    if (graceMs !== undefined) fits.push({ after, graceMs });
  }
  const byDefault = settingValues.banGraceMs.default;
  // Of several the one with the usual grace: the others are chance.
  const best = fits.find(({ graceMs }) => isIn(byDefault, graceMs)) ?? fits[0];
  if (best === undefined || !steady.some(({ isBanned }) => isBanned)) {
    return { after: undefined, isOnly: false, graceMs: [0, never], toleranceMs: [0, never] };
  }
  return { ...best, isOnly: fits.length === 1, toleranceMs: toleranceFor(best.after, best.graceMs, steady) };
}

/**
 * The graces with which so many strikes explain every ban. Requests come ever closer to the promise, so those before the
 * ban that did not count can only have come within the grace.
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

/** The tolerances that explain which of the last requests before a promise banned, and which did not. */
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

/** What is known of the choices about strikes. @param isAlone whether nobody else uses the key, as far as can be seen */
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

/** A number of milliseconds of which a range is known; a wide one says nothing. Never certain, since no test is that exact. */
function rangeKnowledge(unknown: Knowledge, [least, most]: Between, byDefault: number): Knowledge {
  if (most > Math.max(500, 3 * least)) return unknown;
  const value = isIn(byDefault, [least, most]) ? byDefault : roundest(least, most);
  const evidence = [`at least ${Math.round(least)} ms, less than ${Math.round(most)} ms`];
  return { ...unknown, state: 'likely', value, left: [value], evidence };
}

/** The number within a range that a person would write. */
export function roundest(least: number, most: number): number {
  for (let step = 10 ** 9; step >= 1; step /= 10) {
    for (const part of [step, step / 2]) {
      const value = Math.ceil(least / part) * part;
      if (Number.isInteger(value) && value < most) return value;
    }
  }
  return Math.ceil(least);
}

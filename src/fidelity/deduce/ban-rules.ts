import { settingValues } from '../../petstore/settings.js';
import { pluralize } from '../../values/pluralize.js';
import { decided, type Knowledge, notAsked } from './observation.js';

/** Range of a time in milliseconds. Network latency makes arrival times uncertain. */
export type Bounds = readonly [minimumMs: number, maximumMs: number];

/** 429 that a client received because it retried too early. */
export interface EarlyRequest {
  readonly afterFirstMs: Bounds;
  /**
   * Time from this too early request to the retry time that the previous 429 named. A range, because the service's
   * clock is known only from `Date` headers.
   */
  readonly beforePromiseMs: Bounds;
}

/** Episode of a key: its requests from a first 429 to the next served request or ban. */
export interface BanEpisode {
  /**
   * Further 429 responses after the first one, until the key was accepted again or banned, in order. The last one may
   * have started the ban.
   */
  readonly early: EarlyRequest[];
  isBanned: boolean;
  /**
   * Whether `calibrate` itself sent the request that got the first 429. The recorded early retries until a ban are then
   * assumed to be complete, so that their number can be certain.
   */
  readonly isStartedByCalibrate: boolean;
  /** Whether every 429 from the key's first refusal to its next success or ban named the same reset time. */
  isSteady: boolean;
  readonly places: string[];
}

/**
 * Rules of a real API for banning keys, deduced from its responses. A strike is a too early retry that counts towards a
 * ban. Retries in a grace period after the first 429, and retries that are early by less than a tolerance, are no
 * strikes.
 */
export interface BanRules {
  /** Number of strikes that cause a ban; `undefined` if unknown. */
  readonly after: number | undefined;
  /** Whether `after` is the only number of strikes that explains the observed bans. */
  readonly isOnly: boolean;
  readonly graceMs: Bounds;
  readonly toleranceMs: Bounds;
}

/**
 * Maximum number of strikes that the analysis of an API's responses tries as the cause of a ban. The analysis tries
 * each number from 1.
 */
const maximumStrikes = 20;
/** Number of clearly too early retries without a ban that shows that the API never bans. */
const enoughStrikes = 10;
const sureStrike = { afterFirstMs: 5_000, beforePromiseMs: 2_000 };
const never = Number.POSITIVE_INFINITY;

/** Derives the rules about bans that explain all observed series of refusals. */
export function readBanRules(episodes: readonly BanEpisode[]): BanRules {
  const steady = episodes.filter(({ isSteady }) => isSteady);
  const fits: { after: number; graceMs: Bounds }[] = [];
  for (let after = 1; after <= maximumStrikes; after++) {
    const graceMs = graceFor(after, steady);
    if (graceMs !== undefined) fits.push({ after, graceMs });
  }
  const byDefault = settingValues.banGraceMs.default;
  // If several ban rules explain the observed bans, prefers a rule with the documented grace period, in which a retry
  // is no strike.
  const best = fits.find(({ graceMs }) => isIn(byDefault, graceMs)) ?? fits[0];
  if (best === undefined || !steady.some(({ isBanned }) => isBanned)) {
    return { after: undefined, isOnly: false, graceMs: [0, never], toleranceMs: [0, never] };
  }
  return { ...best, isOnly: fits.length === 1, toleranceMs: toleranceFor(best.after, best.graceMs, steady) };
}

/**
 * Returns the range of grace periods that explains every observed ban, in milliseconds; `undefined` if none does. A
 * grace period follows a key's first 429, and early retries in it are not strikes.
 * @param after assumed number of strikes that cause a ban
 */
function graceFor(after: number, episodes: readonly BanEpisode[]): Bounds | undefined {
  let [minimum, maximum] = [0, never];
  for (const { early, isBanned } of episodes) {
    if (!isBanned) continue;
    const [counted, uncounted] = [early.at(-after), early.at(-after - 1)];
    if (counted === undefined) return undefined;
    maximum = Math.min(maximum, counted.afterFirstMs[1]);
    if (uncounted !== undefined) minimum = Math.max(minimum, uncounted.afterFirstMs[0]);
  }
  return minimum < maximum ? [minimum, maximum] : undefined;
}

/**
 * Returns the range of the ban tolerance that explains which early retries led to a ban, in milliseconds. The tolerance
 * is the time by which a retry may be early without a strike.
 */
function toleranceFor(after: number, [, graceMs]: Bounds, episodes: readonly BanEpisode[]): Bounds {
  let [minimum, maximum] = [0, never];
  for (const { early, isBanned } of episodes) {
    const last = early.at(-1);
    if (isBanned && last !== undefined) maximum = Math.min(maximum, last.beforePromiseMs[1]);
    const spared = isBanned ? undefined : early.filter(({ afterFirstMs: [after] }) => after > graceMs)[after - 1];
    if (spared !== undefined) minimum = Math.max(minimum, spared.beforePromiseMs[0]);
  }
  return [minimum, maximum];
}

const isIn = (value: number, [minimum, maximum]: Bounds) => value >= minimum && value < maximum;

/**
 * Derives from observed refusals and bans which requests the service counts as strikes.
 * @param isAlone whether no other client seems to use the key
 */
export function strikeKnowledge(episodes: readonly BanEpisode[], isAlone: boolean): Knowledge[] {
  const { after, isOnly, graceMs, toleranceMs } = readBanRules(episodes);
  const banned = episodes.filter(({ isBanned }) => isBanned);
  const evidence = banned
    .slice(-3)
    .map(({ places, early }) => `${places.at(-1)}: banned with rejection ${early.length + 1}`);
  if (after === undefined) {
    const spared = episodes.find(
      ({ early, isSteady }) => isSteady && early.filter(isSureStrike).length >= enoughStrikes,
    );
    const says =
      spared && `${spared.places[0]} and ${pluralize(spared.early.length, 'refused request')} after it: no ban`;
    const none = says === undefined ? notAsked('banAfter') : decided('banAfter', 'likely', 0, [says]);
    return [none, notAsked('banGraceMs'), notAsked('banToleranceMs')];
  }
  const isCertain =
    isOnly && isAlone && banned.length > 1 && banned.every(({ isStartedByCalibrate }) => isStartedByCalibrate);
  return [
    decided('banAfter', isCertain ? 'certain' : 'likely', after, evidence),
    rangeKnowledge('banGraceMs', graceMs),
    rangeKnowledge('banToleranceMs', toleranceMs),
  ];
}

const isSureStrike = ({ afterFirstMs, beforePromiseMs }: EarlyRequest) =>
  afterFirstMs[0] > sureStrike.afterFirstMs && beforePromiseMs[0] > sureStrike.beforePromiseMs;

/**
 * Estimates the setting `banGraceMs` or `banToleranceMs` from the range of its possible values. The estimate is never
 * certain, because the exact arrival times are unknown.
 */
function rangeKnowledge(about: 'banGraceMs' | 'banToleranceMs', [minimum, maximum]: Bounds): Knowledge {
  if (maximum > Math.max(500, 3 * minimum)) return notAsked(about);
  const byDefault = settingValues[about].default;
  const value = isIn(byDefault, [minimum, maximum]) ? byDefault : roundestNumber(minimum, maximum);
  return decided(about, 'likely', value, [`at least ${Math.round(minimum)} ms, less than ${Math.round(maximum)} ms`]);
}

/** Returns the roundest number in a range. */
export function roundestNumber(minimum: number, maximum: number): number {
  for (let step = 10 ** 9; step >= 1; step /= 10) {
    for (const part of [step, step / 2]) {
      const value = Math.ceil(minimum / part) * part;
      if (Number.isInteger(value) && value < maximum) return value;
    }
  }
  return Math.ceil(minimum);
}

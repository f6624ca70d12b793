import type { Settings } from '../../petstore/settings.js';
import { banLengthMs } from '../../rate-limits/api-key.js';
import type { Exchange } from '../../traffic-files/exchange.js';
import type { Bounds } from '../deduce/ban-rules.js';
import { BanWatch } from '../deduce/ban-watch.js';
import type { Learner } from '../deduce/learner.js';
import { parseExchange } from '../deduce/service-facts.js';
import type { ComparisonResult, ServiceDifference } from './difference.js';

/**
 * Settings about bans with numbers as values. `compare` allows a tolerance for them, because a service's responses show
 * rounded times.
 */
export const banNumbers = ['banAfter', 'banSeconds', 'banEscalation', 'banGraceMs', 'banToleranceMs'] as const;

/** Maximum rounding error of a reset time in a response. Services send reset times in whole seconds. */
const roundingMs = 1_000;
/** Assumed maximum number of bans that an API key had before the recording. */
const maximumEarlierBans = 8;

/**
 * Compares the bans in recorded responses of a real API with the scenario's ban settings.
 * @param isStated returns whether the scenario itself contains a setting; a difference in any other setting counts as
 * unchecked
 * @param slackSeconds maximum rounding error of the recorded ban lengths
 */
export function compareBans(
  settings: Settings,
  exchanges: readonly Exchange[],
  { banRules }: Learner,
  slackSeconds: number,
  isStated: (about: string) => boolean,
): ComparisonResult {
  const { banned, observedSeconds } = observeBans(exchanges);
  const place = [...banned].map(({ id }) => `#${id}`).join(', ');
  const differences: ServiceDifference[] = [];
  const [confirmed, unchecked]: [string[], string[]] = [[], []];
  const differ = (about: string, service: string, simulator: string) => {
    if (isStated(about)) differences.push({ kind: 'assumption', about, service, simulator, place });
    else unchecked.push(about);
  };

  const { after, isOnly, graceMs, toleranceMs } = banRules;
  const isAfterSame = after === settings.banAfter;
  if (after === undefined || !isOnly) unchecked.push('banAfter');
  else if (isAfterSame) confirmed.push('banAfter');
  else differ('banAfter', String(after), String(settings.banAfter));

  for (const [about, range] of [
    ['banGraceMs', graceMs],
    ['banToleranceMs', toleranceMs],
  ] as const) {
    if (after === undefined || !isAfterSame || isWithin(settings[about], range)) unchecked.push(about);
    else differ(about, `from ${Math.round(range[0])} to ${Math.round(range[1])}`, String(settings[about]));
  }

  const lengths = observedSeconds.flatMap((seconds, index) => (seconds === undefined ? [] : [{ seconds, index }]));
  const [first] = lengths;
  const fits = (slack: number, by = settings) =>
    Array.from({ length: maximumEarlierBans }, (_, index) => index - (first?.index ?? 0)).some((earlier) =>
      lengths.every(({ seconds, index }) => {
        // Allows a larger difference between the expected and the observed length of later bans. Ban lengths grow by a
        // factor, which also multiplies the rounding error of the first length.
        const ofFactor =
          by.banEscalation === false ? 0 : (seconds * (index + Math.max(0, earlier)) * 2) / by.banSeconds;
        return Math.abs(seconds - lengthOf(by, index + earlier)) <= slack * (1 + ofFactor);
      }),
    );
  const ofLengths = ['banSeconds', 'banEscalation'];
  if (first === undefined) unchecked.push(...ofLengths);
  else if (fits(0)) {
    confirmed.push('banSeconds');
    (lengths.length > 1 ? confirmed : unchecked).push('banEscalation');
  } else if (fits(slackSeconds)) unchecked.push(...ofLengths);
  else {
    const near = Array.from({ length: 2 * slackSeconds + 1 }, (_, index) => first.seconds - slackSeconds + index);
    const isOtherLength = near.some((banSeconds) => fits(slackSeconds, { ...settings, banSeconds }));
    const [about = '', other = ''] = isOtherLength ? ofLengths : ofLengths.toReversed();
    differ(
      about,
      `bans for ${lengths.map(({ seconds }) => `${seconds} s`).join(', ')}`,
      `for ${lengths.map(({ index }) => `${lengthOf(settings, index - first.index)} s`).join(', ')}`,
    );
    unchecked.push(other);
  }
  return {
    differences,
    confirmed: confirmed.filter(isStated),
    unchecked: [...unchecked, ...confirmed.filter((about) => !isStated(about))],
  };
}

/**
 * Finds the responses that report a ban, and the length of each ban in seconds. A length is `undefined` if unknown, for
 * example because the reset header shows the end of a used-up rate-limit window instead.
 */
export function observeBans(exchanges: readonly Exchange[]): {
  readonly banned: ReadonlySet<Exchange>;
  readonly observedSeconds: readonly (number | undefined)[];
} {
  const watch = new BanWatch();
  const banned = exchanges.filter((exchange) => {
    const parsed = parseExchange(exchange);
    const isBan = watch.isMarked(parsed);
    watch.add(parsed, isBan);
    return isBan;
  });
  return { banned: new Set(banned), observedSeconds: watch.lengths };
}

const isWithin = (value: number, [minimum, maximum]: Bounds) =>
  value >= minimum - roundingMs && value < maximum + roundingMs;

/** Length of one of a key's bans in the scenario, in seconds. `index` 0 is the key's first ban. */
const lengthOf = (settings: Settings, index: number) => banLengthMs(settings, index + 1) / 1000;

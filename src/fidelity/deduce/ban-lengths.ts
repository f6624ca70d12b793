import { settingValues } from '../../petstore/settings.js';
import type { LimitRules } from './limit-rules.js';
import { decided, type Knowledge, notAsked } from './observation.js';

/**
 * Assumed maximum length of growing bans if the observed bans show no maximum: three days. The API of Binance documents
 * this maximum.
 */
const longestSeconds = 259_200;

/** Observed lengths of a key's bans in seconds, in order; `undefined` for a ban whose end is unknown. */
interface BanLengths {
  readonly seconds: readonly (number | undefined)[];
  /** Number of seconds by which the real length of a ban may differ from the computed length. */
  readonly alternativeOffset: -1 | 0 | 1;
}

/**
 * Corrects observed ban lengths by one second if the API rounds reset times up to whole seconds.
 * @param lengths lengths of the bans in seconds, by the reset headers
 * @param waits Retry-After at the start of each ban, in seconds
 * @param roundings possible kinds of rounding of reset times
 */
export function correctBanLengths(
  lengths: readonly (number | undefined)[],
  waits: readonly (number | undefined)[],
  roundings: ReadonlySet<LimitRules['rounding']>,
): BanLengths {
  const mayRound = roundings.size === 0 || roundings.has('up');
  // A Retry-After one second below the reset header proves that the API rounds only the reset header up.
  const isExact = mayRound && lengths.some((seconds, index) => seconds !== undefined && waits[index] === seconds - 1);
  const doesRound = mayRound && roundings.size === 1;
  const lengthOf = (seconds: number, index: number) => {
    if (isExact) return Math.min(seconds, waits[index] ?? seconds);
    return doesRound ? seconds - 1 : seconds;
  };
  return {
    seconds: lengths.map((seconds, index) => seconds && lengthOf(seconds, index)),
    // The real length of a ban may differ from the computed length by one second. The responses do not show whether the
    // real API rounded the ban's reset time up.
    alternativeOffset: !mayRound || isExact ? 0 : doesRound ? 1 : -1,
  };
}

/**
 * Derives the length of bans (`banSeconds`) and the growth of repeated bans (`banEscalation`) from observed bans.
 * Neither result is certain: the key may have had earlier bans, and growing bans may have reached the maximum length.
 */
export function lengthKnowledge({ seconds: lengths, alternativeOffset }: BanLengths): Knowledge[] {
  const shown = lengths.flatMap((seconds, index) => (seconds === undefined ? [] : [{ seconds, index }]));
  const isSame = shown.length > 1 && shown.every(({ seconds }) => seconds === shown[0]?.seconds);
  const first = lengths[0] ?? (isSame ? shown[0]?.seconds : undefined);
  const ofOne = (seconds: number) =>
    alternativeOffset === 0 ? `${seconds} s` : `${seconds} or ${seconds + alternativeOffset} s`;
  const bans = `bans of ${shown.map(({ seconds }) => ofOne(seconds)).join(', ')}`;
  const escalation = isSame ? { value: settingValues.banEscalation.default, isEndSeen: true } : growth(shown);
  return [
    first === undefined
      ? notAsked('banSeconds')
      : {
          ...decided('banSeconds', 'likely', first, [bans]),
          ...(alternativeOffset !== 0 && { left: [first, first + alternativeOffset] }),
        },
    escalation === undefined
      ? notAsked('banEscalation')
      : decided('banEscalation', 'likely', escalation.value, [
          escalation.isEndSeen ? bans : `${bans}, and perhaps longer ones`,
        ]),
  ];
}

/** Derives the factor by which bans grow; `undefined` if they do not grow, or the factor is unclear. */
function growth(shown: readonly { readonly seconds: number; readonly index: number }[]) {
  const [first, second] = shown;
  if (first === undefined || second === undefined || second.seconds <= first.seconds) return undefined;
  // The API may round ban lengths up to whole seconds, so the second ban may be one second shorter.
  const root = 1 / (second.index - first.index);
  const minimum = ((second.seconds - 1) / first.seconds) ** root;
  const factor = simplest(minimum, (second.seconds / first.seconds) ** root);
  const expected = (index: number) => Math.ceil(first.seconds * factor ** (index - first.index));
  const shorter = shown.find(({ seconds, index }) => seconds < expected(index) - 1 - (index - first.index));
  const longest = Math.max(...shown.map(({ seconds }) => seconds));
  const value = { factor, maxSeconds: shorter?.seconds ?? Math.max(longestSeconds, longest) };
  return { value, isEndSeen: shorter !== undefined };
}

/** Returns the number with the fewest decimals that is above `minimum` and at most `maximum`. */
function simplest(minimum: number, maximum: number): number {
  for (let scale = 1; scale <= 1_000_000; scale *= 10) {
    const value = Math.floor(maximum * scale + 1e-9) / scale;
    if (value > minimum) return value;
  }
  return maximum;
}

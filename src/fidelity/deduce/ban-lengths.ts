import { settingValues } from '../../petstore/settings.js';
import { type Knowledge, notAsked } from './clue.js';
import type { LimitRules } from './limit-rules.js';

/** Longest ban where none was seen: three days, as documented by services with bans that grow. */
const longestSeconds = 259_200;

/** Lengths of bans in seconds, in their order; `undefined` if the end did not show. */
interface BanLengths {
  readonly seconds: readonly (number | undefined)[];
  /** Difference to another possible length of each; 0 if none. */
  readonly orElse: -1 | 0 | 1;
}

/**
 * Lengths by the resets, less one second if the service counts milliseconds and rounds resets up.
 * @param waits seconds that Retry-After named at the start of each ban
 * @param roundings units that explain the responses
 */
export function banLengths(
  lengths: readonly (number | undefined)[],
  waits: readonly (number | undefined)[],
  roundings: ReadonlySet<LimitRules['rounding']>,
): BanLengths {
  const mayRound = roundings.size === 0 || roundings.has('up');
  // A wait that is shorter than the reset was counted in milliseconds.
  const isExact = mayRound && lengths.some((seconds, index) => seconds !== undefined && waits[index] === seconds - 1);
  const doesRound = mayRound && roundings.size === 1;
  const lengthOf = (seconds: number, index: number) => {
    if (isExact) return Math.min(seconds, waits[index] ?? seconds);
    return doesRound ? seconds - 1 : seconds;
  };
  return {
    seconds: lengths.map((seconds, index) => seconds && lengthOf(seconds, index)),
    // A ban at the start of a second is not rounded.
    orElse: !mayRound || isExact ? 0 : doesRound ? 1 : -1,
  };
}

/**
 * Knowledge from the lengths of one key's bans. Likely at best: the key may have been banned before, and bans that grow may
 * have reached their longest.
 */
export function lengthKnowledge({ seconds: lengths, orElse }: BanLengths): Knowledge[] {
  const shown = lengths.flatMap((seconds, index) => (seconds === undefined ? [] : [{ seconds, index }]));
  const isSame = shown.length > 1 && shown.every(({ seconds }) => seconds === shown[0]?.seconds);
  const first = lengths[0] ?? (isSame ? shown[0]?.seconds : undefined);
  const ofOne = (seconds: number) => (orElse === 0 ? `${seconds} s` : `${seconds} or ${seconds + orElse} s`);
  const bans = `bans of ${shown.map(({ seconds }) => ofOne(seconds)).join(', ')}`;
  const likely = (about: Knowledge['about'], value: unknown, more = ''): Knowledge => ({
    ...notAsked(about),
    state: 'likely',
    value,
    left: [value],
    evidence: [bans + more],
  });
  const escalation = isSame ? { value: settingValues.banEscalation.default, isEndSeen: true } : growth(shown);
  return [
    first === undefined
      ? notAsked('banSeconds')
      : { ...likely('banSeconds', first), ...(orElse !== 0 && { left: [first, first + orElse] }) },
    escalation === undefined
      ? notAsked('banEscalation')
      : likely('banEscalation', escalation.value, escalation.isEndSeen ? '' : ', and perhaps longer ones'),
  ];
}

/** Growth of bans; `undefined` if they do not grow, or if it is open. */
function growth(shown: readonly { readonly seconds: number; readonly index: number }[]) {
  const [first, second] = shown;
  if (first === undefined || second === undefined || second.seconds <= first.seconds) return undefined;
  // Lengths are rounded up to whole seconds.
  const root = 1 / (second.index - first.index);
  const least = ((second.seconds - 1) / first.seconds) ** root;
  const factor = simplest(least, (second.seconds / first.seconds) ** root);
  const expected = (index: number) => Math.ceil(first.seconds * factor ** (index - first.index));
  const shorter = shown.find(({ seconds, index }) => seconds < expected(index) - 1 - (index - first.index));
  const longest = Math.max(...shown.map(({ seconds }) => seconds));
  const value = { factor, maxSeconds: shorter?.seconds ?? Math.max(longestSeconds, longest) };
  return { value, isEndSeen: shorter !== undefined };
}

/** The number with the fewest decimals above `least` and up to `most`. */
function simplest(least: number, most: number): number {
  for (let scale = 1; scale <= 1_000_000; scale *= 10) {
    const value = Math.floor(most * scale + 1e-9) / scale;
    if (value > least) return value;
  }
  return most;
}

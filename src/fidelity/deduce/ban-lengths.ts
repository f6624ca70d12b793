import { settingValues } from '../../petstore/settings.js';
import { type Knowledge, notAsked } from './clue.js';

/** The longest ban where none was seen: three days, as of the services that say so. */
const longestSeconds = 259_200;

/**
 * What the lengths of the bans of one key say, in their order. Likely at best: the key may have been banned before, and
 * bans that grow may have come to their longest.
 * @param lengths in seconds; `undefined` where the end did not show
 */
export function lengthKnowledge(lengths: readonly (number | undefined)[]): Knowledge[] {
  const shown = lengths.flatMap((seconds, index) => (seconds === undefined ? [] : [{ seconds, index }]));
  const isSame = shown.length > 1 && shown.every(({ seconds }) => seconds === shown[0]?.seconds);
  const first = lengths[0] ?? (isSame ? shown[0]?.seconds : undefined);
  const bans = `bans of ${shown.map(({ seconds }) => `${seconds} s`).join(', ')}`;
  const likely = (about: Knowledge['about'], value: unknown, more = ''): Knowledge => ({
    ...notAsked(about),
    state: 'likely',
    value,
    left: [value],
    evidence: [bans + more],
  });
  const escalation = isSame ? { value: settingValues.banEscalation.default, isEndSeen: true } : growth(shown);
  return [
    first === undefined ? notAsked('banSeconds') : likely('banSeconds', first),
    escalation === undefined
      ? notAsked('banEscalation')
      : likely('banEscalation', escalation.value, escalation.isEndSeen ? '' : ', and perhaps longer ones'),
  ];
}

/** How bans grow; `undefined` where they do not, or where that is not known. */
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

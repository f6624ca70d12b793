import { maskedKey } from '../values/mask-key.js';
import type { Simulator } from './simulator.js';

/** A key shorter than this is no secret, and would be found everywhere. */
const shortestSecret = 6;

type KeySource = Pick<Simulator, 'keys' | 'scenario'>;

/** Replaces keys in one text. */
export type Redact = (text: string) => string;

/**
 * A key as logs, reports and the control API show it: whole where the scenario names it, since it is written in a file
 * then; else only its end.
 */
export const displayKey = ({ scenario }: Pick<Simulator, 'scenario'>, key: string): string =>
  isNamed(scenario, key) ? key : maskedKey(key);

/**
 * Masks API keys in texts: every known key that the scenario does not name, and the key that the request brought.
 * Everything of a request that leaves the simulator goes through it, except the answer to the client.
 * @returns a function that takes all texts of one request, joined, to find the keys in them once, and gives a function
 * that masks these keys in one text
 */
export function createRedactor(sim: KeySource): (about: string, token?: string) => Redact {
  let texts: readonly string[] = [];
  let scenario: Simulator['scenario'] | undefined;
  let findKnown: (about: string) => Iterable<string> = () => [];
  return (about, token = '') => {
    const current = sim.keys.texts;
    if (scenario !== sim.scenario || !isSame(texts, current)) {
      texts = current;
      scenario = sim.scenario;
      findKnown = createFinder(texts.filter((key) => !isNamed(sim.scenario, key)));
    }
    const found = new Map<string, string>();
    for (const key of findKnown(about)) addSpellings(found, key);
    if (!isNamed(scenario, token)) addSpellings(found, token);
    if (found.size === 0) return (text) => text;
    // Of two keys, one within the other, the longer goes first.
    const spellings = [...found].sort(([a], [b]) => b.length - a.length);
    return (text) => spellings.reduce((shown, [spelling, mask]) => shown.replaceAll(spelling, () => mask), text);
  };
}

const isNamed = (scenario: Simulator['scenario'], key: string) => Object.hasOwn(scenario.keys ?? {}, key);

const isSame = (a: readonly string[], b: readonly string[]) =>
  a.length === b.length && a.every((text, index) => text === b[index]);

/** How a key stands in texts: as it is, percent-encoded in a target, escaped in JSON. */
const spellingsOf = (key: string): string[] =>
  key.length < shortestSecret ? [] : [key, encodeURIComponent(key.toWellFormed()), JSON.stringify(key).slice(1, -1)];

function addSpellings(found: Map<string, string>, key: string): void {
  for (const spelling of spellingsOf(key)) found.set(spelling, maskedKey(key));
}

/**
 * Finds keys in a text in one pass, however many keys there are: by their first characters, and then by their lengths,
 * of which there are few.
 */
function createFinder(keys: readonly string[]): (about: string) => Iterable<string> {
  const byStart = new Map<string, Map<number, Map<string, string>>>();
  for (const key of keys) {
    for (const spelling of spellingsOf(key)) {
      const start = spelling.slice(0, shortestSecret);
      const byLength = byStart.get(start) ?? new Map<number, Map<string, string>>();
      byStart.set(start, byLength);
      const known = byLength.get(spelling.length) ?? new Map<string, string>();
      byLength.set(spelling.length, known.set(spelling, key));
    }
  }
  if (byStart.size === 0) return () => [];
  const firstCodes = new Set(Array.from(byStart.keys(), (start) => start.charCodeAt(0)));
  return (about) => {
    const found = new Set<string>();
    for (let at = 0; at + shortestSecret <= about.length; at++) {
      if (!firstCodes.has(about.charCodeAt(at))) continue;
      const byLength = byStart.get(about.slice(at, at + shortestSecret));
      if (byLength === undefined) continue;
      for (const [length, known] of byLength) {
        const key = known.get(about.slice(at, at + length));
        if (key !== undefined) found.add(key);
      }
    }
    return found;
  };
}

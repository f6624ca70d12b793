import { maskedKey } from '../values/mask-key.js';
import type { Simulator } from './simulator.js';

/**
 * Hides API keys in what leaves the simulator: journal, HAR, events, verdicts. Keys that the scenario names stand in its
 * file and are shown whole, so that people can tell them apart. Every other key is masked: keys that were added later,
 * keys that `acceptAnyKey` made up, and whatever a client sent as its token.
 */
export interface KeyMask {
  /** A key as it is shown: whole where the scenario names it, else only its end. */
  show(key: string): string;
  /** A text with every key in it that must not be shown masked, also where it is escaped as in a URL or in JSON. */
  hide(text: string): string;
  /** Adds the token of a request to the texts that `hide` looks for. */
  learn(token: string | undefined): void;
}

/** A key shorter than this is no secret, and would be found in every text. */
const shortestSecret = 6;

/** A mask that knows the keys of the simulator, also later ones, and the tokens of its journal so far. */
export function createKeyMask(sim: Pick<Simulator, 'scenario' | 'keys' | 'journal'>): KeyMask {
  let seen: { scenario: unknown; revision: number } | undefined;
  let finder = createFinder();
  const isNamed = (key: string) => Object.hasOwn(sim.scenario.keys ?? {}, key);
  const learn = (token: string | undefined) => {
    if (token === undefined || token.length < shortestSecret || isNamed(token)) return;
    const masked = maskedKey(token);
    for (const form of [token, encodeURIComponent(token.toWellFormed()), JSON.stringify(token).slice(1, -1)]) {
      finder.add(form, masked);
    }
  };
  const update = () => {
    const { scenario } = sim;
    const { revision } = sim.keys;
    if (seen?.scenario === scenario && seen.revision === revision) return;
    seen = { scenario, revision };
    finder = createFinder();
    for (const key of sim.keys.texts) learn(key);
    for (const { token } of sim.journal.query()) learn(token);
  };
  return {
    show: (key) => (isNamed(key) ? key : maskedKey(key)),
    hide(text) {
      update();
      return finder.replace(text);
    },
    learn(token) {
      update();
      learn(token);
    },
  };
}

/** Of a longer text only this much is looked for; what follows is masked as far as it can belong to a token. */
const longestSearched = 64;
/** RFC 6750 section 2.1, and "%" for what a URL escapes. */
const restOfToken = /[A-Za-z0-9._~+/=%-]*/y;

/** The texts of one length that are looked for: their hashes, and those as bits of a small table that is asked first. */
interface SameLength {
  readonly length: number;
  /** What the first character of a part of this length adds to its hash. */
  readonly weight: number;
  readonly hashes: Set<number>;
  readonly table: Uint8Array;
}

const base = 0x01000193;
const tableSize = 4096;

/**
 * Replaces many texts at once, with a rolling hash for each length (Rabin and Karp): the time depends on the text that is
 * searched and on how many lengths there are, not on how many texts are looked for.
 */
function createFinder() {
  const replacements = new Map<string, string>();
  const lengths: SameLength[] = [];

  /** Where texts begin that are looked for, with their lengths; of several at one place the longest. */
  function find(text: string): [at: number, length: number][] {
    const found = new Map<number, number>();
    for (const { length, weight, hashes, table } of lengths) {
      let hash = hashOf(text.slice(0, length));
      for (let at = 0; at + length <= text.length; at++) {
        if (at > 0) {
          hash = (hash - Math.imul(text.charCodeAt(at - 1), weight)) | 0;
          hash = (Math.imul(hash, base) + text.charCodeAt(at + length - 1)) | 0;
        }
        if (table[hash & (tableSize - 1)] === 0 || !hashes.has(hash) || found.has(at)) continue;
        if (replacements.has(text.slice(at, at + length))) found.set(at, length);
      }
    }
    return [...found].sort(([a], [b]) => a - b);
  }

  return {
    add(text: string, replacement: string): void {
      const start = text.slice(0, longestSearched);
      if (replacements.has(start)) return;
      replacements.set(start, replacement);
      const same = lengths.find(({ length }) => length === start.length) ?? addLength(lengths, start.length);
      const hash = hashOf(start);
      same.hashes.add(hash);
      same.table[hash & (tableSize - 1)] = 1;
    },
    replace(text: string): string {
      let shown = '';
      let copied = 0;
      let replacement = '';
      for (const [at, length] of find(text)) {
        if (at + length <= copied) continue;
        // Of texts that overlap, all that they cover is replaced once, by what stands for the last of them.
        if (at >= copied) shown += replacement + text.slice(copied, at);
        replacement = replacements.get(text.slice(at, at + length)) as string;
        copied = length < longestSearched ? at + length : endOfToken(text, at + length);
      }
      return shown + replacement + text.slice(copied);
    },
  };
}

function addLength(lengths: SameLength[], length: number): SameLength {
  let weight = 1;
  for (let n = 1; n < length; n++) weight = Math.imul(weight, base);
  const added = { length, weight, hashes: new Set<number>(), table: new Uint8Array(tableSize) };
  lengths.push(added);
  lengths.sort((a, b) => b.length - a.length);
  return added;
}

function hashOf(text: string): number {
  let hash = 0;
  for (let at = 0; at < text.length; at++) hash = (Math.imul(hash, base) + text.charCodeAt(at)) | 0;
  return hash;
}

function endOfToken(text: string, from: number): number {
  restOfToken.lastIndex = from;
  restOfToken.test(text);
  return restOfToken.lastIndex;
}

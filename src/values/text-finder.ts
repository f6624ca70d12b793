import { decodingsOf } from './decoded-text.js';
import { maskedKey } from './mask-key.js';

/** Minimum length of a key that is a secret. A shorter one would match everywhere. */
export const shortestSecret = 6;

/** A part of a text that stands for a token. */
interface Found {
  readonly at: number;
  readonly end: number;
  readonly token: string;
}

/** A length of texts that are looked for. */
interface Length {
  readonly length: number;
  /** What the first character of a part of this length adds to its hash. */
  readonly weight: number;
}

const base = 0x01000193;
/** Of the table that is asked before the texts themselves: at least so many places, and so many for each text. */
const leastPlaces = 2 ** 15;
const placesEach = 8;

/** Of a longer text only this much is looked for; what follows is replaced as far as it can belong to a token. */
const longestSearched = 64;
/** RFC 6750 section 2.1, and "%" for what a URL escapes. */
const restOfToken = /[A-Za-z0-9._~+/=%-]*/y;

/**
 * Replaces many tokens at once in a text, in any spelling by percent-encoding and JSON escapes, with a rolling hash for each
 * length (Rabin and Karp): the time depends on the text that is searched and on how many lengths there are, not on how many
 * tokens are looked for. To learn 150,000 of them takes 60 to 100 ms.
 * @param expected how many tokens there will be, about: many more make it slow
 * @param replace what stands for a token
 */
export function createTextFinder(expected: number, replace: (token: string) => string) {
  /** The tokens by what is looked for of their spellings. */
  const tokens = new Map<string, string>();
  const lengths: Length[] = [];
  /** The same by their length. */
  const known: boolean[] = [];
  const table = new Uint8Array(Math.max(leastPlaces, 2 ** Math.ceil(Math.log2(expected * placesEach))));
  const mask = table.length - 1;

  /** Tokens in a text, in any spelling, by their places. */
  function find(text: string): Found[] {
    if (lengths.length === 0) return [];
    const found = findAsWritten(text);
    for (const { text: decoded, originOf } of decodingsOf(text)) {
      for (const { at, end, token } of findAsWritten(decoded))
        found.push({ at: originOf(at), end: originOf(end), token });
    }
    return found.sort((a, b) => a.at - b.at || b.end - a.end);
  }

  /** Of several tokens at one place the longest. */
  function findAsWritten(text: string): Found[] {
    if (text.length < shortestSecret) return [];
    const found = new Map<number, Found>();
    for (const { length, weight } of lengths) {
      let hash = hashOf(text.slice(0, length));
      for (let at = 0; at + length <= text.length; at++) {
        if (at > 0) {
          hash = (hash - Math.imul(text.charCodeAt(at - 1), weight)) | 0;
          hash = (Math.imul(hash, base) + text.charCodeAt(at + length - 1)) | 0;
        }
        if (table[hash & mask] === 0 || found.has(at)) continue;
        const token = tokens.get(text.slice(at, at + length));
        if (token !== undefined) found.set(at, { at, end: endOf(text, at, length, token), token });
      }
    }
    return [...found.values()];
  }

  return {
    isEmpty: () => tokens.size === 0,
    find,
    /**
     * @param spelling how the token stands in texts, at least `shortestSecret` characters
     * @returns whether it is new
     */
    add(spelling: string, token: string): boolean {
      const start = spelling.slice(0, longestSearched);
      const { size } = tokens;
      tokens.set(start, token);
      if (tokens.size === size) return false;
      if (!known[start.length]) {
        known[start.length] = true;
        addLength(lengths, start.length);
      }
      table[hashOf(start) & mask] = 1;
      return true;
    },
    /** The text with every token in it replaced. */
    replace(text: string): string {
      let shown = '';
      let copied = 0;
      let replacement = '';
      for (const { at, end, token } of find(text)) {
        if (end <= copied) continue;
        // Of tokens that overlap, all that they cover is replaced once, by what stands for the last of them.
        if (at >= copied) shown += replacement + text.slice(copied, at);
        replacement = replace(token);
        copied = end;
      }
      return shown + replacement + text.slice(copied);
    },
  };
}

/** Replaces one key in a text, in any spelling. Default of `name`: the masked key. */
export function replaceKey(text: string, key = '', name = maskedKey(key)): string {
  if (key.length < shortestSecret) return text;
  // Large bodies without escapes take a tenth of the time this way.
  if (!/[%\\]/.test(text) && key.length <= longestSearched) return text.replaceAll(key, () => name);
  const finder = createTextFinder(1, () => name);
  finder.add(key, key);
  return finder.replace(text);
}

function addLength(lengths: Length[], length: number): void {
  let weight = 1;
  for (let n = 1; n < length; n++) weight = Math.imul(weight, base);
  lengths.push({ length, weight });
  lengths.sort((a, b) => b.length - a.length);
}

function hashOf(text: string): number {
  let hash = 0;
  for (let at = 0; at < text.length; at++) hash = (Math.imul(hash, base) + text.charCodeAt(at)) | 0;
  return hash;
}

/** The end of a token of which `length` characters were searched. */
function endOf(text: string, at: number, length: number, token: string): number {
  if (length < longestSearched) return at + length;
  restOfToken.lastIndex = text.startsWith(token, at) ? at + token.length : at + length;
  restOfToken.test(text);
  return restOfToken.lastIndex;
}

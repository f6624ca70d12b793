import { decodingsOf } from './decoded-text.js';
import { maskedKey } from './mask-key.js';

/**
 * Minimum length of an API key that is masked in texts, in characters. Shorter keys are not masked, because they would
 * match parts of ordinary words.
 */
export const minimumKeyLength = 6;

/** Occurrence of an API key in a text. */
interface Found {
  readonly at: number;
  readonly end: number;
  readonly token: string;
}

/** Group of API keys with the same number of compared characters, which are to be masked in texts. */
interface Length {
  readonly length: number;
  /** Factor of a text's first character in the rolling hash, for texts of this length. */
  readonly weight: number;
}

const base = 0x01000193;
/** Minimum number of slots in the hash table of the API keys to replace in texts. */
const minimumSlots = 2 ** 15;
/** Number of hash table slots for each API key. Unused slots make hash collisions rare. */
const slotsPerKey = 8;

/**
 * Maximum number of characters that are compared to find an API key in a text. Of a key of at least this length, all
 * following characters that a key can contain are masked too, even if they differ.
 */
const comparedCharacters = 64;
/** Characters of a key (RFC 6750 section 2.1), and "%" of URL escapes. */
const restOfToken = /[A-Za-z0-9._~+/=%-]*/y;

/**
 * Creates a replacer of many API keys in texts, even if percent-encoded or escaped in JSON. A rolling hash per key
 * length (Rabin-Karp) makes the time independent of the number of keys. Adding 150,000 keys takes 60 to 100 ms.
 * @param expected approximate number of keys; many more make the search slow
 * @param replace returns the replacement of a key
 */
export function createTextFinder(expected: number, replace: (token: string) => string) {
  /** API keys to find in texts, by their first 64 characters. The search compares only these characters with a text. */
  const tokens = new Map<string, string>();
  const lengths: Length[] = [];
  const table = new Uint8Array(Math.max(minimumSlots, 2 ** Math.ceil(Math.log2(expected * slotsPerKey))));
  const mask = table.length - 1;

  /** Finds the known API keys in a text, even if percent-encoded or escaped in JSON, in order of position. */
  function find(text: string): Found[] {
    if (lengths.length === 0) return [];
    const found = findAsWritten(text);
    for (const { text: decoded, originOf } of decodingsOf(text)) {
      for (const { at, end, token } of findAsWritten(decoded))
        found.push({ at: originOf(at), end: originOf(end), token });
    }
    return found.sort((a, b) => a.at - b.at || b.end - a.end);
  }

  /** Finds API keys in a text that is not URL-decoded. Of several keys at one position, returns the longest. */
  function findAsWritten(text: string): Found[] {
    if (text.length < minimumKeyLength) return [];
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
     * Adds an API key whose occurrences `find` searches for in texts.
     * @param spelling form in which the key occurs in texts, at least `minimumKeyLength` characters
     * @returns whether the key is new
     */
    add(spelling: string, token: string): boolean {
      const start = spelling.slice(0, comparedCharacters);
      const { size } = tokens;
      tokens.set(start, token);
      if (tokens.size === size) return false;
      if (!lengths.some(({ length }) => length === start.length)) addLength(lengths, start.length);
      table[hashOf(start) & mask] = 1;
      return true;
    },
    /** Replaces each API key in a text by its masked form. */
    replace(text: string): string {
      let shown = '';
      let copied = 0;
      let replacement = '';
      for (const { at, end, token } of find(text)) {
        if (end <= copied) continue;
        // Replaces overlapping API keys in a text together by the masked form of the last key. No part of any key
        // remains visible.
        if (at >= copied) shown += replacement + text.slice(copied, at);
        replacement = replace(token);
        copied = end;
      }
      return shown + replacement + text.slice(copied);
    },
  };
}

/**
 * Replaces one API key in a text, also where the key is escaped by percent signs or backslashes. Keys of fewer than six
 * characters stay. The default replacement is the masked key.
 */
export function replaceKey(text: string, key = '', name = maskedKey(key)): string {
  if (key.length < minimumKeyLength) return text;
  // Uses the faster `replaceAll` for a text without percent signs and backslashes, because an escaped API key contains
  // at least one of these characters. The search for escaped keys takes ten times as long.
  if (!/[%\\]/.test(text) && key.length <= comparedCharacters) return text.replaceAll(key, () => name);
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

/**
 * Returns the position at which an API key in a text ends. The key starts at position `at`. A key of at least 64
 * characters ends before the first character that no key contains.
 */
function endOf(text: string, at: number, length: number, token: string): number {
  if (length < comparedCharacters) return at + length;
  restOfToken.lastIndex = text.startsWith(token, at) ? at + token.length : at + length;
  restOfToken.test(text);
  return restOfToken.lastIndex;
}

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

/** Of a longer text only this much is looked for; what follows is replaced as far as it can belong to a token. */
const longestSearched = 64;
/** RFC 6750 section 2.1, and "%" for what a URL escapes. */
const restOfToken = /[A-Za-z0-9._~+/=%-]*/y;

/**
 * Replaces many tokens at once in a text, with a rolling hash for each length (Rabin and Karp): the time depends on the
 * text that is searched and on how many lengths there are, not on how many tokens are looked for.
 */
export function createTextFinder(shortest: number) {
  const replacements = new Map<string, string>();
  const lengths: SameLength[] = [];

  /** Where tokens begin, with how much of them was looked for; of several at one place the longest. */
  function find(text: string): [at: number, length: number][] {
    if (lengths.length === 0 || text.length < shortest) return [];
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
    find,
    has: (text: string) => replacements.has(text.slice(0, longestSearched)),
    /** @param text at least `shortest` characters */
    add(text: string, replacement: string): void {
      const start = text.slice(0, longestSearched);
      if (replacements.has(start)) return;
      replacements.set(start, replacement);
      const same = lengths.find(({ length }) => length === start.length) ?? addLength(lengths, start.length);
      const hash = hashOf(start);
      same.hashes.add(hash);
      same.table[hash & (tableSize - 1)] = 1;
    },
    /** The text with every token in it replaced. */
    replace(text: string): string {
      let shown = '';
      let copied = 0;
      let replacement = '';
      for (const [at, length] of find(text)) {
        if (at + length <= copied) continue;
        // Of tokens that overlap, all that they cover is replaced once, by what stands for the last of them.
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

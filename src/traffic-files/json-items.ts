/** One object of a recording as text: an entry of a HAR, or an object that stands by itself, as in JSON Lines. */
export interface JsonItem {
  readonly kind: 'har-entry' | 'object';
  readonly text: string;
}

/** Larger than this, one object is left out: no answer of the API is. */
const maximumItemBytes = 32 * 1024 * 1024;

const [quote, backslash, open, close, openList, closeList] = [34, 92, 123, 125, 91, 93];
const entriesKey = [...new TextEncoder().encode('entries')];
const logKey = [...new TextEncoder().encode('log')];

/** A file is neither a HAR nor JSON Lines. The message says what was found. */
export class RecordingError extends Error {
  override readonly name = 'RecordingError';
}

/**
 * Finds the objects of a recording in its bytes, as they come in pieces, without holding more than one of them: those of
 * `log.entries` where the file is a HAR, else those that stand by themselves. Byte by byte, because 100 MB of text that is
 * parsed at once takes a gigabyte.
 */
export class JsonItems {
  /** How many objects were left out because they are too large. */
  oversized = 0;
  readonly #decoder = new TextDecoder();
  #depth = 0;
  #isInString = false;
  #isEscaped = false;
  /** The name that was read last at a depth where names decide: 1 and 2. */
  #name: number[] = [];
  #isInHar = false;
  #isInEntries = false;
  #kept: Uint8Array[] = [];
  #keptBytes = 0;
  /** The depth of the object that is being collected; 0: none. */
  #itemDepth = 0;

  /** Takes the next piece. @throws {RecordingError} when it cannot be a recording */
  push(piece: Uint8Array): JsonItem[] {
    const items: JsonItem[] = [];
    const { length } = piece;
    let start = this.#itemDepth > 0 ? 0 : -1;
    for (let at = 0; at < length; at++) {
      if (this.#isInString) {
        at = this.#skipString(piece, at);
        continue;
      }
      const byte = piece[at] as number;
      if (byte === quote) {
        this.#isInString = true;
        if (this.#depth <= 2) this.#name = [];
      } else if (byte === open || byte === openList) {
        this.#depth++;
        if (this.#opens(byte)) start = at;
        else if (this.#isInHar && this.#itemDepth === 0) start = -1;
      } else if (byte === close || byte === closeList) {
        if (this.#depth === this.#itemDepth && byte === close) {
          this.#keep(piece.subarray(start, at + 1));
          const item = this.#take();
          if (item !== undefined) items.push(item);
          start = -1;
        }
        this.#depth--;
        if (this.#depth === 2 && byte === closeList) this.#isInEntries = false;
        if (this.#depth === 0) this.#isInHar = false;
        if (this.#depth < 0) throw unexpected(byte);
      } else if (this.#depth === 0 && byte > 32 && byte < 0xbb) {
        throw unexpected(byte);
      }
    }
    if (this.#itemDepth > 0) this.#keep(piece.subarray(start).slice());
    return items;
  }

  /** Goes to the end of a string, or of the piece. Most of a recording is strings, so quotes are looked for natively. */
  #skipString(piece: Uint8Array, from: number): number {
    // A backslash at the end of the piece before escapes the first byte of this one.
    let start = from + (this.#isEscaped ? 1 : 0);
    this.#isEscaped = false;
    let end = piece.indexOf(quote, start);
    while (end >= 0 && backslashesBefore(piece, end, start) % 2 === 1) {
      start = end + 1;
      end = piece.indexOf(quote, start);
    }
    if (this.#depth <= 2) this.#name.push(...piece.subarray(from, end < 0 ? piece.length : end).subarray(0, 8));
    if (end >= 0) {
      this.#isInString = false;
      return end;
    }
    this.#isEscaped = backslashesBefore(piece, piece.length, start) % 2 === 1;
    return piece.length;
  }

  /** Whether the file ended in the middle of an object. */
  get isCut(): boolean {
    return this.#depth > 0;
  }

  /** Whether an object begins here that is to be collected. */
  #opens(byte: number): boolean {
    const depth = this.#depth;
    if (depth === 1) {
      if (byte !== open) throw unexpected(byte);
      this.#itemDepth = 1;
      return true;
    }
    if (depth === 2 && !this.#isInHar && isName(this.#name, logKey)) {
      // Not an object by itself, but a HAR: what was collected of it is not needed.
      this.#isInHar = true;
      this.#itemDepth = 0;
      this.#kept = [];
      this.#keptBytes = 0;
    } else if (depth === 3 && this.#isInHar) {
      this.#isInEntries = byte === openList && isName(this.#name, entriesKey);
    } else if (depth === 4 && this.#isInEntries && byte === open) {
      this.#itemDepth = 4;
      return true;
    }
    return false;
  }

  #keep(bytes: Uint8Array): void {
    this.#keptBytes += bytes.length;
    if (this.#keptBytes <= maximumItemBytes) this.#kept.push(bytes);
    else this.#kept = [];
  }

  #take(): JsonItem | undefined {
    const { length } = this.#kept;
    const bytes = this.#keptBytes;
    const kind = this.#isInHar ? 'har-entry' : 'object';
    let text = '';
    for (const [index, part] of this.#kept.entries()) {
      text += this.#decoder.decode(part, { stream: index < length - 1 });
    }
    this.#kept = [];
    this.#keptBytes = 0;
    this.#itemDepth = 0;
    if (bytes <= maximumItemBytes) return { kind, text };
    this.oversized++;
    return undefined;
  }
}

/** How many backslashes stand right before a place. */
function backslashesBefore(piece: Uint8Array, at: number, from: number): number {
  let first = at;
  while (first > from && piece[first - 1] === backslash) first--;
  return at - first;
}

const isName = (name: readonly number[], wanted: readonly number[]) =>
  name.length === wanted.length && name.every((byte, index) => byte === wanted[index]);

/** What files of other forms begin with, and how to get a HAR of them. */
const otherForms: readonly (readonly [begins: RegExp, is: string])[] = [
  [/\[/, 'as in a session of Charles (.chlsj): export it there as HTTP Archive'],
  [/\d/, 'as in flows of mitmproxy: let it write mitmdump --set hardump=FILE.har'],
  [/x/, 'as in a compressed HAR of mitmproxy (.zhar): let it write FILE.har'],
];

function unexpected(byte: number): RecordingError {
  const found = String.fromCharCode(byte);
  const form = otherForms.find(([begins]) => begins.test(found))?.[1];
  return new RecordingError(
    `expected a HAR file or JSON Lines, got ${JSON.stringify(found)} where an object should begin or end${form === undefined ? '' : `, ${form}`}`,
  );
}

/** Text of one object in a recording: a HAR entry, or an object at the top level, as in JSON Lines. */
export interface JsonItem {
  readonly kind: 'har-entry' | 'object';
  readonly text: string;
}

/**
 * Maximum size of an object in a recording, in bytes. Larger objects are skipped, because no response of the API is
 * that large.
 */
const maximumItemBytes = 32 * 1024 * 1024;

const [quote, backslash, open, close, openList, closeList] = [34, 92, 123, 125, 91, 93];
/** Number of bytes of a name that are kept: one more than the longest that is sought. */
const nameBytes = 'entries'.length + 1;

/** Error for a file that is neither HAR nor JSON Lines. The message describes the file's content. */
export class RecordingError extends Error {
  override readonly name = 'RecordingError';
  /** Whether the file is a recording with whole entries, but none to the service. */
  hasEntries = false;
}

/**
 * Parser that divides a recording into HAR entries or top-level objects. It holds one object at a time, because parsing
 * 100 MB at once takes a gigabyte.
 */
export class JsonItems {
  /** Number of too large HAR entries or JSON objects that the parser skipped. */
  oversized = 0;
  readonly #decoder = new TextDecoder();
  #depth = 0;
  #isInString = false;
  #isEscaped = false;
  /**
   * First bytes of the latest property name at nesting depth 1 or 2 of the JSON text. A list `entries` in a property
   * `log` shows that the recording is a HAR file.
   */
  readonly #name = new Uint8Array(nameBytes);
  #nameLength = 0;
  #isInHar = false;
  #isInEntries = false;
  #kept: Uint8Array[] = [];
  #keptBytes = 0;
  /** Nesting depth in the JSON at which the entry that is being read starts; 0 between two entries. */
  #itemDepth = 0;

  /**
   * Parses the next chunk of the file and returns the complete objects.
   * @throws {RecordingError} if the file is not a recording
   */
  push(piece: Uint8Array): JsonItem[] {
    const items: JsonItem[] = [];
    const { length } = piece;
    let start = this.#itemDepth > 0 ? 0 : -1;
    for (let index = 0; index < length; index++) {
      if (this.#isInString) {
        index = this.#skipString(piece, index);
        continue;
      }
      const byte = piece[index] as number;
      if (byte === quote) {
        this.#isInString = true;
        if (this.#depth <= 2) this.#nameLength = 0;
      } else if (byte === open || byte === openList) {
        this.#depth++;
        if (this.#opens(byte)) start = index;
        else if (this.#isInHar && this.#itemDepth === 0) start = -1;
      } else if (byte === close || byte === closeList) {
        if (this.#depth === this.#itemDepth && byte === close) {
          this.#keep(piece.subarray(start, index + 1));
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

  /**
   * Skips bytes of a JSON recording up to the end of the current string, or of the chunk. Searches with `indexOf` for
   * speed, because most of a recording is strings.
   */
  #skipString(piece: Uint8Array, from: number): number {
    // Skips the chunk's first byte if a backslash at the end of the previous chunk escapes this byte.
    let start = from + (this.#isEscaped ? 1 : 0);
    this.#isEscaped = false;
    let end = piece.indexOf(quote, start);
    while (end >= 0 && backslashesBefore(piece, end, start) % 2 === 1) {
      start = end + 1;
      end = piece.indexOf(quote, start);
    }
    if (this.#depth <= 2)
      for (let index = from; index < (end < 0 ? piece.length : end) && this.#nameLength < nameBytes; index++)
        this.#name[this.#nameLength++] = piece[index] as number;
    if (end >= 0) {
      this.#isInString = false;
      return end;
    }
    this.#isEscaped = backslashesBefore(piece, piece.length, start) % 2 === 1;
    return piece.length;
  }

  /** Whether the recording ends in the middle of a JSON object, as in a truncated file. */
  get isCut(): boolean {
    return this.#depth > 0;
  }

  /** Whether the recording ends in the middle of an item, so that a part of this item is missing. */
  get isCutInItem(): boolean {
    return this.#itemDepth > 0;
  }

  /**
   * Whether the opening bracket just read starts an object that the parser returns. Such an object is an entry of a HAR
   * file, or a top-level object such as a line of JSON Lines.
   */
  #opens(byte: number): boolean {
    const depth = this.#depth;
    if (depth === 1) {
      if (byte !== open) throw unexpected(byte);
      this.#itemDepth = 1;
      return true;
    }
    if (depth === 2 && !this.#isInHar && this.#isName('log')) {
      // The object that is being read turns out to be a whole HAR file, because it has a property `log`. Discards its
      // collected bytes, because only the file's entries are requests.
      this.#isInHar = true;
      this.#itemDepth = 0;
      this.#kept = [];
      this.#keptBytes = 0;
    } else if (depth === 3 && this.#isInHar) {
      this.#isInEntries = byte === openList && this.#isName('entries');
    } else if (depth === 4 && this.#isInEntries && byte === open) {
      this.#itemDepth = 4;
      return true;
    }
    return false;
  }

  #isName(wanted: string): boolean {
    return this.#decoder.decode(this.#name.subarray(0, this.#nameLength)) === wanted;
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

/** Counts the consecutive backslashes before a position. An odd number escapes the character there. */
function backslashesBefore(piece: Uint8Array, index: number, from: number): number {
  let first = index;
  while (first > from && piece[first - 1] === backslash) first--;
  return index - first;
}

/** First characters of other recording formats, with instructions to convert each to HAR. */
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

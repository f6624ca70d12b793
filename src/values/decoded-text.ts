import { findLowest } from './find-lowest.js';

/** Text after decoding: each escape such as `%20` is replaced by its character. */
export interface DecodedText {
  readonly text: string;
  /** Converts a position in `text` to its position in the original text, before escapes such as `%20` were replaced. */
  originOf(at: number): number;
}

/** Maximum number of nested encodings to decode, such as JSON in a query parameter in a URL. */
const maximumLayers = 3;

const encodings = [
  {
    escapes: /%(?:u[0-9a-f]{4}|c[23]%[89ab][0-9a-f]|[0-9a-f]{2})/gi,
    /**
     * Decodes one URL escape (RFC 3986 section 2.1) as UTF-8 or Latin-1, or `%uXXXX`. Does not decode UTF-8 characters
     * of three bytes, because API keys do not contain them.
     */
    decode(written: string): string {
      const [first, second] = written
        .slice(1)
        .split('%')
        .map((digits) => Number.parseInt(digits.replace(/^u/i, ''), 16));
      return String.fromCharCode(
        second === undefined ? (first as number) : (((first as number) & 3) << 6) | (second & 0x3f),
      );
    },
  },
  {
    escapes: /\\(?:u[0-9a-f]{4}|["\\/])/gi,
    /** Decodes JSON escapes (RFC 8259 section 7), except control characters, which API keys do not contain. */
    decode: (written: string): string =>
      written.length === 2 ? written.slice(1) : String.fromCharCode(Number.parseInt(written.slice(2), 16)),
  },
];

/**
 * Decodes a text in every possible way: percent-encoding and JSON escapes, in any order, nested up to three times.
 * Yields each result, to find API keys in any spelling.
 */
export function* decodingsOf(text: string, layers = maximumLayers): Generator<DecodedText> {
  if (layers === 0 || !/[%\\]/.test(text)) return;
  for (const encoding of encodings) {
    const once = decode(text, encoding);
    if (once === undefined) continue;
    yield once;
    for (const more of decodingsOf(once.text, layers - 1)) {
      yield { text: more.text, originOf: (at) => once.originOf(more.originOf(at)) };
    }
  }
}

/**
 * Decodes the escapes of one encoding (URL or JSON) in a text, each into one character. Returns `undefined` for a text
 * without escapes of the encoding.
 */
function decode(text: string, { escapes, decode }: (typeof encodings)[number]): DecodedText | undefined {
  /**
   * `places` contains the position of each character in the decoded text. `ends` contains the end of the character's
   * escape sequence, such as `%41`, in the original text.
   */
  const places: number[] = [];
  const ends: number[] = [];
  let shift = 0;
  const decoded = text.replace(escapes, (written, at: number) => {
    places.push(at - shift);
    ends.push(at + written.length);
    shift += written.length - 1;
    return decode(written);
  });
  if (places.length === 0) return undefined;
  return {
    text: decoded,
    originOf(at) {
      const last = findLowest(places.length, (index) => (places[index] as number) >= at) - 1;
      return last < 0 ? at : (ends[last] as number) + at - (places[last] as number) - 1;
    },
  };
}

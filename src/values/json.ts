import { type Int64, normalizeInteger } from './int64.js';

/**
 * JSON value with exact whole numbers: a `number` if safe, otherwise a `bigint`. Objects have no prototype, so that
 * `__proto__` is an ordinary name.
 */
export type JsonValue = null | boolean | string | Int64 | JsonValue[] | JsonObject;
export interface JsonObject {
  [name: string]: JsonValue;
}

/** Error in a JSON text. The message gives the reason and is safe to send to a client. */
export class JsonError extends Error {
  override readonly name = 'JsonError';
  /** @param position index of the mistake in the text; `undefined` if the mistake is not of the syntax */
  constructor(
    message: string,
    readonly position?: number,
  ) {
    super(message);
  }
}

const maximumBodyDepth = 32;
/** Maximum number of digits of a whole number. The time of `BigInt(text)` grows faster than the number of digits. */
const maximumDigits = 40;
const numberToken = /-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?/y;
const whitespace = /[ \t\n\r]*/y;
/** Part of a JSON string without escapes, which is copied unchanged. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: RFC 8259 section 7 names them as what must be escaped
const plainRun = /[^"\\\u0000-\u001f]*/y;
/** Number of escapes in a string from which the built-in parser is faster. */
const manyEscapes = 16;
const escapes: Record<string, string> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
};

/**
 * Parses JSON text (RFC 8259) with exact whole numbers, unlike `JSON.parse` on Node 20. The last of duplicate names
 * wins; strings must be well-formed Unicode.
 * @param maximumDepth maximum nesting; default: 32 levels, the limit for bodies
 * @throws {JsonError} with the position and the expected syntax
 */
export function parseJson(text: string, maximumDepth?: number): JsonValue {
  const reader = createJsonReader(text, maximumDepth);
  const value = reader.readValue(0);
  reader.end();
  return value;
}

/** Creates a reader for one JSON text. Each of its methods continues where the previous call ended. */
export function createJsonReader(text: string, maximumDepth = maximumBodyDepth) {
  let at = 0;

  const fail = (expected: string): never => {
    const found = at < text.length ? JSON.stringify(text[at]) : 'the end';
    throw new JsonError(`expected ${expected} at position ${at}, found ${found}`, at);
  };

  const skipWhitespace = () => {
    if (text.charCodeAt(at) > 0x20) return;
    whitespace.lastIndex = at;
    whitespace.test(text);
    at = whitespace.lastIndex;
  };

  const readString = (): string => {
    const start = at++;
    let value = readPlain();
    for (let count = 1; text[at] !== '"'; count++) {
      if (text[at] !== '\\') fail('a closing quote or an escaped character');
      value += readEscape() + readPlain();
      if (count === manyEscapes) value = readValid(start) ?? value;
    }
    at++;
    if (!value.isWellFormed()) throw new JsonError('a string holds a lone surrogate, which is not well-formed Unicode');
    return value;
  };

  const readPlain = (): string => {
    plainRun.lastIndex = at;
    plainRun.test(text);
    const plain = text.slice(at, plainRun.lastIndex);
    at = plainRun.lastIndex;
    return plain;
  };

  /**
   * Reads a string up to its closing quote by the built-in parser, in a tenth of the time for a HAR file in a string.
   * Returns `undefined` for an invalid string.
   */
  const readValid = (start: number): string | undefined => {
    let end = at;
    let first: number;
    do {
      end = text.indexOf('"', end + 1);
      for (first = end; text[first - 1] === '\\'; ) first--;
    } while ((end - first) % 2 === 1);
    try {
      const value = JSON.parse(text.slice(start, end + 1));
      at = end;
      return value;
    } catch {
      return undefined;
    }
  };

  const readEscape = (): string => {
    at++;
    const char = text[at] ?? '';
    if (char === 'u') {
      const hex = text.slice(at + 1, at + 5);
      if (!/^[0-9a-fA-F]{4}$/.test(hex)) fail('\\u and four hexadecimal digits');
      at += 5;
      return String.fromCharCode(Number.parseInt(hex, 16));
    }
    const meaning = escapes[char] ?? fail('a JSON escape');
    at++;
    return meaning;
  };

  const readNumber = (): Int64 => {
    numberToken.lastIndex = at;
    const match = numberToken.exec(text) ?? fail('a JSON value');
    at = numberToken.lastIndex;
    const [token, fraction, exponent] = match;
    if (fraction === undefined && exponent === undefined && token.length <= 15) return normalizeInteger(Number(token));
    const exact = wholeNumber(token);
    if (exact !== undefined) return exact;
    const value = Number(token);
    if (!Number.isFinite(value)) throw new JsonError(`the number at position ${at - token.length} is too large`);
    // Rejects numbers such as `1e-400` or `1.00000000000000000001`: the nearest `number` is whole, but the written one
    // is not.
    if (Number.isSafeInteger(value)) throw new JsonError(`the number at position ${at - token.length} is too precise`);
    return value;
  };

  /**
   * Reads the opening bracket of a JSON array or object.
   * @param depth nesting depth, 1 for the outermost array or object
   * @returns whether the array or object has items
   */
  const enter = (close: string, depth: number): boolean => {
    if (depth > maximumDepth) throw new JsonError(`the text is nested more than ${maximumDepth} levels deep`);
    at++;
    skipWhitespace();
    if (text[at] !== close) return true;
    at++;
    return false;
  };

  /**
   * Moves past a comma or the closing bracket.
   * @returns whether another item follows
   */
  const hasNext = (close: string): boolean => {
    const char = text[at];
    if (char !== ',' && char !== close) fail(`"," or "${close}"`);
    at++;
    return char === ',';
  };

  const readArray = (depth: number): JsonValue[] => {
    const array: JsonValue[] = [];
    if (enter(']', depth))
      do array.push(readValue(depth));
      while (hasNext(']'));
    return array;
  };

  const readName = (): string => {
    skipWhitespace();
    if (text[at] !== '"') fail('a quoted name');
    const name = readString();
    skipWhitespace();
    if (text[at] !== ':') fail('":"');
    at++;
    return name;
  };

  const readObject = (depth: number): JsonObject => {
    const object: JsonObject = Object.create(null);
    if (enter('}', depth))
      do {
        const name = readName();
        object[name] = readValue(depth);
      } while (hasNext('}'));
    return object;
  };

  const readWord = (word: string, value: null | boolean): null | boolean => {
    if (!text.startsWith(word, at)) fail('a JSON value');
    at += word.length;
    return value;
  };

  const readValue = (depth: number): JsonValue => {
    skipWhitespace();
    const value = readBareValue(depth + 1);
    skipWhitespace();
    return value;
  };

  const readBareValue = (depth: number): JsonValue => {
    const char = text[at];
    if (char === '"') return readString();
    if (char === '{') return readObject(depth);
    if (char === '[') return readArray(depth);
    if (char === 't') return readWord('true', true);
    if (char === 'f') return readWord('false', false);
    if (char === 'n') return readWord('null', null);
    return readNumber();
  };

  /** Returns the next character after whitespace, without consuming it. */
  const peek = () => {
    skipWhitespace();
    return text[at];
  };

  const end = () => {
    if (at < text.length) fail('the end');
  };
  return { peek, enter, hasNext, readName, readValue, end };
}

/** Returns the exact value of a JSON number that is whole (`7`, `1.0`, `1e3`); `undefined` for any other. */
function wholeNumber(token: string): Int64 | undefined {
  const [mantissa = '', exponent = '0'] = token.toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const digits = (whole + fraction).replace(/^(-?)0+(?=[0-9])/, '$1').replace(/^-/, '');
  if (/^0*$/.test(digits)) return 0;
  let end = digits.length;
  // Removes zeros in a loop. The regular expression /0+$/ would take a second for 60,000 zeros before another digit.
  while (digits[end - 1] === '0') end--;
  const significant = digits.slice(0, end);
  const zeros = digits.length - end + Number(exponent) - fraction.length;
  if (zeros < 0 || significant.length + zeros > maximumDigits) return undefined;
  const magnitude = BigInt(significant + '0'.repeat(zeros));
  return normalizeInteger(token.startsWith('-') ? -magnitude : magnitude);
}

/** Serializes a value from `parseJson` as compact JSON with exact whole numbers. */
export const stringifyJson = (value: JsonValue): string => exactText(value);

/** Serializes any value as JSON; a `bigint` becomes a whole number with all its digits. */
export function jsonText(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch {
    // Converts a value that contains a bigint to JSON text. `JSON.stringify` would throw.
    return exactText(value);
  }
}

function exactText(value: unknown): string {
  if (typeof value === 'bigint') return String(value);
  if (typeof value !== 'object' || value === null || value instanceof Date) return JSON.stringify(value) ?? 'null';
  if (Array.isArray(value)) return `[${value.map(exactText).join(',')}]`;
  return `{${Object.entries(value)
    .filter(([, field]) => field !== undefined && typeof field !== 'function')
    .map(([name, field]) => `${JSON.stringify(name)}:${exactText(field)}`)
    .join(',')}}`;
}

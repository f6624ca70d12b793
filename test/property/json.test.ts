import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isInt64 } from '../../src/values/int64.js';
import { JsonError, type JsonValue, parseJson, stringifyJson } from '../../src/values/json.js';
import { fuzz } from '../support/prove.js';

type Verdict = { value: unknown } | { error: string };

function native(text: string): Verdict {
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    return { error: (error as Error).message };
  }
}

function ours(text: string): Verdict {
  try {
    return { value: parseJson(text) };
  } catch (error) {
    // An error other than a JsonError would become a 500.
    expect(error).toBeInstanceOf(JsonError);
    return { error: (error as Error).message };
  }
}

/** The value as `JSON.parse` would return it: with rounded numbers and objects with a prototype. */
function rounded(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value);
  if (Array.isArray(value)) return value.map(rounded);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, rounded(inner)]));
}

const withoutNegativeZero = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value), (_, inner) => (inner === 0 ? 0 : inner));

function depth(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Object.values(value).reduce((most: number, inner) => Math.max(most, depth(inner)), 0);
}

function some(value: unknown, test: (leaf: unknown) => boolean): boolean {
  if (test(value)) return true;
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([name, inner]) => test(name) || some(inner, test));
}

/** Reason for the deliberate rejection of a text that JSON.parse accepts; `undefined` if it must be accepted. */
function documentedRefusal(value: unknown): RegExp | undefined {
  if (some(value, (leaf) => typeof leaf === 'string' && !leaf.isWellFormed())) return /lone surrogate/;
  if (some(value, (leaf) => leaf === Number.POSITIVE_INFINITY || leaf === Number.NEGATIVE_INFINITY)) return /too large/;
  return depth(value) > 32 ? /nested more than 32 levels/ : undefined;
}

function compare(text: string): 'read' | 'refused' {
  const theirs = native(text);
  const mine = ours(text);
  if ('error' in theirs) {
    expect(mine, text).toHaveProperty('error');
    return 'refused';
  }
  const refusal = documentedRefusal(theirs.value);
  // A duplicate name hides the previous value from JSON.parse, not from the simulator.
  if (refusal === undefined && 'error' in mine) {
    expect(mine.error, text).toMatch(/lone surrogate|too large|too precise|nested more than 32 levels/);
    expect(text, mine.error).toMatch(/\\u[dD]|[\ud800-\udfff]|[0-9][eE]\+?[0-9]{3}|[0-9]{300}|\.[0-9]|[eE]-|[[{]{2}/);
    return 'refused';
  }
  if (refusal !== undefined) {
    expect(mine, text).toEqual({ error: expect.stringMatching(refusal) });
    return 'refused';
  }
  expect(rounded((mine as { value: unknown }).value), text).toEqual(withoutNegativeZero(theirs.value));
  return 'read';
}

const validText = fc.oneof(
  { weight: 4, arbitrary: fc.json({ maxDepth: 4, stringUnit: 'binary' }) },
  { weight: 1, arbitrary: fc.json({ maxDepth: 3, stringUnit: 'grapheme-composite' }) },
  {
    weight: 4,
    arbitrary: fc
      .record({
        name: fc.string({ unit: 'binary' }),
        categoryId: fc.maxSafeInteger(),
        status: fc.constantFrom('sold', null),
      })
      .map((pet) => JSON.stringify(pet, null, 1)),
  },
  {
    weight: 2,
    arbitrary: fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => `[${value.toExponential()}]`),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '{"a":1,"a":2}',
      '{"__proto__":{"x":1},"constructor":2}',
      '"\\u0041\\n\\"\\/\\ud83d\\ude00"',
      '[-0,0.0,-0.0e5,1E+2,1e-2,123456789012345678]',
      ' \t\r\n[ true , false , null ] ',
    ),
  },
);

test('valid JSON is parsed as by JSON.parse', () => {
  fc.assert(
    fc.property(validText, (text) => {
      compare(text);
    }),
    fuzz(800, 100_000),
  );
});

const alphabet = [
  ...'{}[]",:\\/ \t\n\r0123456789.+-eEbfnrtuaxld\'',
  '\u0000',
  '\u001f',
  '\u007f',
  '\u00a0',
  '\u2028',
  '\ufeff',
];
const fragments = [
  ...alphabet,
  '😀',
  '\ud800',
  '\udc00',
  '\\u',
  '\\ud800',
  '\\uDC00',
  '01',
  '1e400',
  '-',
  '//',
  'true',
  'NaN',
];

const mutation = fc.record({
  kind: fc.constantFrom('delete', 'insert', 'replace', 'double'),
  at: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
  fragment: fc.constantFrom(...fragments),
});

function mutate(
  text: string,
  { kind, at, fragment }: typeof mutation extends fc.Arbitrary<infer M> ? M : never,
): string {
  const position = Math.floor(at * (text.length + 1));
  const before = text.slice(0, position);
  if (kind === 'delete') return before + text.slice(position + 1);
  if (kind === 'insert') return before + fragment + text.slice(position);
  if (kind === 'replace') return before + fragment + text.slice(position + 1);
  return before + text.slice(Math.max(0, position - 3));
}

test('a string with many escapes is parsed as by JSON.parse, and a mistake in it has its position', () => {
  const start = '\\"\\\\\\u00e9\\n'.repeat(10);
  for (const end of ['', 'x', '\\\\', '\\\\\\"', '\\ud83d\\ude00'])
    for (const text of [`"${start}${end}"`, `["${start}${end}", "${end}"]`])
      expect(parseJson(text)).toEqual(JSON.parse(text));
  for (const [end, expected] of Object.entries({
    '\\x"': 'a JSON escape',
    '\u0001"': 'a closing quote',
    '\\"': 'a closing quote',
    '\\u12"': 'four hexadecimal digits',
  })) {
    const short = ours(`"${end}`);
    expect(short).toEqual({ error: expect.stringContaining(expected) });
    const place = /position (\d+)/;
    const moved = (short as { error: string }).error.replace(place, (_, at) => `position ${Number(at) + start.length}`);
    expect(ours(`"${start}${end}`)).toEqual({ error: moved });
  }
  expect(ours(`"${start}\\ud800"`)).toEqual({ error: expect.stringContaining('lone surrogate') });
});

test('mutated JSON is accepted or rejected as by JSON.parse, except if the document differs', () => {
  const seen = { read: 0, refused: 0 };
  const parameters = fuzz(500, 50_000);
  fc.assert(
    fc.property(
      validText,
      fc.array(fc.array(mutation, { minLength: 1, maxLength: 3 }), { minLength: 10, maxLength: 10 }),
      (text, edits) => {
        for (const mutations of edits) seen[compare(mutations.reduce(mutate, text))]++;
      },
    ),
    { ...parameters, endOnFailure: true },
  );
  expect(seen.read + seen.refused).toBe(10 * parameters.numRuns);
  expect(Math.min(seen.read, seen.refused)).toBeGreaterThan(parameters.numRuns);
});

test('serialized values are parsed as the same values', () => {
  const { tree } = fc.letrec<{ tree: JsonValue }>((tie) => ({
    tree: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      fc.constantFrom<JsonValue>(null, true, false),
      fc.string({ unit: 'binary' }),
      fc.maxSafeInteger(),
      fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).filter((value) => !isSafe(value)),
      fc.double({ noNaN: true, noDefaultInfinity: true }).filter((value) => !Number.isInteger(value)),
      fc.array(tie('tree'), { maxLength: 4 }),
      fc.dictionary(fc.string({ unit: 'binary' }), tie('tree'), { maxKeys: 4, noNullPrototype: false }),
    ),
  }));
  fc.assert(
    fc.property(tree, (value) => {
      const text = stringifyJson(value);
      expect(stringifyJson(parseJson(text))).toBe(text);
      expect(rounded(parseJson(text))).toEqual(rounded(value));
      expect(() => JSON.parse(text)).not.toThrow();
    }),
    fuzz(500, 50_000),
  );
});

const isSafe = (value: bigint) => value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER;

test('every int64 is parsed and serialized digit for digit', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), (value) => {
      const read = parseJson(` ${value}\n`);
      expect(isInt64(read)).toBe(true);
      expect(BigInt(read as number | bigint)).toBe(value);
      expect(typeof read).toBe(isSafe(value) ? 'number' : 'bigint');
      expect(stringifyJson(read)).toBe(String(value));
    }),
    fuzz(500, 50_000),
  );
});

test('a whole number is exact in every notation', () => {
  const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
  fc.assert(
    fc.property(int64, fc.integer({ min: 0, max: 18 }), fc.constantFrom('e', 'E', 'e+', 'E+'), (value, shift, e) => {
      expect(stringifyJson(parseJson(`${value}.${'0'.repeat(shift + 1)}`))).toBe(String(value));
      const zeros = value === 0n ? '' : '0'.repeat(shift);
      expect(stringifyJson(parseJson(`${value}${zeros}e-${zeros.length}`))).toBe(String(value));
      const digits = String(value)
        .replace('-', '')
        .padStart(shift + 2, '0');
      const sign = value < 0n ? '-' : '';
      const whole = digits.slice(0, -shift - 1).replace(/^0+(?=.)/, '');
      expect(stringifyJson(parseJson(`${sign}${whole}.${digits.slice(-shift - 1)}${e}${shift + 1}`))).toBe(
        String(value),
      );
    }),
    fuzz(300, 30_000),
  );
});

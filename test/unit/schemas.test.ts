import { describe, expect, expectTypeOf, test } from 'vitest';
import { createSimulator, type Scenario, ScenarioError } from '../../src/entries/index.js';
import { check, type Input, type Output, refine, type SchemaIssue, transform } from '../../src/validation/schema.js';
import {
  boolean,
  either,
  fields,
  list,
  mapOf,
  number,
  oneOf,
  optional,
  pair,
  string,
} from '../../src/validation/schemas.js';
import { isJson } from '../../src/validation/value-schemas.js';

/** All mistakes as `path: message`, with the path in brackets if the name is wrong. */
function mistakes(form: Parameters<typeof check>[0], value: unknown): string[] {
  const found: SchemaIssue[] = [];
  check(form, value, found);
  return found.map(({ steps, message, onName }) => {
    const path = steps.join('.');
    return `${onName ? `[${path}]` : path}: ${message}`;
  });
}
const read = (form: Parameters<typeof check>[0], value: unknown) => {
  const found: SchemaIssue[] = [];
  const output = check(form, value, found);
  expect(found).toEqual([]);
  return output;
};

const pet = fields({ name: string, age: optional(number), tags: optional(list(string), []) });
const doubled = transform(number, (value) => value * 2);
const even = refine(number, (value) => value % 2 === 0, 'an even number');

describe('a schema', () => {
  test('converts valid values, and omits absent optional fields', () => {
    expect(read(pet, { name: 'Rex', age: undefined })).toStrictEqual({ name: 'Rex', tags: [] });
    expect(read(mapOf(string, doubled), { a: 1, b: 2 })).toEqual({ a: 2, b: 4 });
    expect(read(list(either(doubled, string)), [1, '1'])).toEqual([2, '1']);
    expect(read(pair(string, doubled), ['a', 1])).toEqual(['a', 2]);
    expect(read(optional(oneOf(true, null)), null)).toBe(null);
  });

  test('has the types of input and output', () => {
    expectTypeOf<Input<typeof pet>>().toEqualTypeOf<{
      name: string;
      age?: number | undefined;
      tags?: string[] | undefined;
    }>();
    expectTypeOf<Output<typeof pet>>().toEqualTypeOf<{ name: string; age?: number | undefined; tags: string[] }>();
    const choice = either(oneOf('off'), transform(string, Number));
    expectTypeOf<Input<typeof choice>>().toEqualTypeOf<string>();
    expectTypeOf<Output<typeof choice>>().toEqualTypeOf<'off' | number>();
    const named = mapOf(oneOf('a', 'b'), boolean);
    expectTypeOf<Input<typeof named>>().toEqualTypeOf<{ a?: boolean; b?: boolean }>();
  });

  test('reports all mistakes, each with its path, in the order of its fields', () => {
    const form = fields({ one: number, pets: list(pet), two: string });
    expect(mistakes(form, { twoo: 1, pets: [{ age: 'x' }, 7, { name: 'Rex', nmae: 'x' }], extra: 2 })).toEqual([
      '[one]: expected a number, got none',
      '[pets.0.name]: expected text, got none',
      'pets.0.age: expected a number, got "x"',
      'pets.1: expected a map, got 7',
      '[pets.2.nmae]: expected a known field; did you mean name?',
      '[two]: expected text, got none',
      '[twoo]: expected a known field; did you mean two?',
      '[extra]: expected a known field; the fields are one, pets, two',
    ]);
  });

  test.each<[value: unknown, shown: string]>([
    [null, 'null'],
    [true, 'true'],
    [Number.NaN, 'NaN'],
    [10n, '10'],
    ['a\u001b[2J', '"a\\u001b[2J"'],
    [[], 'a list'],
    [{}, 'a map'],
    [Object.create(null), 'a map'],
    [new Date(0), 'a date'],
    [() => 1, 'a function'],
    [Symbol('x'), 'Symbol(x)'],
  ])('describes %o in words', (value, shown) => {
    expect(mistakes(oneOf('off', 3), value)).toEqual([`: expected "off" or 3, got ${shown}`]);
  });

  test('rejects numbers that are not numbers', () => {
    expect(mistakes(number, Number.NaN)).toEqual([': expected a number, got NaN']);
  });

  test('is a map only for plain maps', () => {
    for (const value of [[], new Date(), null, 'x']) expect(mistakes(pet, value)).toHaveLength(1);
    expect(mistakes(pet, Object.assign(Object.create(null), { name: 'Rex' }))).toEqual([]);
  });

  test('with a further check runs it only on values without mistakes', () => {
    expect(mistakes(even, 3)).toEqual([': expected an even number, got 3']);
    expect(mistakes(even, 'x')).toEqual([': expected a number, got "x"']);
    const named = refine(pet, ({ name }) => name !== '', 'a pet with a name');
    expect(mistakes(named, { name: '' })).toEqual([': expected a pet with a name']);
    expect(mistakes(named, { name: 3 })).toEqual(['name: expected text, got 3']);
    expect(
      mistakes(
        refine(even, (value) => value > 2, 'more than 2'),
        1,
      ),
    ).toEqual([': expected an even number, got 1']);
  });

  test('with a conversion turns a RangeError into an issue, and rethrows a bug', () => {
    const fails = (error: Error) =>
      transform(string, () => {
        throw error;
      });
    expect(mistakes(fails(new RangeError('expected less')), 'x')).toEqual([': expected less']);
    expect(() => mistakes(fails(new TypeError('a bug')), 'x')).toThrow('a bug');
  });

  test('checks the names of a map with free names as well', () => {
    const form = mapOf(
      refine(string, (name) => name !== 'bad', 'a good name'),
      number,
    );
    expect(mistakes(form, { good: 'x', bad: 1 })).toEqual([
      'good: expected a number, got "x"',
      '[bad]: expected a good name, got "bad"',
    ]);
  });
});

describe('either', () => {
  const size = either(oneOf('off'), number, fields({ bytes: number }), fields({ low: number, high: number }));

  test('names all accepted kinds', () => {
    expect(mistakes(size, 'of')).toEqual([': expected "off", a number or a map, got "of"; did you mean off?']);
  });

  test('reports the mistakes of the intended map', () => {
    expect(mistakes(size, { bytes: 'x' })).toEqual(['bytes: expected a number, got "x"']);
    expect(mistakes(size, { high: 1 })).toEqual(['[low]: expected a number, got none']);
    expect(mistakes(size, { low: 1, hihg: 2 })).toEqual([
      '[high]: expected a number, got none',
      '[hihg]: expected a known field; did you mean high?',
    ]);
    expect(mistakes(size, { byts: 1 })).toEqual([
      '[bytes]: expected a number, got none',
      '[byts]: expected a known field; did you mean bytes?',
    ]);
    expect(mistakes(size, { lwo: 1, hihg: 2 })).toContain('[lwo]: expected a known field; did you mean low?');
    const nested = either(fields({ a: fields({ x: number }) }), fields({ b: number }));
    expect(mistakes(nested, { a: { y1: 1, y2: 2, y3: 3 } })).toHaveLength(4);
    expect(mistakes(nested, { a: { y1: 1 } })).toContain('[a.y1]: expected a known field; the fields are x');
  });
});

describe('unusual input', () => {
  test('names of the language are names like any other', () => {
    const odd = JSON.parse('{"__proto__":1,"constructor":2}');
    const output = read(mapOf(string, doubled), odd) as object;
    expect(Object.entries(output)).toEqual([
      ['__proto__', 2],
      ['constructor', 4],
    ]);
    expect(Object.getPrototypeOf(output)).toBe(Object.prototype);
    expect(mistakes(pet, { name: 'x', ...odd })).toEqual([
      '[__proto__]: expected a known field; the fields are name, age, tags',
      '[constructor]: expected a known field',
    ]);
    const sim = createSimulator({ scenario: JSON.parse('{"keys":{"__proto__":{"plan":"pro"},"constructor":{}}}') });
    expect(['__proto__', 'constructor'].map((key) => sim.keys.get(key).plan)).toEqual(['pro', 'free']);
  });

  const issuesOf = (scenario: unknown) => {
    try {
      createSimulator({ scenario: scenario as Scenario });
      return [];
    } catch (error) {
      return (error as ScenarioError).issues;
    }
  };

  test('a body that contains itself, or is deeper than JSON allows', () => {
    const map: Record<string, unknown> = {};
    map.self = [map];
    let deep: unknown = 1;
    for (let depth = 0; depth < 100_000; depth++) deep = [deep];
    for (const body of [map, deep]) {
      expect(isJson(body)).toBe(false);
      const faults = [{ then: { respond: { status: 200, body: { body } } } }];
      expect(issuesOf({ faults })).toMatchObject([
        { path: 'faults[0].then.respond', message: 'expected a body that can be serialized as JSON' },
      ]);
    }
    expect(isJson({ a: [null, 'x', 1, 2n, false] })).toBe(true);
    expect([Number.NaN, undefined, () => 1, { a: [undefined] }].map((value) => isJson(value))).toEqual(
      Array(4).fill(false),
    );
  });

  const many = <Item>(make: (index: number) => Item) => Array.from({ length: 100_000 }, (_, index) => make(index));
  test.each<[string, () => unknown]>([
    ['pets with mistakes', () => ({ pets: many(() => ({})) })],
    ['keys with mistakes', () => ({ keys: Object.fromEntries(many((index) => [`k${index}`, { plna: 1 }])) })],
    ['unknown fields', () => Object.fromEntries(many((index) => [`f${index}`, 1]))],
    ['rules with mistakes', () => ({ faults: many(() => ({ then: { delay: { fixt: 1 } } })) })],
    [
      'unknown fields of one of several maps',
      () => ({ pets: { ...Object.fromEntries(many((index) => [`f${index}`, 1])), generate: {} } }),
    ],
  ])('100,000 %s: a thousand mistakes are described', (_, make) => {
    const error = issuesOf(make());
    expect(error).toHaveLength(1_000);
    expect(new ScenarioError(error).message).toMatch(/\nand 900 more$/);
  });
});

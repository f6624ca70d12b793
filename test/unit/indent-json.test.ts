import fc from 'fast-check';
import { expect, test } from 'vitest';
import { indentJson } from '../../src/dashboard/format.js';

test('a JSON body is indented as JSON.stringify does', () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      expect(JSON.stringify(JSON.parse(indentJson(text)))).toBe(JSON.stringify(JSON.parse(text)));
    }),
  );
  for (const value of [{}, [], { a: [1, { b: '},[:"' }], c: {}, d: [] }, 'text', 7, [[[]]]])
    expect(indentJson(JSON.stringify(value))).toBe(JSON.stringify(value, null, 2));
});

test('numbers and repeated names stay as they were sent, and other texts unchanged', () => {
  expect(indentJson('{"id":9007199254740993,"id":1e2}')).toBe('{\n  "id": 9007199254740993,\n  "id": 1e2\n}');
  for (const text of ['', 'not: json', '{"cut":"of', 'a,b']) expect(indentJson(text)).toBe(text);
});

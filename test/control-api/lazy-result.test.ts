import { expect, test } from 'vitest';
import {
  computeLazyParts,
  isLazy,
  jsonPieces,
  lazyCopy,
  lazyLines,
  lazyList,
} from '../../src/control-api/lazy-result.js';

const many = <Value>(value: Value) => Array.from({ length: 150 }, () => value);
const map = (size: number) => Object.fromEntries(Array.from({ length: size }, (_, at) => [`k"${at}`, { at }]));

test.each([
  ['nothing', {}],
  ['values', { text: 'a"é', number: 1, none: undefined, nothing: null, list: [1, undefined], inner: {} }],
  ['long lists and large maps', { list: many({ a: 1 }), map: map(150), inner: { list: many([]), last: undefined } }],
])('JSON of %s in pieces equals JSON.stringify', (_, value) => {
  expect([...jsonPieces(value)].join('')).toBe(JSON.stringify(value));
  expect(computeLazyParts(value)).toBe(value);
});

test('a lazy result equals the direct result, written or created', () => {
  const whole = { entries: [{ id: 1 }, { id: 2 }], empty: [], log: { entries: ['a'], keys: map(3) }, count: 2 };
  const lazily = () => ({
    entries: lazyList(whole.entries),
    empty: lazyList([]),
    log: { entries: lazyList(whole.log.entries), keys: lazyCopy(whole.log.keys) },
    count: 2,
  });
  expect(isLazy(lazily())).toBe(true);
  expect([...jsonPieces(lazily())].join('')).toBe(JSON.stringify(whole));
  expect(computeLazyParts(lazily())).toEqual(whole);
  expect(JSON.stringify(lazily())).toBe(JSON.stringify(whole));
});

test('JSON Lines are one piece per line', () => {
  expect([...jsonPieces(lazyLines([{ a: 1 }, { b: 'x' }]))]).toEqual(['{"a":1}\n', '{"b":"x"}\n']);
  expect(computeLazyParts(lazyLines([{ a: 1 }, { b: 'x' }]))).toBe('{"a":1}\n{"b":"x"}\n');
});

import { expect, test } from 'vitest';
import { digitsOf } from '../../src/values/digits.js';

test('a number is formatted like in JavaScript', () => {
  const edges = [0, 7, 999, 1_000, 1_001, 1_010, 59_999, 1_000_000, 1e9, 2 ** 31, Number.MAX_SAFE_INTEGER];
  const others = [-1, -1_000, 1_500.5, 2 ** 53, 1e21, Number.NaN, Number.POSITIVE_INFINITY];
  const many = Array.from({ length: 5_000 }, (_, n) => n * 7_919);
  for (const value of [...edges, ...others, ...many]) expect(digitsOf(value)).toBe(String(value));
});

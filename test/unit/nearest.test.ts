import { describe, expect, test } from 'vitest';
import { nearest } from '../../src/validation/nearest.js';

const names = ['name', 'pets', 'plans', 'keys', 'limits', 'seconds', 'windowStart', 'hostileHeaders'];

describe('nearest', () => {
  test.each([
    ['nmae', 'name'],
    ['NAME', 'name'],
    ['pet', 'pets'],
    ['petz', 'pets'],
    ['plan', 'plans'],
    ['secnods', 'seconds'],
    ['sconds', 'seconds'],
    ['windowsStart', 'windowStart'],
    ['hostile-headers', 'hostileHeaders'],
  ])('suggests for %s the name %s', (written, meant) => {
    expect(nearest(written, names)).toBe(meant);
  });

  test.each(['', 'x', 'color', 'zzzz', 'completely', 'x'.repeat(100_000)])('suggests no name for %.20s', (written) => {
    expect(nearest(written, names)).toBeUndefined();
    expect(nearest(written, [])).toBeUndefined();
  });
});

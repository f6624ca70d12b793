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
  ])('%s was meant as %s', (written, meant) => {
    expect(nearest(written, names)).toBe(meant);
  });

  test.each(['', 'x', 'color', 'zzzz', 'completely', 'x'.repeat(100_000)])('%.20s was meant as none', (written) => {
    expect(nearest(written, names)).toBeUndefined();
    expect(nearest(written, [])).toBeUndefined();
  });
});

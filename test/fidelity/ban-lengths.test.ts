import { expect, test } from 'vitest';
import { correctBanLengths } from '../../src/fidelity/deduce/ban-lengths.js';

test.each([
  ['a wait below the reset, which was rounded up', [120], [119], [], [119], 0],
  ['a wait below one of the resets', [120, 240], [120, 239], [], [120, 239], 0],
  ['a wait that equals the reset, with rounding unknown', [120], [120], [], [120], -1],
  ['a wait that equals a reset that is rounded up', [120], [120], ['up'], [119], 1],
  ['a wait that equals a reset that may be rounded up', [120], [120], ['up', 'seconds'], [120], -1],
  ['a service that never rounds up', [120], [119], ['seconds', 'down'], [120], 0],
  ['a ban whose end was not seen', [undefined, 240], [undefined, undefined], ['seconds'], [undefined, 240], 0],
] as const)('the length of a ban follows from %s', (_, lengths, waits, roundings, seconds, alternativeOffset) => {
  expect(correctBanLengths(lengths, waits, new Set(roundings))).toEqual({ seconds, alternativeOffset });
});

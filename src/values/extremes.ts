/** Highest of many numbers; `-Infinity` for none. `Math.max(...numbers)` overflows the stack from 120,000 on. */
export const highest = (numbers: readonly number[]): number =>
  numbers.reduce((most, number) => Math.max(most, number), Number.NEGATIVE_INFINITY);

/** Lowest of many numbers; `Infinity` for none. */
export const lowest = (numbers: readonly number[]): number =>
  numbers.reduce((least, number) => Math.min(least, number), Number.POSITIVE_INFINITY);

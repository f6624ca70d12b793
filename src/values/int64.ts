/** A whole number from -2^63 to 2^63-1: a `number` where that is exact, a `bigint` beyond ±(2^53-1). */
export type Int64 = number | bigint;

const least = -(2n ** 63n);
export const greatestInt64 = 2n ** 63n - 1n;
const canonicalText = /^(?:0|-?[1-9][0-9]{0,18})$/;

/** The one form of a whole number that the simulator stores: a `number` when safe, `-0` as `0`, else a `bigint`. */
export function normalizeInteger(value: Int64): Int64 {
  if (typeof value === 'number') return value === 0 ? 0 : value;
  return value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER ? Number(value) : value;
}

/** Whether `value` is an exact whole number within int64. A `number` past 2^53-1 is not: it may already be rounded. */
export function isInt64(value: unknown): value is Int64 {
  if (typeof value === 'number') return Number.isSafeInteger(value);
  return typeof value === 'bigint' && value >= least && value <= greatestInt64;
}

/** Reads canonical decimal text (`7`, `-1`, no `+1`, `01` or `1.0`); `undefined` for anything else or out of range. */
export function parseInt64(text: string): Int64 | undefined {
  if (!canonicalText.test(text)) return undefined;
  if (text.length <= 15) return Number(text);
  const value = BigInt(text);
  return isInt64(value) ? normalizeInteger(value) : undefined;
}

/** The next identifier after `value`; the greatest int64 gives itself, because there is none after it. */
export function nextInt64(value: Int64): Int64 {
  if (typeof value === 'number' && value < Number.MAX_SAFE_INTEGER) return value + 1;
  const next = BigInt(value) + 1n;
  return next > greatestInt64 ? value : normalizeInteger(next);
}

/** Orders two whole numbers of either representation, for `Array.prototype.sort`. */
export function compareInt64(a: Int64, b: Int64): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

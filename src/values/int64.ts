/** A whole number from -2^63 to 2^63-1: a `number` if exact (up to ±(2^53-1)), otherwise a `bigint`. */
export type Int64 = number | bigint;

const least = -(2n ** 63n);
export const greatestInt64 = 2n ** 63n - 1n;
const canonicalText = /^(?:0|-?[1-9][0-9]{0,18})$/;

/** Converts an int64 value, a `number` or `bigint`, to a `number` if that is exact. Converts `-0` to `0`. */
export function normalizeInteger(value: Int64): Int64 {
  if (typeof value === 'number') return value === 0 ? 0 : value;
  return value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER ? Number(value) : value;
}

/**
 * Whether a value is a whole number within int64. Rejects a `number` above 2^53-1, because it may have been rounded.
 */
export function isInt64(value: unknown): value is Int64 {
  if (typeof value === 'number') return Number.isSafeInteger(value);
  return typeof value === 'bigint' && value >= least && value <= greatestInt64;
}

/** Parses canonical decimal text (`7`, `-1`; not `+1`, `01` or `1.0`); `undefined` if malformed or out of range. */
export function parseInt64(text: string): Int64 | undefined {
  if (!canonicalText.test(text)) return undefined;
  if (text.length <= 15) return Number(text);
  const value = BigInt(text);
  return isInt64(value) ? normalizeInteger(value) : undefined;
}

/** Returns the next identifier after `value`. The greatest int64 has no successor and is returned unchanged. */
export function nextInt64(value: Int64): Int64 {
  if (typeof value === 'number' && value < Number.MAX_SAFE_INTEGER) return value + 1;
  const next = BigInt(value) + 1n;
  return next > greatestInt64 ? value : normalizeInteger(next);
}

/** Compares two whole numbers, each a `number` or `bigint`, for `Array.prototype.sort`. */
export function compareInt64(a: Int64, b: Int64): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

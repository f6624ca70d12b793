import { parseDuration } from '../values/duration.js';
import { parseInstant } from '../values/instant.js';
import { type Int64, isInt64, normalizeInteger, parseInt64 } from '../values/int64.js';
import { refine, shown, transform } from './schema.js';
import { either, kind, number, string } from './schemas.js';

/** Schema for a duration as written, before its conversion. */
export const durationInput = { ...either(string, number), labels: ['a duration such as "90s"'] };

/** Schema for a duration: `500ms`, `2s`, `5m`, `1h`, `1d`, or milliseconds. Converts to milliseconds. */
export const duration = transform(durationInput, parseDuration);

/** Schema for a duration that may be negative: `-40s`. Converts to milliseconds. */
export const signedDuration = transform(durationInput, (value) => {
  const minus = /^-(?=\d)/;
  if (!minus.test(String(value))) return parseDuration(value);
  return -parseDuration(typeof value === 'number' ? -value : value.replace(minus, ''));
});

const date = kind<Date>('a date', (value) => value instanceof Date);

/**
 * Schema for an instant: ISO 8601 text with a time zone, Unix milliseconds or a `Date`. Converts to Unix milliseconds.
 */
export const instant = transform(either(string, number, date), parseInstant);

/**
 * Schema for a duration such as `90s`, at least one second and without fractions. Converts the duration to a number of
 * seconds.
 */
export const wholeSeconds = transform(durationInput, (value) => {
  const ms = parseDuration(value);
  if (ms >= 1000 && ms % 1000 === 0) return ms / 1000;
  const hint = Number.isInteger(value) && value !== 0 ? `, which is ${value} ms; did you mean "${value}s"?` : '';
  throw new RangeError(`expected whole seconds, at least "1s", got ${shown(value)}${hint}`);
});

/** Schema for a whole number within int64, as decimal text if a JSON number would be rounded. */
export const int64 = transform(
  kind<Int64 | string>('a whole number within int64 (beyond 2^53-1 a bigint, or text)', (value) =>
    isInt64(typeof value === 'string' ? parseInt64(value) : value),
  ),
  (value) => (typeof value === 'string' ? (parseInt64(value) as Int64) : normalizeInteger(value)),
);

/** Schema for a whole number within bounds. */
export const whole = (
  minimum: number,
  maximum = Number.MAX_SAFE_INTEGER,
  expected = `a whole number from ${minimum}${maximum < Number.MAX_SAFE_INTEGER ? ` to ${maximum}` : ''}`,
) =>
  refine(number, (value) => Number.isInteger(value) && value >= minimum && value <= maximum, expected, {
    type: 'integer',
    minimum,
    ...(maximum < Number.MAX_SAFE_INTEGER && { maximum }),
  });

export const count = whole(0);

/** Schema for a number within bounds. */
export const between = (minimum: number, maximum: number) =>
  refine(number, (value) => value >= minimum && value <= maximum, `a number from ${minimum} to ${maximum}`, {
    minimum,
    maximum,
  });

export const positive = refine(number, (value) => Number.isFinite(value) && value > 0, 'a number above 0', {
  exclusiveMinimum: 0,
});

export const text = refine(string, (value) => value.isWellFormed(), 'well-formed Unicode');

/** Schema for text that matches a pattern. */
export const matching = (pattern: RegExp, expected: string) =>
  refine(string, (value) => pattern.test(value), expected, { pattern: pattern.source });

/** Whether a value consists only of JSON values and bigints. */
export function isJson(value: unknown, depth = 0): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  // A value nested more than 100 levels deep most likely contains itself.
  if (typeof value === 'object' && value !== null) {
    return depth < 100 && Object.values(value).every((part) => isJson(part, depth + 1));
  }
  return value === null || ['string', 'boolean', 'bigint'].includes(typeof value);
}

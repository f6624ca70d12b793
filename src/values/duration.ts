const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
/** Pattern for one amount with its unit, such as `90s` or `2.5 min`. */
export const durationAmount = /\d+(?:\.\d+)? ?(?:ms|s|m(?:in)?|h|d(?:ays?)?)/.source;

/** Durations as programs write them, such as `90s` or `1m30s`, and as this project prints them, such as `2.5 min` or `1:30`. */
export const durationText = new RegExp(`^(?:${durationAmount}(?: ?${durationAmount})*|\\d+(?::\\d\\d){1,2})$`);

/** A duration: milliseconds, or text such as `500ms`, `2s`, `5m`, `1h`, `1d`, `1m30s`, `2.5 min`, `1:30`. */
export type Duration = number | string;

/** Maximum duration: ten years. The year of a resulting time then has four digits. */
const longestDays = 3_650;
const longestMs = longestDays * 86_400_000;

/** Returns milliseconds; `NaN` for a text that is no duration. */
function readText(text: string): number {
  if (!durationText.test(text)) return Number.NaN;
  if (text.includes(':')) return text.split(':').reduce((sum, part) => sum * 60 + Number(part) * 1_000, 0);
  return [...text.matchAll(/([\d.]+) ?(ms|[a-z])/g)].reduce(
    (sum, [, value, unit = '']) => sum + Number(value) * (unitMs[unit] ?? Number.NaN),
    0,
  );
}

/**
 * Parses a duration. Returns milliseconds.
 * @throws {RangeError} if the duration is negative, unreadable or longer than ten years
 */
export function parseDuration(duration: Duration, maximumMs = longestMs): number {
  const ms = typeof duration === 'string' ? readText(duration) : duration;
  if (ms >= 0 && ms <= maximumMs) return ms;
  if (ms > maximumMs && Number.isFinite(ms)) {
    throw new RangeError(`expected a duration of at most ${longestDays}d, got ${JSON.stringify(duration)}`);
  }
  throw new RangeError(
    `expected a duration such as "500ms", "2s", "5m" or "1d", got ${typeof duration === 'number' ? duration : JSON.stringify(duration)}`,
  );
}

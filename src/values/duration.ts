const unitMs: Record<string, number> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const durationText = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/;

/** A span of time: milliseconds, or text such as `500ms`, `2s`, `5m`, `1h`, `1d`. */
export type Duration = number | string;

/** Ten years: more than anyone needs, and little enough that an instant that far away can be written. */
const longestDays = 3_650;
const longestMs = longestDays * 86_400_000;

/**
 * Reads a duration as milliseconds.
 * @throws {RangeError} when it is neither a number of milliseconds from 0 nor such a text, or longer than ten years
 */
export function parseDuration(duration: Duration, maximumMs = longestMs): number {
  const [, amount = '', unit = ''] = typeof duration === 'string' ? (durationText.exec(duration) ?? []) : [];
  const ms = typeof duration === 'number' ? duration : Number(amount || Number.NaN) * (unitMs[unit] ?? Number.NaN);
  if (ms >= 0 && ms <= maximumMs) return ms;
  if (ms > maximumMs && Number.isFinite(ms)) {
    throw new RangeError(`expected a duration of at most ${longestDays}d, got ${JSON.stringify(duration)}`);
  }
  throw new RangeError(
    `expected a duration such as "500ms", "2s", "5m" or "1d", got ${typeof duration === 'number' ? duration : JSON.stringify(duration)}`,
  );
}

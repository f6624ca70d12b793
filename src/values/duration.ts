const unitMs: Record<string, number> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const durationText = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/;

/** A duration: milliseconds, or text such as `500ms`, `2s`, `5m`, `1h`, `1d`. */
export type Duration = number | string;

/** Maximum duration: ten years. The year of a resulting time then has four digits. */
const longestDays = 3_650;
const longestMs = longestDays * 86_400_000;

/**
 * Parses a duration. Returns milliseconds.
 * @throws {RangeError} if the duration is negative, unreadable or longer than ten years
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

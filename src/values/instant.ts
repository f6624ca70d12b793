/** Latest supported time: the end of the year 9999. HTTP dates cannot represent a later year. */
export const latestMs = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

const isoInstant = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2})$/;

/**
 * Parses a time to Unix milliseconds.
 * @param instant a `Date`, Unix milliseconds, or ISO 8601 text with a time zone
 * @throws {RangeError} for an unreadable time, a year outside 1970 to 9999, or a small number that must be Unix seconds
 */
export function parseInstant(instant: Date | number | string): number {
  const ms = typeof instant === 'string' ? parseText(instant) : new Date(instant).getTime();
  if (typeof instant === 'number' && ms >= 1e9 && ms < 1e10) {
    throw new RangeError(`expected Unix milliseconds, got ${instant}, which are seconds: write ${instant}000`);
  }
  if (ms >= 0 && ms <= latestMs) return ms;
  if (Number.isFinite(ms)) {
    throw new RangeError(`expected an instant of the years 1970 to 9999, got ${JSON.stringify(instant)}`);
  }
  throw new RangeError(`expected an instant such as "2030-12-05T00:00:00Z", got ${JSON.stringify(instant)}`);
}

/** Parses an ISO 8601 date and time. Returns Unix milliseconds, NaN if malformed. */
function parseText(text: string): number {
  const [, year, month, day, hour] = isoInstant.exec(text) ?? [];
  if (day === undefined || hour === '24') return Number.NaN;
  // Rejects a day such as 31 February, which `new Date` would accept as 3 March.
  const isInMonth = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day))).getUTCDate() === Number(day);
  if (!isInMonth) throw new RangeError(`expected a day that the month has, got ${JSON.stringify(text)}`);
  return new Date(text).getTime();
}

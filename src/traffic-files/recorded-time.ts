const zone = /(?:Z|GMT|UTC|[+-]\d{2}:?\d{2})$/i;

/** Unix time units by the size of a number, from the lowest number that is read in this unit. Factors convert to ms. */
const epochUnits = [
  [1e17, 1e-6],
  [1e14, 1e-3],
  [1e11, 1],
  [1e8, 1_000],
] as const;

/**
 * Reads a time of a recording, in Unix milliseconds: a date with time, or a Unix time whose unit the size shows. NaN if
 * missing or unreadable. A time without a zone is read as UTC, in every zone of the machine; `hasZone` is then `false`.
 */
export function readTime(value: unknown): { ms: number; hasZone: boolean } {
  const text = typeof value === 'number' || typeof value === 'string' ? String(value).trim() : '';
  if (/^\d+(?:\.\d+)?$/.test(text)) {
    const factor = epochUnits.find(([from]) => Number(text) >= from)?.[1] ?? Number.NaN;
    return { ms: Number(text) * factor, hasZone: true };
  }
  const hasZone = zone.test(text);
  if (hasZone || !/\d:\d\d/.test(text)) return { ms: Date.parse(text), hasZone };
  const ms = Date.parse(`${text}Z`);
  return { ms: Number.isNaN(ms) ? Date.parse(`${text} UTC`) : ms, hasZone };
}

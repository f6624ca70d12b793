/** Any result as JSON: whole numbers digit for digit, fields without a value left out. */
export function jsonText(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch {
    // It holds a bigint, for which JSON.stringify has no text.
    return exactText(value);
  }
}

function exactText(value: unknown): string {
  if (typeof value === 'bigint') return String(value);
  if (typeof value !== 'object' || value === null || value instanceof Date) return JSON.stringify(value) ?? 'null';
  if (Array.isArray(value)) return `[${value.map(exactText).join(',')}]`;
  return `{${Object.entries(value)
    .filter(([, field]) => field !== undefined)
    .map(([name, field]) => `${JSON.stringify(name)}:${exactText(field)}`)
    .join(',')}}`;
}

const group = 1_000;

/**
 * Formats a number in decimal, three digits at a time. `String` would store each new number in V8's cache, whose moves
 * caused most garbage collection pauses.
 */
export function digitsOf(value: number): string {
  if (value < group || !Number.isSafeInteger(value)) return String(value);
  return `${Math.floor(value / group)}${String(group + (value % group)).slice(1)}`;
}

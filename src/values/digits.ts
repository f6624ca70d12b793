const group = 1_000;

/**
 * A number as decimal text. V8 caches the text of a number that it makes; of whole numbers that do not come again, such as
 * what remains of a limit, that cache kept one for each request, and to move them took most of the garbage collector's
 * pauses. Of groups of three digits there are few.
 */
export function digitsOf(value: number): string {
  if (value < group || !Number.isSafeInteger(value)) return String(value);
  return `${Math.floor(value / group)}${String(group + (value % group)).slice(1)}`;
}

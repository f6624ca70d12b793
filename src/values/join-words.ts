/** Joins the parts of a list in a sentence: `a`, `a and b`, `a, b and c`. */
export function joinWords(parts: readonly string[]): string {
  const last = parts.length > 1 ? ` and ${parts.at(-1)}` : '';
  return (last === '' ? parts : parts.slice(0, -1)).join(', ') + last;
}

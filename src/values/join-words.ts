/** Joins the parts of a list in a sentence: `a`, `a and b`, `a, b and c`. @param word word before the last part */
export function joinWords(parts: readonly string[], word: 'and' | 'or' = 'and'): string {
  const last = parts.length > 1 ? ` ${word} ${parts.at(-1)}` : '';
  return (last === '' ? parts : parts.slice(0, -1)).join(', ') + last;
}

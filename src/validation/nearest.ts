/**
 * Finds the name that is most similar to a misspelt one, for "did you mean" hints. Returns `undefined` if more than a
 * third of the letters differ.
 */
export function nearest(written: string, names: readonly string[]): string | undefined {
  const issues = names.map((name) => distance(written.toLowerCase(), name.toLowerCase()));
  const least = Math.min(...issues);
  const name = names[issues.indexOf(least)];
  return name !== undefined && least <= Math.max(1, Math.floor(name.length / 3)) ? name : undefined;
}

/** Returns the end of a message about an unknown name: a "did you mean" hint, or `otherwise` without a similar name. */
export function hintFor(written: string, names: readonly string[], otherwise = ''): string {
  const meant = nearest(written, names);
  return meant === undefined ? otherwise : `; did you mean ${meant}?`;
}

/** Counts the edits between two names, in letters. A swap of neighboring letters is one edit (Damerau-Levenshtein). */
function distance(a: string, b: string): number {
  // Names of very different length are never similar. Comparing long names would take time.
  if (Math.abs(a.length - b.length) > 6) return Number.POSITIVE_INFINITY;
  const rows = [[...b, ''].map((_, column) => column)];
  for (let row = 1; row <= a.length; row++) {
    const [above = [], beyond = []] = rows;
    const costs = [row];
    for (let column = 1; column <= b.length; column++) {
      const same = a[row - 1] === b[column - 1];
      const swapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      costs[column] = Math.min(
        (above[column] as number) + 1,
        (costs[column - 1] as number) + 1,
        (above[column - 1] as number) + (same ? 0 : 1),
        swapped ? (beyond[column - 2] as number) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    rows.unshift(costs);
  }
  return rows[0]?.[b.length] as number;
}

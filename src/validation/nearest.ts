/** The name that was probably meant: one with at most a third of its letters wrong, else `undefined`. */
export function nearest(written: string, names: readonly string[]): string | undefined {
  const issues = names.map((name) => distance(written.toLowerCase(), name.toLowerCase()));
  const least = Math.min(...issues);
  const name = names[issues.indexOf(least)];
  return name !== undefined && least <= Math.max(1, Math.floor(name.length / 3)) ? name : undefined;
}

/** The end of a message about an unknown name: the name that was probably meant, else `otherwise`. */
export function hintFor(written: string, names: readonly string[], otherwise = ''): string {
  const meant = nearest(written, names);
  return meant === undefined ? otherwise : `; did you mean ${meant}?`;
}

/** How many letters must be added, left out, replaced or swapped with the next to turn `a` into `b`. */
function distance(a: string, b: string): number {
  // A name that differs this much in length is never near; a long one would only cost time.
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

/**
 * Whether a path is a base path or below it.
 * @param start index at which the path begins in `path`
 */
export function isUnder(path: string, base: string, start = 0): boolean {
  if (!path.startsWith(base, start)) return false;
  const next = path[start + base.length];
  return next === undefined || next === '/' || next === '?';
}

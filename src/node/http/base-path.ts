/** Base path that contains a path, from `start` on; `undefined` if none does. */
export const basePathOf = (path: string, basePaths: readonly string[], start = 0): string | undefined =>
  basePaths.find((base) => isUnderBasePath(path, base, start));

/** Whether a path, from `start` on, is a base path or below it. */
export function isUnderBasePath(path: string, base: string, start = 0): boolean {
  if (!path.startsWith(base, start)) return false;
  const next = path[start + base.length];
  return next === undefined || next === '/' || next === '?';
}

/** Base path, such as `/v1`, with which a URL path begins at position `start`; `undefined` if it begins with none. */
export const basePathOf = (path: string, basePaths: readonly string[], start = 0): string | undefined =>
  basePaths.find((base) => isUnderBasePath(path, base, start));

/** Whether a URL path, from position `start` on, is a base path such as `/v1`, or a path below the base path. */
export function isUnderBasePath(path: string, base: string, start = 0): boolean {
  if (!path.startsWith(base, start)) return false;
  const next = path[start + base.length];
  return next === undefined || next === '/' || next === '?';
}

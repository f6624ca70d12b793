import nodePath, { type PlatformPath } from 'node:path';

/**
 * Whether a file lies in a folder or below it. Both absolute, and without links.
 * @param path of another system, for tests
 */
export function isInside(folder: string, file: string, path: PlatformPath = nodePath): boolean {
  const way = path.relative(folder, file);
  // On Windows the way to another drive is absolute.
  return way !== '' && way.split(path.sep)[0] !== '..' && !path.isAbsolute(way);
}

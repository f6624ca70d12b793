import nodePath, { type PlatformPath } from 'node:path';

/**
 * Whether a file is inside a folder, at any depth. Both paths must be absolute and without links.
 * @param path path functions of another system, for tests
 */
export function isInside(folder: string, file: string, path: PlatformPath = nodePath): boolean {
  const way = path.relative(folder, file);
  // On Windows, a relative path to another drive is absolute.
  return way !== '' && way.split(path.sep)[0] !== '..' && !path.isAbsolute(way);
}

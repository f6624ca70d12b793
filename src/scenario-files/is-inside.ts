import nodePath, { type PlatformPath } from 'node:path';

/**
 * Whether a file is inside a folder, at any depth. Both paths must be absolute, and free of symbolic links.
 * @param path path functions of another operating system, for tests
 */
export function isInside(folder: string, file: string, path: PlatformPath = nodePath): boolean {
  const way = path.relative(folder, file);
  // Rejects an absolute path, which `path.relative` returns for a file on another Windows drive.
  return way !== '' && way.split(path.sep)[0] !== '..' && !path.isAbsolute(way);
}

import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Creates a folder and its missing parents, one by one. Node 20's option `recursive` never ends below /proc.
 * @param mode mode of the new folders; default: the system's
 * @returns the created folders
 * @throws the system's error: EEXIST for a file of that name, ENOTDIR for a file above it
 */
export function makeFolders(folder: string, mode?: number): string[] {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return [];
  const made = makeFolders(dirname(folder), mode);
  mkdirSync(folder, { mode });
  return [...made, folder];
}

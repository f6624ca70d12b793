import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Creates a folder and its missing parents. One by one, because `recursive` of Node 20 never ends where none can be created, as
 * below /proc.
 * @param mode of the new folders; default: the system's
 * @returns the created folders
 * @throws the system's error: EEXIST for a file of that name, ENOTDIR for one above it
 */
export function makeFolders(folder: string, mode?: number): string[] {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return [];
  const made = makeFolders(dirname(folder), mode);
  mkdirSync(folder, { mode });
  return [...made, folder];
}

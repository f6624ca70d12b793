import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { bytesOf, type FolderFiles, listFolder } from './folder-files.js';

/** What the folder may take beside three times the state. */
const spareBytes = 64 * 1024 * 1024;

/**
 * Removes what the newest snapshot makes needless. The snapshot before it, or the beginning, stays with the log since
 * then as long as the folder has room for both, for the log until the next snapshot, and for that snapshot.
 * @param size what the newest snapshot takes
 * @param logBytes what the log may take until the next
 */
export async function dropNeedless(folder: string, size: number, logBytes: number): Promise<void> {
  const files = listFolder(folder);
  const [newest = 0, before = 0] = files.snapshots.map(({ position }) => position).reverse();
  const sizeFrom = (position: number) =>
    filesFrom(files, position).reduce((sum, name) => sum + bytesOf(folder, name), 0);
  const mostBytes = 3 * size + spareBytes;
  const isRoom = sizeFrom(before) + logBytes + size <= mostBytes;
  const kept = new Set(filesFrom(files, isRoom ? before : newest));
  for (const { name } of [...files.logs, ...files.snapshots]) {
    if (!kept.has(name)) await rm(join(folder, name), { force: true });
  }
}

/** The files from which the state after the entry at a position, and all after it, can be had. */
const filesFrom = ({ logs, snapshots }: FolderFiles, position: number): string[] =>
  [
    ...logs.filter((_, index) => (logs[index + 1]?.first ?? Number.POSITIVE_INFINITY) > position + 1),
    ...snapshots.filter((snapshot) => snapshot.position >= position),
  ].map(({ name }) => name);

import { readdirSync, renameSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';

const digits = (position: number) => String(position).padStart(12, '0');
const logPattern = /^log-(\d{12,})\.jsonl$/;
const snapshotPattern = /^snapshot-(\d{12,})\.jsonl$/;
/** Being written when the process ended. */
const unfinishedPattern = /^(?:log|snapshot)-\d{12,}\.jsonl\.unfinished$/;
const lockPattern = /^lock-(?:\d+\.json|[0-9a-f]+\.(?:sock|draft))$/;

/** What a person sees in a folder: `log-000000000001.jsonl` begins with entry 1. */
export const logName = (firstPosition: number) => `log-${digits(firstPosition)}.jsonl`;
/** `snapshot-000000001200.jsonl` has the state after entry 1200. */
export const snapshotName = (position: number) => `snapshot-${digits(position)}.jsonl`;
export const unfinished = (name: string) => `${name}.unfinished`;
export const startMarkerName = 'starting.json';
export const setAsidePrefix = 'set-aside-';

export interface FolderFiles {
  /** The files of the log, by the position that each begins with. */
  readonly logs: readonly { name: string; first: number }[];
  readonly snapshots: readonly { name: string; position: number }[];
  readonly unfinished: readonly string[];
  /** Folders under the name of one of these files. */
  readonly folders: readonly string[];
  readonly locks: readonly string[];
  /** Files of no meaning here; those that begin with a dot and `lost+found`, which a volume has, do not count. */
  readonly others: readonly string[];
}

/** What is in a folder, in the order of the positions. */
export function listFolder(folder: string): FolderFiles {
  const found = readdirSync(folder, { withFileTypes: true });
  const isFile = (name: string) => logPattern.test(name) || snapshotPattern.test(name) || unfinishedPattern.test(name);
  const folders = found
    .filter((each) => each.isDirectory())
    .map(({ name }) => name)
    .filter((name) => isFile(name) || name === startMarkerName);
  const names = found.map(({ name }) => name).filter((name) => !folders.includes(name));
  const numbered = (pattern: RegExp) =>
    names
      .flatMap((name) => {
        const found = pattern.exec(name);
        return found === null ? [] : [{ name, position: Number(found[1]) }];
      })
      .sort((a, b) => a.position - b.position);
  const isOurs = (name: string) =>
    isFile(name) || lockPattern.test(name) || name === startMarkerName || name.startsWith(setAsidePrefix);
  return {
    logs: numbered(logPattern).map(({ name, position }) => ({ name, first: position })),
    snapshots: numbered(snapshotPattern),
    unfinished: names.filter((name) => unfinishedPattern.test(name)),
    folders,
    locks: names.filter((name) => lockPattern.test(name)),
    others: names.filter((name) => !isOurs(name) && !name.startsWith('.') && name !== 'lost+found'),
  };
}

export const bytesOf = (folder: string, name: string): number => statSync(join(folder, name)).size;

/** Makes what was created, renamed or removed in a folder last through a power loss, where the system can. */
export async function flushFolder(folder: string): Promise<void> {
  // Windows cannot open a folder, and writes its names in order.
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Renames a file to a free name that says what it was. @returns the name */
export function renameAside(folder: string, name: string): string {
  const aside = asideName(folder, name);
  renameSync(join(folder, name), join(folder, aside));
  return aside;
}

/** A free name for what is set aside of a file: `set-aside-1-log-000000000001.jsonl`. */
export function asideName(folder: string, name: string): string {
  const names = new Set(readdirSync(folder));
  for (let number = 1; ; number++) {
    const aside = `${setAsidePrefix}${number}-${name}`;
    if (!names.has(aside)) return aside;
  }
}

import { unwatchFile, watchFile } from 'node:fs';

/** How often files are looked at, and how long they must rest before they count as saved. */
const intervalMs = 200;
const restMs = 50;

/** Files that are being watched. */
export interface FileWatch {
  /** Watches these from now on, and no others. */
  set(files: readonly string[]): void;
}

/**
 * Tells when one of some files was saved. It asks for the state of each name again and again, so it makes no difference
 * whether an editor writes into the file or puts another in its place, and on which file system.
 */
export function watchFiles(onSave: () => void): FileWatch {
  let watched = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  const note = ({ mtimeMs }: { mtimeMs: number }) => {
    // Gone for now: an editor puts it back, or the person has deleted it, and the scenario stays.
    if (mtimeMs === 0) return;
    clearTimeout(timer);
    timer = setTimeout(onSave, restMs);
  };
  return {
    set(files) {
      const wanted = new Set(files);
      for (const file of watched) if (!wanted.has(file)) unwatchFile(file, note);
      for (const file of wanted) if (!watched.has(file)) watchFile(file, { interval: intervalMs }, note);
      watched = wanted;
    },
  };
}

import { statSync } from 'node:fs';

/** How often files are looked at. A change counts as saved when the next look finds it unchanged. */
const intervalMs = 100;
/** A file that is away for longer is no editor's doing. */
const looksUntilGone = 10;

/** Files that are being watched. */
export interface FileWatch {
  /** Watches these from now on, and no others. */
  set(files: readonly string[]): void;
  /** Whether the files are as they were at the last look: what was read since then is no half of a save. */
  isStill(): boolean;
}

/**
 * Calls `onSave` when one of some files was saved. It polls the state of each name, so it makes no difference
 * whether an editor writes into the file or puts another in its place, and on which file system.
 */
export function watchFiles(onSave: () => void): FileWatch {
  let states = new Map<string, string>();
  let isChanging = false;
  /** How many looks found nothing where a file was. */
  const misses = new Map<string, number>();
  const look = () => {
    let changed = false;
    for (const [file, before] of states) {
      const now = stateOf(file);
      if (now === before) continue;
      // Gone for now: an editor puts it back at once.
      const missed = now === gone ? (misses.get(file) ?? 0) + 1 : 0;
      misses.set(file, missed);
      if (now === gone && missed < looksUntilGone) continue;
      states.set(file, now);
      changed = true;
    }
    if (isChanging && !changed) onSave();
    isChanging = changed;
  };
  setInterval(look, intervalMs).unref();
  return {
    set(files) {
      states = new Map(files.map((file) => [file, states.get(file) ?? stateOf(file)]));
    },
    isStill: () => [...states].every(([file, state]) => stateOf(file) === state),
  };
}

/** The state of a file that is not there, or empty: an editor that writes into a file has emptied it first. */
const gone = '';

function stateOf(file: string): string {
  try {
    const { mtimeNs, size, ino } = statSync(file, { bigint: true });
    return size === 0n ? gone : `${mtimeNs} ${size} ${ino}`;
  } catch {
    return gone;
  }
}

import { statSync } from 'node:fs';

/** How often files are looked at. A change counts as saved when the next look finds it unchanged. */
const intervalMs = 100;

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
  const look = () => {
    let changed = false;
    for (const [file, before] of states) {
      const now = stateOf(file);
      // Gone for now: an editor puts it back, or the person has deleted it, and the scenario stays.
      if (now === undefined || now === before) continue;
      states.set(file, now);
      changed = true;
    }
    if (isChanging && !changed) onSave();
    isChanging = changed;
  };
  setInterval(look, intervalMs).unref();
  return {
    set(files) {
      states = new Map(files.map((file) => [file, states.get(file) ?? stateOf(file) ?? '']));
    },
    isStill: () => [...states].every(([file, state]) => stateOf(file) === state),
  };
}

function stateOf(file: string): string | undefined {
  try {
    const { mtimeNs, size, ino } = statSync(file, { bigint: true });
    // An editor that writes into the file has emptied it first.
    return size === 0n ? undefined : `${mtimeNs} ${size} ${ino}`;
  } catch {
    return undefined;
  }
}

import { statSync } from 'node:fs';

/** Polling interval, in milliseconds. A change counts as saved once the next poll finds no further change. */
const intervalMs = 100;
/** Number of polls after which a missing file counts as deleted; editors replace a file faster. */
const looksUntilGone = 10;

/** Watch on a set of files. */
export interface FileWatch {
  /** Replaces the set of watched files. */
  set(files: readonly string[]): void;
  /** Whether the files are unchanged since the last poll, so that a read since then did not see a partial save. */
  isStill(): boolean;
}

/**
 * Calls `onSave` after one of the files was saved. Polls the state of each path, and so works on every file system and
 * whether editors write in place or replace the file.
 */
export function watchFiles(onSave: () => void): FileWatch {
  let states = new Map<string, string>();
  let isChanging = false;
  /** Number of consecutive polls without the file. */
  const misses = new Map<string, number>();
  const look = () => {
    let changed = false;
    for (const [file, before] of states) {
      const now = stateOf(file);
      if (now === before) continue;
      // Temporarily missing: an editor is replacing the file.
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

/** State of a missing or empty file; an editor that writes in place empties the file first. */
const gone = '';

function stateOf(file: string): string {
  try {
    const { mtimeNs, size, ino } = statSync(file, { bigint: true });
    return size === 0n ? gone : `${mtimeNs} ${size} ${ino}`;
  } catch {
    return gone;
  }
}

import { statSync } from 'node:fs';

/**
 * Interval between two checks for changed files. A change counts as saved if the next check finds no further change.
 */
const intervalMs = 100;
/**
 * Number of consecutive checks after which a missing scenario file counts as deleted. An editor that replaces a file
 * creates it again within fewer checks.
 */
const looksUntilGone = 10;

/** Object that watches a replaceable set of files for changes. */
export interface FileWatch {
  /** Replaces the set of files that are watched for changes. */
  set(files: readonly string[]): void;
  /**
   * Whether the watched files are unchanged since a timer last checked them. A changed file may be incompletely saved.
   */
  isUnchanged(): boolean;
}

/**
 * Calls `onSave` after one of the watched files was saved. Checks the files regularly, which works on every file system
 * and with every editor.
 */
export function watchFiles(onSave: () => void): FileWatch {
  let states = new Map<string, string>();
  let isChanging = false;
  /** Number of consecutive checks in which a watched file was missing. */
  const misses = new Map<string, number>();
  const look = () => {
    let changed = false;
    for (const [file, before] of states) {
      const now = stateOf(file);
      if (now === before) continue;
      // Reports a missing file only after several checks in a row. An editor that replaces a file deletes the file for
      // a short time.
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
    isUnchanged: () => [...states].every(([file, state]) => stateOf(file) === state),
  };
}

/** State of a watched file that is missing or empty. Some editors empty a file before they write it. */
const gone = '';

function stateOf(file: string): string {
  try {
    const { mtimeNs, size, ino } = statSync(file, { bigint: true });
    return size === 0n ? gone : `${mtimeNs} ${size} ${ino}`;
  } catch {
    return gone;
  }
}

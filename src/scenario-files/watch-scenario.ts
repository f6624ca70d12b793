import { ScenarioError } from '../scenario/scenario-error.js';
import type { Scenario } from '../scenario/scenario-schema.js';
import { scenarioChanges } from './scenario-changes.js';
import type { ReadScenario } from './scenario-files.js';
import { watchFiles } from './watch-files.js';

type Read = Pick<ReadScenario, 'scenario' | 'files'>;

/**
 * Outcome of loading a scenario file again after it was saved: the changed fields. `waiting` lists the fields that
 * apply only at the next reset. With a mistake in the file: the error.
 */
export type Reload = { changes: readonly string[]; waiting: readonly string[] } | { error: ScenarioError };

interface WatchOptions {
  read: () => Promise<Read>;
  /**
   * Loads the scenario into the simulator.
   * @throws {ScenarioError} if the simulator rejects it
   */
  load: (scenario: Scenario, options: { reseed: boolean }) => void | Promise<void>;
  /** Whether a changed scenario file also resets the pets. */
  reseed: boolean;
  onReload: (reload: Reload) => void;
}

/** Loads a scenario again after each save of its files. Reports a scenario with a mistake and does not load it. */
export function watchScenario(first: Read, { read, load, reseed, onReload }: WatchOptions): void {
  let loaded = first;
  const reload = async (isFirst = false) => {
    try {
      const next = await read();
      if (!watch.isUnchanged()) return;
      watch.set(next.files);
      const changes = scenarioChanges(loaded.scenario, next.scenario);
      const waiting = reseed ? [] : changes.filter((change) => /^(?:pets|ids)\b/.test(change));
      if (changes.length > waiting.length) await load(next.scenario, { reseed });
      loaded = next;
      if (!isFirst || changes.length > 0) onReload({ changes, waiting });
    } catch (error) {
      if (!(error instanceof ScenarioError)) throw error;
      if (!watch.isUnchanged()) return;
      const named = error.issues.flatMap(({ file }) => file ?? []).filter((file) => !file.startsWith('--'));
      watch.set([...loaded.files, ...named]);
      onReload({ error });
    }
  };
  // Handles saves of the scenario file one after the other, so that the last one wins.
  let done: Promise<void> = Promise.resolve();
  const watch = watchFiles(() => {
    done = done.then(() => reload());
  });
  watch.set(first.files);
  // Reads the scenario once more after the watch of its files has started, because a file may have changed since the
  // first read.
  done = reload(true);
}

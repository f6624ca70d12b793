import { ScenarioError } from '../../scenario/scenario-error.js';
import type { Scenario } from '../../scenario/scenario-schema.js';
import { scenarioChanges } from './scenario-changes.js';
import { watchFiles } from './watch-files.js';

/** A scenario and its source files. */
interface Read {
  scenario: Scenario;
  files: readonly string[];
}

/**
 * Result of a save: the changed fields and those that take effect at the next reset, or the error of an unloaded
 * scenario.
 */
export type Reload = { changes: readonly string[]; waiting: readonly string[] } | { error: ScenarioError };

interface WatchOptions {
  read: () => Promise<Read>;
  /** Loads a scenario. @throws {ScenarioError} */
  load: (scenario: Scenario, options: { reseed: boolean }) => void | Promise<void>;
  /** Whether a change of the scenario file also resets the pets. */
  reseed: boolean;
  onReload: (reload: Reload) => void;
}

/** Reloads a scenario after each save of one of its files. A scenario with a mistake is not loaded. */
export function watchScenario(first: Read, { read, load, reseed, onReload }: WatchOptions): void {
  let loaded = first;
  const reload = async (isFirst = false) => {
    try {
      const next = await read();
      if (!watch.isStill()) return;
      watch.set(next.files);
      const changes = scenarioChanges(loaded.scenario, next.scenario);
      const waiting = reseed ? [] : changes.filter((change) => /^(?:pets|ids)\b/.test(change));
      if (changes.length > waiting.length) await load(next.scenario, { reseed });
      loaded = next;
      if (!isFirst || changes.length > 0) onReload({ changes, waiting });
    } catch (error) {
      if (!(error instanceof ScenarioError)) throw error;
      if (!watch.isStill()) return;
      const named = error.issues.flatMap(({ file }) => file ?? []).filter((file) => !file.startsWith('--'));
      watch.set([...loaded.files, ...named]);
      onReload({ error });
    }
  };
  // In sequence, so that the last save wins.
  let done: Promise<void> = Promise.resolve();
  const watch = watchFiles(() => {
    done = done.then(() => reload());
  });
  watch.set(first.files);
  // Catches a save between the first read and the start of the watch.
  done = reload(true);
}

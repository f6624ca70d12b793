import { ScenarioError } from '../../scenario/scenario-error.js';
import type { Scenario } from '../../scenario/scenario-schema.js';
import { scenarioChanges } from './scenario-changes.js';
import { watchFiles } from './watch-files.js';

/** A scenario and the files that it came from. */
interface Read {
  scenario: Scenario;
  files: readonly string[];
}

/** The result of a save: the fields that changed and those of them that wait for a reset, or why nothing was loaded. */
export type Reload = { changes: readonly string[]; waiting: readonly string[] } | { error: ScenarioError };

interface WatchOptions {
  read: () => Promise<Read>;
  /** Loads a scenario. @throws {ScenarioError} */
  load: (scenario: Scenario, options: { reseed: boolean }) => void | Promise<void>;
  /** Whether to start with the pets of the file again, too. */
  reseed: boolean;
  onReload: (reload: Reload) => void;
}

/** Loads a scenario again whenever one of its files is saved. When it has a mistake, the previous one stays loaded. */
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
  // One after another, so that the last save is the one that stays.
  let done: Promise<void> = Promise.resolve();
  const watch = watchFiles(() => {
    done = done.then(() => reload());
  });
  watch.set(first.files);
  // What was saved between the first reading and the watch.
  done = reload(true);
}

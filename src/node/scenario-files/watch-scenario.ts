import type { LogFormat } from '../../cli/request-log.js';
import { ScenarioError } from '../../scenario/scenario-error.js';
import type { Scenario } from '../../scenario/scenario-schema.js';
import type { Issue } from '../../schema/issue.js';
import type { Simulator } from '../../simulator/simulator.js';
import { scenarioChanges } from './scenario-changes.js';
import { watchFiles } from './watch-files.js';

/** A scenario and the files that it came from. */
interface Read {
  scenario: Scenario;
  files: readonly string[];
}

/** What came of a save: the fields that changed, those of them that are not in force, or why nothing is. */
export type Reload = { changes: readonly string[]; waiting: readonly string[] } | { error: ScenarioError };

interface WatchOptions {
  read: () => Promise<Read>;
  /** Whether to start with the pets of the file again, too. */
  reseed: boolean;
  onReload: (reload: Reload) => void;
}

/** Puts a scenario in force again whenever one of its files is saved. With a mistake in it, the one before stays. */
export function watchScenario(sim: Simulator, first: Read, { read, reseed, onReload }: WatchOptions): void {
  let inForce = first;
  const reload = async (isFirst = false) => {
    try {
      const next = await read();
      if (!watch.isStill()) return;
      watch.set(next.files);
      const changes = scenarioChanges(inForce.scenario, next.scenario);
      const waiting = reseed ? [] : changes.filter((change) => /^(?:pets|ids)\b/.test(change));
      if (changes.length > waiting.length) sim.load(next.scenario, { reseed });
      inForce = next;
      if (!isFirst || changes.length > 0) onReload({ changes, waiting });
    } catch (error) {
      if (!(error instanceof ScenarioError)) throw error;
      if (!watch.isStill()) return;
      const named = error.issues.flatMap(({ file }) => file ?? []).filter((file) => !file.startsWith('--'));
      watch.set([...inForce.files, ...named]);
      onReload({ error });
    }
  };
  // One after the other, so that the last save is the one in force.
  let done: Promise<void> = Promise.resolve();
  const watch = watchFiles(() => {
    done = done.then(() => reload());
  });
  watch.set(first.files);
  // What was saved between the first reading and the watch.
  done = reload(true);
}

/** Tells a person, or a program with `--log json`, what came of a save; mistakes go to standard error. */
export function reportReload(file: string, log: LogFormat, write: (line: string) => void): (reload: Reload) => void {
  return (reload) => {
    if ('error' in reload) {
      const { error } = reload;
      if (log === 'json') write(JSON.stringify({ event: 'reload-failed', file, issues: error.issues.map(plain) }));
      else process.stderr.write(`${error.message}\n${file} is not loaded; the scenario from before stays in force\n`);
      return;
    }
    const { changes, waiting } = reload;
    if (log === 'json') write(JSON.stringify({ event: 'reloaded', file, changes, waiting }));
    if (log !== 'pretty') return;
    const shown = changes.map((change) =>
      waiting.includes(change) ? `${change} not in force without --reseed` : change,
    );
    write(shown.length === 0 ? `saved ${file}: nothing changed` : `reloaded ${file}: ${shown.join(', ')}`);
  };
}

const plain = ({ file, line, column, path, message }: Issue) => ({ file, line, column, path, message });

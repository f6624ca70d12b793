import type { Reload } from '../node/scenario-files/watch-scenario.js';
import type { Issue } from '../validation/issue.js';
import { harmless } from '../values/harmless.js';
import type { LogFormat } from './request-log.js';
import { tell } from './tell.js';

/** Reports what a save led to: to a person, or with `--log json` to a program. Mistakes go to standard error. */
export function reportReload(file: string, log: LogFormat, write: (line: string) => void): (reload: Reload) => void {
  return (reload) => {
    if ('error' in reload) {
      const { error } = reload;
      if (log === 'json') write(JSON.stringify({ event: 'reload-failed', file, issues: error.issues.map(plain) }));
      else tell(`${error.message}\n${file} is not loaded; the scenario from before stays loaded`);
      return;
    }
    const { changes, waiting } = reload;
    if (log === 'json') write(JSON.stringify({ event: 'reloaded', file, changes, waiting }));
    if (log !== 'pretty') return;
    const shown = changes.map((change) =>
      waiting.includes(change) ? `${change} not loaded without --reseed` : change,
    );
    write(harmless(shown.length === 0 ? `saved ${file}: nothing changed` : `reloaded ${file}: ${shown.join(', ')}`));
  };
}

const plain = ({ file, line, column, path, message }: Issue) => ({ file, line, column, path, message });

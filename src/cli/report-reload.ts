import type { Reload } from '../scenario-files/watch-scenario.js';
import type { Issue } from '../validation/issue.js';
import { sanitizeText } from '../values/sanitize-text.js';
import { printMistake } from './print-error.js';
import type { LogFormat } from './request-log.js';

/**
 * Creates a function that reports a reloaded scenario file as text, or as JSON with `--log json`. Mistakes in the file
 * go to standard error.
 */
export function reportReload(file: string, log: LogFormat, write: (line: string) => void): (reload: Reload) => void {
  return (reload) => {
    if ('error' in reload) {
      const { error } = reload;
      if (log === 'json') write(JSON.stringify({ event: 'reload-failed', file, issues: error.issues.map(plain) }));
      else printMistake(`${error.message}\n${file} was not loaded; the previous scenario stays loaded`);
      return;
    }
    const { changes, waiting } = reload;
    if (log === 'json') write(JSON.stringify({ event: 'reloaded', file, changes, waiting }));
    if (log !== 'pretty') return;
    const shown = changes.map((change) =>
      waiting.includes(change) ? `${change} not loaded without --reseed` : change,
    );
    write(
      sanitizeText(shown.length === 0 ? `saved ${file}: nothing changed` : `reloaded ${file}: ${shown.join(', ')}`),
    );
  };
}

const plain = ({ file, line, column, path, message }: Issue) => ({ file, line, column, path, message });

import type { JournalEntry } from './journal-entry.js';
import type { ShownChange } from './update-stream.js';

/** Version of the package. A test compares it with package.json. */
export const version = '0.1.0';

/** Format identifier of a run report. A new value marks reports that older versions cannot read. */
export const runFormat = 'petstore-sim-run-1';

/** Run report: the requests of a run, and the control API's responses at its end, by path. */
export interface RunReport {
  format: typeof runFormat;
  entries: JournalEntry[];
  changes: ShownChange[];
  answers: Record<string, unknown>;
}

/** Maximum number of keys of a run with a separate verdict in reports and on the dashboard. */
export const maximumKeyVerdicts = 12;

/** Path of the verdict on one key in the control API, and in a report's `answers`. */
export const keyVerdictPath = (keyId: string) => `/verdict?key=${encodeURIComponent(keyId)}`;

/** Id of the HTML element that contains the run report. */
export const runElementId = 'petstore-sim-run';

import type { ClockInfo } from '../control-api/clock-operations.js';
import type { JournalEntry } from '../control-api/journal-entry.js';
import type { RunReport } from '../control-api/run-report.js';
import { type Source, SourceError } from './source.js';

/** Creates a read-only source of the dashboard's data from a file with a finished run, such as a HAR or a report. */
export function createFileSource({ entries, changes, answers }: RunReport): Source {
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  const { '/clock': clock, '/scenario': loaded } = answers as { '/clock': ClockInfo; '/scenario': { name: string } };
  /** Responses that a report, or a judged recording, does not contain. */
  const missing: Record<string, unknown> = {
    '/faults': [],
    '/assumptions': [],
    '/operations': [],
    '/scenarios': [{ name: 'default' }],
  };
  return {
    kind: 'file',
    baseUrl: entries[0]?.baseUrl ?? 'http://127.0.0.1:4010/v1',
    async send<Result>(method: string, path: string) {
      if (method !== 'GET') throw new SourceError(405, 'A file cannot change.');
      const id = /^\/journal\/(\d+)$/.exec(path)?.[1];
      const entry = byId.get(Number(id));
      if (entry !== undefined) return entry as Result;
      // Ignores filters in the path, because the dashboard's request list filters the entries itself.
      if (path.startsWith('/journal?')) return { entries } as Result;
      const found = Object.hasOwn(answers, path) ? answers[path] : missing[path];
      if (found === undefined) throw new SourceError(404, 'This data is not in the file.');
      return found as Result;
    },
    text: () => Promise.reject(new SourceError(404, '')),
    async watch(_, take) {
      take({
        run: 'file',
        scenario: loaded.name,
        clock: { ...clock, mode: 'frozen' },
        entries: entries.map(withoutBodies),
        changes: [...changes],
        total: entries.length,
        pending: 0,
        behind: 0,
      });
      return false;
    },
  };
}

/**
 * Removes headers and bodies from a journal entry, so that entries from a file have the same fields as entries in the
 * live updates of a server.
 */
const withoutBodies = ({ headers: _, requestBody: __, responseBody: ___, ...row }: JournalEntry) => row;

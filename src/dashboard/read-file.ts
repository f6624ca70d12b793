import type { JournalEntry } from '../control-api/journal-entry.js';
import { type RunReport, runElementId, runFormat } from '../control-api/run-report.js';
import { fromHar, type HarEntry } from './from-har.js';
import { parseExact } from './source.js';

const expected = 'Expected a report of petstore-sim, a HAR, or a journal as JSON Lines';

/** Reads a report or a run, which contains its verdict; `undefined` for another file. */
export function readRun(text: string): RunReport | undefined {
  try {
    return text.startsWith(`{"format":"${runFormat}"`) ? parseExact(text) : readReport(text);
  } catch {
    return undefined;
  }
}

/**
 * Reads the requests of a HAR or of JSON Lines, without a verdict.
 * @throws {Error} naming the expected formats
 */
export function readRequests(name: string, text: string): RunReport {
  const start = text.trimStart();
  try {
    if (/^\{\s*"log"\s*:/.test(start))
      return fromEntries(fromHar((JSON.parse(text) as { log: { entries: HarEntry[] } }).log.entries));
    return fromEntries(
      start
        .split('\n')
        .filter((line) => line.trim() !== '')
        .map(readLine),
    );
  } catch {
    return fail(name);
  }
}

/** Extracts the run embedded in the HTML of a report. The text of a run contains no `<`. */
export function readReport(html: string): RunReport | undefined {
  const data = html.split(`id="${runElementId}">`)[1]?.split('<')[0];
  const run = data && (parseExact(data) as RunReport);
  return run && Array.isArray(run.entries) ? run : undefined;
}

function readLine(line: string): JournalEntry {
  const entry = JSON.parse(line) as JournalEntry;
  const { id, time, status, method, path } = entry;
  const isEntry = [id, status, Date.parse(time)].every(Number.isFinite) && typeof method === typeof path;
  if (!isEntry || typeof path !== 'string') throw new Error();
  return entry;
}

const fromEntries = (entries: readonly JournalEntry[]): RunReport => ({
  format: runFormat,
  entries: [...entries].sort((a, b) => a.id - b.id),
  changes: [],
  answers: {},
});

const fail = (name: string): never => {
  throw new Error(`Failed to open ${name}. ${expected}.`);
};

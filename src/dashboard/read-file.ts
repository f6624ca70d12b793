import type { JournalEntry } from '../control/journal-entry.js';
import { type RunReport, runElementId, runFormat } from '../control/run-report.js';
import { fromHar, type HarEntry } from './from-har.js';

const expected = 'Expected a report of petstore-sim, a HAR, or a journal as JSON Lines';

/**
 * Reads a file that somebody dropped on the page.
 * @throws {Error} that says what was expected
 */
export function readFile(name: string, text: string): RunReport {
  const start = text.trimStart();
  if (start.startsWith('<')) return readReport(text) ?? fail(name);
  try {
    const isWhole = start.startsWith('{"log"') || /^\{\s*"log"\s*:/.test(start);
    if (isWhole) return fromEntries(fromHar((JSON.parse(text) as { log: { entries: HarEntry[] } }).log.entries));
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

/** The run inside a report, or in the page itself where that is a report. */
export function readReport(html: string): RunReport | undefined {
  // Parsed, so that nothing of it runs.
  return readRunElement(new DOMParser().parseFromString(html, 'text/html'));
}

export function readRunElement(document: Document): RunReport | undefined {
  const data = document.getElementById(runElementId)?.textContent;
  if (!data) return undefined;
  const run = JSON.parse(data) as RunReport;
  return Array.isArray(run.entries) ? run : undefined;
}

function readLine(line: string): JournalEntry {
  const entry = JSON.parse(line) as JournalEntry;
  if (typeof entry.id !== 'number' || typeof entry.time !== 'string' || typeof entry.status !== 'number')
    throw new Error();
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

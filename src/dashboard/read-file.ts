import { type RunReport, runElementId, runFormat } from '../control-api/run-report.js';
import { parseExact } from './source.js';

/** Reads a report or a run, which contains its verdict; `undefined` for another file. */
export function readRun(text: string): RunReport | undefined {
  try {
    return text.startsWith(`{"format":"${runFormat}"`) ? parseExact(text) : readReport(text);
  } catch {
    return undefined;
  }
}

/** Extracts the run embedded in the HTML of a report. The text of a run contains no `<`. */
export function readReport(html: string): RunReport | undefined {
  const data = html.split(`id="${runElementId}">`)[1]?.split('<')[0];
  const run = data && (parseExact(data) as RunReport);
  return run && Array.isArray(run.entries) ? run : undefined;
}

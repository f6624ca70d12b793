import { readFileSync, writeFileSync } from 'node:fs';
import type { Verdict } from '../../src/judge/judge-run.js';
import type { RequestRecord } from '../../src/requests/request-record.js';
import type { FindingCode } from '../../src/scenario/finding-codes.js';
import type { Setting } from './clients.js';
import type { End } from './reading.js';
import type { TrialId } from './trials.js';

/** Result of one client in one trial. */
export interface Cell {
  outcome: Verdict['outcome'];
  /** The findings that fail or warn. */
  codes: FindingCode[];
  /** The statuses, and the seconds between them: `429 3.1 200`. A missing response is 0. */
  run: string;
  end: End;
  /** Judgement by times and headers, if it differs from the verdict. */
  otherwise?: string;
}

export type Cells = Partial<Record<TrialId, Cell>>;

/** Outcome of one client in one scenario of the gauntlet, and the findings that fail or warn. */
export type GauntletCell = Pick<Cell, 'outcome' | 'codes'>;

/** Results of one client, set right, in the gauntlet. A scenario in neither field was not run. */
export interface GauntletCells {
  passed: string[];
  others: Record<string, GauntletCell>;
}

/** `results.json`: what `npm run clients` found. */
export interface Results {
  /** Versions of the languages. */
  versions: Record<string, string>;
  /**
   * The version is empty for what its language brings along, and the User-Agent for a client that sends none, as
   * measured.
   */
  clients: Record<
    string,
    { version: string; userAgent?: string; gauntlet?: GauntletCells } & Partial<Record<Setting, Cells>>
  >;
}

const file = new URL('results.json', import.meta.url);

export const readResults = (): Results => JSON.parse(readFileSync(file, 'utf8'));

/** A line for each cell, so that a change is easy to see. */
export function writeResults(results: Results): void {
  const text = JSON.stringify(results, undefined, 1).replace(/\{\n +"outcome":[^{}]*\}|"passed": \[[^\]]*\]/g, (cell) =>
    cell.replace(/\n */g, ' '),
  );
  writeFileSync(file, `${text}\n`);
}

/** The outcome and the findings that fail or warn. */
export function judged({ outcome, findings }: Verdict): GauntletCell {
  const found = findings.filter(({ severity }) => severity === 'fail' || severity === 'warn');
  return { outcome, codes: [...new Set(found.map(({ code }) => code))].sort() };
}

/** Statuses and seconds between them; of a long run the beginning. */
export function runOf(entries: readonly RequestRecord[]): string {
  const steps = entries.slice(0, 8).flatMap(({ status, arrivedAtMs, isUnreadable }, index) => {
    const before = entries[index - 1];
    const waited = before === undefined ? [] : [((arrivedAtMs - before.answeredAtMs) / 1000).toFixed(1)];
    return [...waited, String(isUnreadable ? 0 : status)];
  });
  return [...steps, ...(entries.length > 8 ? [`and ${entries.length - 8} more`] : [])].join(' ');
}

import { styleText } from 'node:util';
import { reportHtml } from '../control-api/run-report.js';
import { junitReport } from '../judge/report/junit.js';
import { terminalReport } from '../judge/report/terminal.js';
import type { RunResult } from '../judge/run-result.js';
import { readPageFiles } from '../node/page-files.js';
import type { RequestRecord } from '../requests/request-record.js';
import { jsonWithNext } from './json-with-next.js';
import { writeOutput } from './output-files.js';
import { tellNotes } from './tell.js';
import type { VerdictFlags } from './verdict-flags.js';

/** What was judged. */
export interface JudgedRun {
  result: RunResult;
  entries: readonly RequestRecord[];
  /** What the recording lacks, of which the run is known: told before the verdict, and in JSON as a part of it. */
  notes?: readonly string[];
  /** The `RunReport` of the run as JSON, with the verdict to show. */
  run: (verdict: RunResult) => string | Promise<string>;
}

/** Exit code of a success of which a report could not be written. */
const unwrittenCode = 2;

/**
 * Prints a result, and writes every report that the flags ask for.
 * @param next the commands that make sense now
 * @returns the exit code
 */
export async function writeReports(
  { verdict: verdictFile, report, junit, json }: VerdictFlags,
  { entries, result, notes = [], run }: JudgedRun,
  next: readonly string[],
): Promise<number> {
  const { stderr } = process;
  const shown = json
    ? jsonWithNext(
        { ...(result.outcome === 'pass' ? shortened(result) : result), ...(notes.length > 0 && { notes }) },
        next,
      ).trimEnd()
    : terminalReport(entries, result, {
        columns: stderr.columns ?? 100,
        ...(stderr.isTTY && { style: (format, text) => styleText(format, text) }),
      });
  if (!json) tellNotes(notes);
  stderr.write(`${shown}\n`);
  const reports: [flag: string, file: string | undefined, text: () => string | Promise<string>][] = [
    ['--verdict', verdictFile, () => `${JSON.stringify(result, null, 2)}\n`],
    ['--report', report, async () => reportHtml(readPageFiles(), await run(result))],
    ['--junit', junit, () => junitReport(entries, result)],
  ];
  const failures: string[] = [];
  for (const [flag, file, text] of reports) {
    if (file !== undefined) failures.push(...writeReport(flag, file, await text()));
  }
  tellNotes(failures);
  return result.exitCode || (failures.length > 0 ? unwrittenCode : 0);
}

function writeReport(flag: string, file: string, text: string): string[] {
  try {
    writeOutput(flag, file, text);
    return [];
  } catch (error) {
    return [(error as Error).message];
  }
}

/** Of a pass, little is worth reading: with `next` it stays below 2 kB. `--verdict FILE` has all. */
function shortened({ findings, exercised, ...result }: RunResult) {
  const worth = findings.filter(({ severity }) => severity !== 'praise').slice(0, 3);
  const text = (finding: string) => (finding.length > 200 ? `${finding.slice(0, 200)}…` : finding);
  return {
    ...result,
    exercised: exercised.join(', '),
    findings: worth.map((finding) => ({ code: finding.code, severity: finding.severity, text: text(finding.text) })),
  };
}

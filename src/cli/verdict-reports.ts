import { styleText } from 'node:util';
import { readPageFiles } from '../control-api/node/package-files.js';
import { reportHtml } from '../control-api/report-html.js';
import { junitReport } from '../judge/report/junit.js';
import type { NameKey } from '../judge/report/key-names.js';
import { terminalReport } from '../judge/report/terminal.js';
import { summaryLine } from '../judge/report/wording.js';
import type { RunResult } from '../judge/run-result.js';
import type { RequestRecord } from '../requests/request-record.js';
import { formatJsonResult } from './format-json-result.js';
import { writeOutput } from './output-files.js';
import { printMistake, printNotes } from './print-error.js';
import { program } from './program.js';
import type { VerdictFlags } from './verdict-flags.js';

/** Result and requests of a judged run, from which its reports are written. */
export interface JudgedRun {
  result: RunResult;
  entries: readonly RequestRecord[];
  /** Notes about missing parts of a recording. Printed before the verdict, and included in JSON. */
  notes?: readonly string[];
  /** Names an API key in the reports. */
  nameKey: NameKey;
  /** Creates the run's report data (`RunReport`) as JSON, with a given verdict. */
  run: (verdict: RunResult) => string | Promise<string>;
}

/** Exit code if the run succeeded but a report or the recording could not be written. */
export const unwrittenCode = 2;

/**
 * Prints the result of a run, and writes the reports that the flags request.
 * @param next suggested next commands
 * @param stream standard output, or standard error beside a client's command, whose output standard output has
 * @param advice lines after the report, without `--json`
 * @returns exit code
 */
export async function writeReports(
  { verdict: verdictFile, report, junit, json }: VerdictFlags,
  { entries, result, notes = [], nameKey, run }: JudgedRun,
  next: readonly string[],
  stream: NodeJS.WriteStream,
  advice: readonly string[] = [],
): Promise<number> {
  const shown = json
    ? formatJsonResult(
        { ...(result.outcome === 'pass' ? shortened(result) : result), ...(notes.length > 0 && { notes }) },
        next,
      ).trimEnd()
    : terminalReport(entries, result, {
        columns: stream.columns ?? 96,
        style: (format, text) => styleText(format, text, { stream }),
        nameKey,
        program,
      });
  if (!json) printNotes(notes);
  stream.write(`${shown}\n`);
  const reports: [flag: string, file: string | undefined, text: () => string | Promise<string>][] = [
    ['--verdict', verdictFile, () => `${JSON.stringify(result, null, 2)}\n`],
    ['--report', report, async () => reportHtml(readPageFiles(), await run(result))],
    ['--junit', junit, () => junitReport(entries, result, { nameKey })],
  ];
  const failures: string[] = [];
  for (const [flag, file, text] of reports) {
    if (file === undefined) continue;
    const report = await text();
    try {
      writeOutput(flag, file, report);
    } catch (error) {
      failures.push((error as Error).message);
    }
  }
  for (const failure of failures) printMistake(`petstore-sim: ${failure}`);
  if (!json) {
    const isWritten = report !== undefined && failures.length === 0;
    const last = styleText('bold', summaryLine(result, isWritten ? report : undefined), { stream });
    stream.write([...advice, ...(advice.length > 0 ? [''] : []), last, ''].join('\n'));
  }
  return result.exitCode || (failures.length > 0 ? unwrittenCode : 0);
}

/**
 * Shortens the result of a passed run for `--json`, so that the JSON and the suggested next commands take less than 2
 * kB. `--verdict FILE` writes the whole result.
 */
function shortened({ findings, ...result }: RunResult) {
  const worth = findings.filter(({ severity }) => severity !== 'praise').slice(0, 3);
  const text = (finding: string) => (finding.length > 200 ? `${finding.slice(0, 200)}…` : finding);
  return {
    ...result,
    findings: worth.map(({ code, severity, text: sentences }) => ({ code, severity, text: text(sentences) })),
  };
}

import { writeFileSync } from 'node:fs';
import { styleText } from 'node:util';
import { type RunReport, reportHtml } from '../control/run-report.js';
import { readPageFiles } from '../node/page-files.js';
import { UsageError } from '../node/usage-error.js';
import { type FindingCode, findingCodes } from '../scenario/expectation.js';
import type { RequestRecord } from '../state/request-record.js';
import type { Verdict } from '../verdict/judge-run.js';
import { junitReport } from '../verdict/report/junit.js';
import { terminalReport } from '../verdict/report/terminal.js';
import { jsonWithNext } from './json-with-next.js';

// What exec and judge do with a verdict.

/** The flags that say what becomes of it. */
export interface VerdictFlags {
  verdict?: string;
  report?: string;
  junit?: string;
  json?: boolean;
  'fail-on'?: string;
  'require-conclusive'?: boolean;
}

/** What was judged. */
export interface JudgedRun {
  verdict: Verdict;
  entries: readonly RequestRecord[];
  /** The run as a report holds it. */
  run: () => RunReport;
}

/** Whether the flags make it a failure. */
export function fails(
  { outcome, findings }: Verdict,
  failOn: readonly FindingCode[] | undefined,
  mustConclude: boolean,
): boolean {
  if (mustConclude && outcome === 'inconclusive') return true;
  return failOn === undefined ? outcome === 'fail' : findings.some(({ code }) => failOn.includes(code));
}

/**
 * Writes every report that the flags ask for.
 * @param next the commands that make sense now
 * @returns a message for each that could not be written
 */
export function writeReports(
  { verdict: verdictFile, report, junit, json }: VerdictFlags,
  { entries, verdict, run }: JudgedRun,
  next: readonly string[],
): string[] {
  const { stderr } = process;
  const shown = json
    ? jsonWithNext(verdict.outcome === 'pass' ? shortened(verdict) : verdict, next).trimEnd()
    : terminalReport(entries, verdict, {
        columns: stderr.columns ?? 100,
        ...(stderr.isTTY && { style: (format, text) => styleText(format, text) }),
      });
  stderr.write(`${shown}\n`);
  const reports: [flag: string, file: string | undefined, text: () => string][] = [
    ['--verdict', verdictFile, () => `${JSON.stringify(verdict, null, 2)}\n`],
    ['--report', report, () => reportHtml(readPageFiles(), run())],
    ['--junit', junit, () => junitReport(entries, verdict)],
  ];
  return reports.flatMap(([flag, file, text]) => (file === undefined ? [] : writeReport(flag, file, text())));
}

function writeReport(flag: string, file: string, text: string): string[] {
  try {
    writeFileSync(file, text);
    return [];
  } catch (error) {
    return [
      `expected ${flag} to name a file that can be written, got ${JSON.stringify(file)}: ${(error as Error).message}`,
    ];
  }
}

/** @throws {UsageError} for a code that is none */
export function readCodes(text: string | undefined): FindingCode[] | undefined {
  const codes = text?.split(',').map((code) => code.trim());
  const unknown = codes?.find((code) => !(findingCodes as readonly string[]).includes(code));
  if (unknown !== undefined) {
    throw new UsageError(
      `expected --fail-on to name findings (${findingCodes.join(', ')}), got ${JSON.stringify(unknown)}`,
    );
  }
  return codes as FindingCode[] | undefined;
}

/** Of a pass, little is worth reading: with `next` it stays below 2 kB. `--verdict FILE` has all. */
function shortened({ findings, exercised, ...verdict }: Verdict) {
  const worth = findings.filter(({ severity }) => severity !== 'praise').slice(0, 3);
  const text = (finding: string) => (finding.length > 200 ? `${finding.slice(0, 200)}…` : finding);
  return {
    ...verdict,
    exercised: exercised.join(', '),
    findings: worth.map((finding) => ({ code: finding.code, severity: finding.severity, text: text(finding.text) })),
  };
}

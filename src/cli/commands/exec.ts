import { writeFileSync } from 'node:fs';
import { styleText } from 'node:util';
import { reportHtml } from '../../control/run-report.js';
import { readPageFiles } from '../../node/page-files.js';
import { UsageError } from '../../node/usage-error.js';
import { type FindingCode, findingCodes } from '../../scenario/expectation.js';
import type { Verdict } from '../../verdict/judge-run.js';
import { junitReport } from '../../verdict/report/junit.js';
import { terminalReport } from '../../verdict/report/terminal.js';
import { type ClientRun, runClient } from '../client-run.js';
import { apiKeyOf, requireCommand, type ScenarioFlags, scenarioOf, timeoutOf } from './client-flags.js';

export interface ExecFlags extends ScenarioFlags {
  verdict?: string;
  report?: string;
  junit?: string;
  json?: boolean;
  'fail-on'?: string;
  'require-conclusive'?: boolean;
  timeout?: string;
}

/** As of timeout(1): the command was stopped because its time was over. */
const timedOutCode = 124;

/** The client passed, but a report could not be written. */
const unwrittenCode = 2;

/**
 * Runs a client's command against a simulator on a free port, with the command's own input and output, and prints the
 * verdict to standard error.
 * @returns 1 when the client failed its verdict and its command ended with 0, 124 when the time limit ended it, else the
 * exit code of the command
 */
export async function exec(flags: ExecFlags, command: readonly string[]): Promise<number> {
  requireCommand('exec', command);
  const failOn = readCodes(flags['fail-on']);
  const timeoutMs = flags.timeout === undefined ? undefined : timeoutOf(flags.timeout);
  const apiKey = apiKeyOf(flags);
  const { resolved } = await scenarioOf(flags);
  const run = await runClient(command, resolved, { output: 'inherit', timeoutMs, apiKey });
  const { code, isInterrupted, verdict } = run;
  const failures = writeReports(flags, run);
  for (const failure of failures) process.stderr.write(`petstore-sim: ${failure}\n`);
  const isFailed = fails(verdict, failOn, flags['require-conclusive'] ?? false);
  if (isInterrupted && timeoutMs !== undefined && run.lastedMs >= timeoutMs) return isFailed ? 1 : timedOutCode;
  if (code !== 0) return code;
  if (isFailed) return 1;
  return failures.length > 0 ? unwrittenCode : 0;
}

function fails(
  { outcome, findings }: Verdict,
  failOn: readonly FindingCode[] | undefined,
  mustConclude: boolean,
): boolean {
  if (mustConclude && outcome === 'inconclusive') return true;
  return failOn === undefined ? outcome === 'fail' : findings.some(({ code }) => failOn.includes(code));
}

/** Writes every report that the flags ask for. @returns a message for each that could not be written */
function writeReports(
  { verdict: verdictFile, report, junit, json }: ExecFlags,
  { entries, verdict, run }: Pick<ClientRun, 'entries' | 'verdict' | 'run'>,
): string[] {
  const { stderr } = process;
  const shown = json
    ? JSON.stringify(verdict, null, 2)
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
function readCodes(text: string | undefined): FindingCode[] | undefined {
  const codes = text?.split(',').map((code) => code.trim());
  const unknown = codes?.find((code) => !(findingCodes as readonly string[]).includes(code));
  if (unknown !== undefined) {
    throw new UsageError(
      `expected --fail-on to name findings (${findingCodes.join(', ')}), got ${JSON.stringify(unknown)}`,
    );
  }
  return codes as FindingCode[] | undefined;
}

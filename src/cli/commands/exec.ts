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
import { jsonWithNext } from '../json-with-next.js';
import { shellWords } from '../shell-words.js';
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
  const failures = writeReports(flags, run, nextCommands(flags, run.verdict, command));
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

/** After a pass all the other scenarios, after a failure a picture of it, and one that puts a client to the test where this did not. */
function nextCommands(flags: ExecFlags, { outcome, scenario }: Verdict, command: readonly string[]): string[] {
  const words = shellWords(command);
  const named = flags.scenario ?? 'default';
  if (outcome === 'pass') return [`petstore-sim gauntlet --json -- ${words}`];
  if (outcome === 'fail') {
    return [`petstore-sim exec --scenario ${shellWords([named])} --report report.html -- ${words}`];
  }
  return scenario === 'minute-wall'
    ? [`petstore-sim scenarios --json ${scenario}`]
    : [`petstore-sim exec --json --scenario minute-wall -- ${words}`];
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

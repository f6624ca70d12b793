import { writeFileSync } from 'node:fs';
import { styleText } from 'node:util';
import { nameOfScenario } from '../../node/scenario-files/scenario-files.js';
import { UsageError } from '../../node/usage-error.js';
import { type FindingCode, findingCodes } from '../../scenario/expectation.js';
import type { Verdict } from '../../verdict/judge-run.js';
import { htmlReport } from '../../verdict/report/html.js';
import { junitReport } from '../../verdict/report/junit.js';
import { terminalReport } from '../../verdict/report/terminal.js';
import { type ClientRun, runClient } from '../client-run.js';
import { requireCommand, type ScenarioFlags, scenarioOf, timeoutOf } from './client-flags.js';

export interface ExecFlags extends ScenarioFlags {
  verdict?: string;
  report?: string;
  junit?: string;
  json?: boolean;
  'fail-on'?: string;
  'require-conclusive'?: boolean;
  timeout?: string;
  record?: string;
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
  const scenario = await scenarioOf(flags);
  const { record: file } = flags;
  const recording =
    file === undefined ? undefined : { file, scenarioName: nameOfScenario(flags.scenario ?? 'default') };
  const run = await runClient(command, scenario, {
    output: 'inherit',
    timeoutMs,
    apiKey: flags['api-key'],
    recording,
  });
  const { code, isInterrupted, verdict } = run;
  const failures = writeReports(flags, run);
  for (const failure of failures) process.stderr.write(`petstore-sim: ${failure}\n`);
  const isFailed = fails(verdict, failOn, flags['require-conclusive'] ?? false);
  if ((isFailed || code !== 0) && !flags.json) process.stderr.write(replayLines(flags, command));
  if (isInterrupted && timeoutMs !== undefined && run.lastedMs >= timeoutMs) return isFailed ? 1 : timedOutCode;
  if (code !== 0) return code;
  if (isFailed) return 1;
  return failures.length > 0 ? unwrittenCode : 0;
}

/** How to have the same run again: the line that records it, where it was not recorded, and the line that replays it. */
function replayLines({ record, scenario, set = [], seed, ...flags }: ExecFlags, command: readonly string[]): string {
  const file = record ?? 'run.jsonl';
  const options = [
    ...(scenario === undefined ? [] : ['--scenario', scenario]),
    ...set.flatMap((text) => ['--set', text]),
    ...(seed === undefined ? [] : ['--seed', seed]),
    ...(flags['no-limits'] ? ['--no-limits'] : []),
    ...(flags['api-key'] === undefined ? [] : ['--api-key', flags['api-key']]),
    ...(flags.timeout === undefined ? [] : ['--timeout', flags.timeout]),
  ];
  const recording = shellLine(['petstore-sim', 'exec', '--record', file, ...options, '--', ...command]);
  const replay = shellLine(['petstore-sim', 'replay', file, '--judge']);
  return `${record === undefined ? `To record this run:  ${recording}\n` : ''}To replay it:        ${replay}\n`;
}

/** Words as a POSIX shell reads them. */
const shellLine = (words: readonly string[]) =>
  words.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)).join(' ');

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
  { entries, verdict }: Pick<ClientRun, 'entries' | 'verdict'>,
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
    ['--report', report, () => htmlReport(entries, verdict)],
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

import { nameOfScenario } from '../../node/scenario-files/scenario-files.js';
import type { Verdict } from '../../verdict/judge-run.js';
import { runClient } from '../client-run.js';
import { shellWords } from '../shell-words.js';
import { checkReportFiles, fails, readCodes, type VerdictFlags } from '../verdict-flags.js';
import { apiKeyOf, requireCommand, type ScenarioFlags, scenarioOf, timeoutOf } from './client-flags.js';

export interface ExecFlags extends ScenarioFlags, VerdictFlags {
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
  checkReportFiles(flags);
  const timeoutMs = flags.timeout === undefined ? undefined : timeoutOf(flags.timeout);
  const apiKey = apiKeyOf(flags);
  const { resolved } = await scenarioOf(flags);
  const { record: file } = flags;
  const recording =
    file === undefined ? undefined : { file, scenarioName: nameOfScenario(flags.scenario ?? 'default') };
  const run = await runClient(command, resolved, { output: 'inherit', timeoutMs, apiKey, recording });
  const { code, isInterrupted, verdict } = run;
  const { writeReports } = await import('../verdict-reports.js');
  const failures = await writeReports(flags, run, nextCommands(flags, run.verdict, command));
  for (const failure of failures) process.stderr.write(`petstore-sim: ${failure}\n`);
  const isFailed = fails(verdict, failOn, flags['require-conclusive'] ?? false);
  if (run.entries.length === 0 && !flags.json) process.stderr.write(sentNothing(code));
  else if ((isFailed || code !== 0) && !flags.json) {
    const ownCode = `The command ended with exit code ${code}, and so does exec.\n`;
    process.stderr.write(replayLines(flags, command) + (isFailed || isInterrupted ? '' : ownCode));
  }
  if (isInterrupted && timeoutMs !== undefined && run.lastedMs >= timeoutMs) return isFailed ? 1 : timedOutCode;
  if (code !== 0) return code;
  if (isFailed) return 1;
  return failures.length > 0 ? unwrittenCode : 0;
}

/** Most often a command that ended before its first request, or one that has an address of its own. */
const sentNothing = (code: number) =>
  `petstore-sim: expected requests to the address in PETSTORE_BASE_URL, with the key in PETSTORE_API_KEY, got none; the command ended with exit code ${code}${code === 0 ? ' (--require-conclusive makes this a failure)' : ''}\n`;

/** How to have the same run again: the line that records it, where it was not recorded, and the line that replays it. */
function replayLines(flags: ExecFlags, command: readonly string[]): string {
  const { record } = flags;
  const recording = record === undefined ? `To record this run:  ${recordLine(flags, command)}\n` : '';
  return `${recording}To replay it:        ${replayLine(record)}\n`;
}

const recordLine = (flags: ExecFlags, command: readonly string[]) =>
  againLine(['--record', recordingName], flags, command);

/** The same run with something more. */
function againLine(more: readonly string[], flags: ExecFlags, command: readonly string[]): string {
  const { scenario, set = [], seed, timeout, 'no-limits': noLimits, 'api-key': apiKey } = flags;
  const options = Object.entries({ scenario, seed, 'api-key': apiKey, timeout }).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name}`, value],
  );
  const sets = set.flatMap((text) => ['--set', text]);
  const words = [...more, ...options, ...sets, ...(noLimits ? ['--no-limits'] : []), '--', ...command];
  return `petstore-sim exec ${shellWords(words)}`;
}

const recordingName = 'run.jsonl';
const replayLine = (file = recordingName) => `petstore-sim replay ${shellWords([file])} --judge`;

/** After a pass all the other scenarios, after a failure a picture of it, and one that puts a client to the test where this did not. */
function nextCommands(flags: ExecFlags, { outcome, scenario }: Verdict, command: readonly string[]): string[] {
  const words = shellWords(command);
  if (outcome === 'pass') return [`petstore-sim gauntlet --json -- ${words}`];
  if (outcome === 'fail') {
    const report = againLine(['--report', 'report.html'], flags, command);
    return [report, flags.record === undefined ? recordLine(flags, command) : replayLine(flags.record)];
  }
  return scenario === 'minute-wall'
    ? [`petstore-sim scenarios --json ${scenario}`]
    : [`petstore-sim exec --json --scenario minute-wall -- ${words}`];
}

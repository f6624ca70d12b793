import type { Verdict } from '../../verdict/judge-run.js';
import { runClient } from '../client-run.js';
import { shellWords } from '../shell-words.js';
import { fails, readCodes, type VerdictFlags, writeReports } from '../verdict-reports.js';
import { apiKeyOf, requireCommand, type ScenarioFlags, scenarioOf, timeoutOf } from './client-flags.js';

export interface ExecFlags extends ScenarioFlags, VerdictFlags {
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

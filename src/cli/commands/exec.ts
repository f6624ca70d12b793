import { runClient } from '../client-run.js';
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
  const failures = writeReports(flags, run);
  for (const failure of failures) process.stderr.write(`petstore-sim: ${failure}\n`);
  const isFailed = fails(verdict, failOn, flags['require-conclusive'] ?? false);
  if (isInterrupted && timeoutMs !== undefined && run.lastedMs >= timeoutMs) return isFailed ? 1 : timedOutCode;
  if (code !== 0) return code;
  if (isFailed) return 1;
  return failures.length > 0 ? unwrittenCode : 0;
}

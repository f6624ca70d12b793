import type { RunResult } from '../../judge/run-result.js';
import { nameOfScenario } from '../../node/scenario-files/scenario-files.js';
import { runClient } from '../client-run.js';
import { givenFlags } from '../given-flags.js';
import { program } from '../program.js';
import { shellWords } from '../shell-words.js';
import { aboutScenario, checkReportFiles, resultOptions, type VerdictFlags } from '../verdict-flags.js';
import { apiKeyOf, requireCommand, type ScenarioFlags, scenarioOf, timeoutOf } from './client-flags.js';

export interface ExecFlags extends ScenarioFlags, VerdictFlags {
  timeout?: string;
  record?: string;
}

/**
 * Runs a client's command against a simulator on a free port, with the command's own input and output, and prints the
 * verdict to standard error.
 * @returns 124 when the time limit ended the command, else its exit code, or 1 when that is 0 and the run failed, or 2 when
 * a report could not be written
 */
export async function exec(flags: ExecFlags, command: readonly string[]): Promise<number> {
  requireCommand('exec', command);
  const { timeout, record: file } = flags;
  const options = resultOptions(flags);
  await checkReportFiles(flags);
  const timeoutMs = timeout === undefined ? undefined : timeoutOf(timeout);
  const apiKey = apiKeyOf(flags);
  const { resolved } = await scenarioOf(flags);
  const recording =
    file === undefined ? undefined : { file, scenarioName: nameOfScenario(flags.scenario ?? 'default') };
  const judged = await runClient(command, resolved, { output: 'inherit', timeoutMs, apiKey, recording });
  const { verdict, entries, run } = judged;
  const end = { ...judged.end, durationMs: Math.round(judged.lastedMs) };
  const description = aboutScenario(resolved.scenario);
  const [{ writeReports }, { resultOf }] = await Promise.all([
    import('../verdict-reports.js'),
    import('../../judge/run-result.js'),
  ]);
  const result = resultOf(verdict, { ...options, command: end, timeout, description });
  const code = await writeReports(flags, { result, entries, run }, nextCommands(flags, result, command));
  if (flags.json) return code;
  if (entries.length === 0) process.stderr.write(sentNothing(result));
  else if (result.exitCode !== 0) process.stderr.write(replayLines(flags, command));
  return code;
}

/** Most often a command that ended before its first request, or one that has an address of its own. */
const sentNothing = ({ exitCode }: RunResult) =>
  `petstore-sim: expected requests to the address in PETSTORE_BASE_URL, with the key in PETSTORE_API_KEY, got none${exitCode === 0 ? ' (--require-conclusive makes this a failure)' : ''}\n`;

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
  const options = givenFlags({ scenario, seed, 'api-key': apiKey, timeout });
  const sets = set.flatMap((text) => ['--set', text]);
  const words = [...more, ...options, ...sets, ...(noLimits ? ['--no-limits'] : []), '--', ...command];
  return `${program} exec ${shellWords(words)}`;
}

const recordingName = 'run.jsonl';
const replayLine = (file = recordingName) => `${program} replay ${shellWords([file])} --judge`;

/** After a pass all the other scenarios, after a failure a picture of it, and one that puts a client to the test where this did not. */
function nextCommands(flags: ExecFlags, { outcome, scenario }: RunResult, command: readonly string[]): string[] {
  const words = shellWords(command);
  if (outcome === 'pass') return [`${program} gauntlet --json -- ${words}`];
  if (outcome === 'fail') {
    const report = againLine(['--report', 'report.html'], flags, command);
    return [report, flags.record === undefined ? recordLine(flags, command) : replayLine(flags.record)];
  }
  return scenario === 'minute-wall'
    ? [`${program} scenarios --json ${scenario}`]
    : [`${program} exec --json --scenario minute-wall -- ${words}`];
}

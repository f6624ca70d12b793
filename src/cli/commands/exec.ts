import { busyMark } from '../../judge/lag.js';
import type { RunResult } from '../../judge/run-result.js';
import { nameOfScenario } from '../../scenario/node/scenario-files.js';
import type { CliInput } from '../cli-input.js';
import { runClient } from '../client-run.js';
import { flagWords } from '../flag-words.js';
import { printNotes } from '../print-error.js';
import { commandLine } from '../program.js';
import { type RouteFlags, readRouteFlags, routeFlagNames } from '../route-flags.js';
import { aboutScenario, checkReportFiles, resultOptions, type VerdictFlags } from '../verdict-flags.js';
import { waitUntilStopped } from '../wait-until-stopped.js';
import {
  apiKeyOf,
  expectedRequests,
  refuseScenario,
  requireCommand,
  type ScenarioFlags,
  scenarioOf,
  timeoutOf,
} from './client-flags.js';

export interface ExecFlags extends ScenarioFlags, VerdictFlags, RouteFlags {
  timeout?: string;
  record?: string;
}

/**
 * Runs a client's command against a new simulator, and prints the verdict on the client to standard error.
 * @returns exit code of the command, 124 after the time limit, or 128 + n if signal n to this process ended it. If the command succeeds, 1 for a failed verdict and 2
 * if a report file could not be written
 */
export async function exec({ flags, rest: command }: CliInput<ExecFlags>): Promise<number> {
  requireCommand('exec', command);
  refuseScenario('exec', command);
  const { timeout, record: file } = flags;
  const options = resultOptions(flags);
  await checkReportFiles(flags);
  const timeoutMs = timeout === undefined ? undefined : timeoutOf(timeout);
  const routes = await readRouteFlags(flags);
  const { resolved } = await scenarioOf(flags, routes);
  const apiKey = apiKeyOf(flags, resolved);
  const recording =
    file === undefined ? undefined : { file, scenarioName: nameOfScenario(flags.scenario ?? 'default') };
  const clientOptions = { output: 'inherit', timeoutMs, apiKey, recording, routes } as const;
  const { result: judged } = await waitUntilStopped(async (stopped) => {
    const run = () => runClient(command, resolved, { ...clientOptions, stopped });
    const first = await run();
    const { lagMs } = first.verdict;
    // Runs the command once only, unless a conclusion is required: the command is the user's, and its output is shown.
    // A recording is of one run.
    const isEnough = lagMs === undefined || !options.mustConclude || recording !== undefined;
    if (isEnough || stopped.aborted) return first;
    // With --json, standard error must contain only JSON.
    if (!flags.json) printNotes([`${busyMark(lagMs)}, which could change the verdict; running the command again`]);
    const again = await run();
    return stopped.aborted ? first : again;
  });
  const { verdict, entries } = judged;
  const end = { ...judged.end, durationMs: Math.round(judged.lastedMs) };
  const description = aboutScenario(resolved.scenario);
  const [{ writeReports }, { resultOf }] = await Promise.all([
    import('../verdict-reports.js'),
    import('../../judge/run-result.js'),
  ]);
  const runResult = resultOf(verdict, { ...options, command: end, timeout, description });
  const code = await writeReports(
    flags,
    { result: runResult, entries, run: judged.run },
    nextCommands(flags, runResult, command),
  );
  if (flags.json) return code;
  if (entries.length === 0) process.stderr.write(noRequestsMessage(runResult));
  else if (runResult.exitCode !== 0) process.stderr.write(replayAdvice(flags, command));
  return code;
}

/** Message for a run without requests. Usually the client's command ended early, or the client uses a fixed URL. */
const noRequestsMessage = ({ exitCode }: RunResult) =>
  `petstore-sim: ${expectedRequests}${exitCode === 0 ? ' (--require-conclusive makes this a failure)' : ''}\n`;

function replayAdvice(flags: ExecFlags, command: readonly string[]): string {
  const { record } = flags;
  const recording = record === undefined ? `To record this run:  ${recordCommand(flags, command)}\n` : '';
  return `${recording}To replay it:        ${replayCommand(record)}\n`;
}

const recordCommand = (flags: ExecFlags, command: readonly string[]) =>
  repeatCommand(['--record', recordingName], flags, command);

/** Formats the command line of this run with additional options. */
function repeatCommand(more: readonly string[], flags: ExecFlags, command: readonly string[]): string {
  const repeated = ['scenario', 'seed', 'api-key', 'timeout', ...routeFlagNames, 'set', 'no-limits'] as const;
  return commandLine('exec', ...more, ...flagWords(flags, repeated), '--', ...command);
}

const recordingName = 'run.jsonl';
const replayCommand = (file = recordingName) => commandLine('replay', file, '--judge');

/**
 * Suggests the next commands after a client's run. After a pass: all scenarios. After a failure: a report and a
 * recording of the run. After an inconclusive run: the scenario `minute-wall`, in which the client exceeds the minute
 * limit.
 */
function nextCommands(flags: ExecFlags, { outcome, scenario }: RunResult, command: readonly string[]): string[] {
  const again = [...flagWords(flags, routeFlagNames), '--', ...command];
  if (outcome === 'pass') return [commandLine('gauntlet', '--json', ...again)];
  if (outcome === 'fail') {
    const report = repeatCommand(['--report', 'report.html'], flags, command);
    return [report, flags.record === undefined ? recordCommand(flags, command) : replayCommand(flags.record)];
  }
  return scenario === 'minute-wall'
    ? [commandLine('scenarios', '--json', scenario)]
    : [commandLine('exec', '--json', '--scenario', 'minute-wall', ...again)];
}

import { join, relative } from 'node:path';
import { packageFolder } from '../../control-api/node/package-files.js';
import { busyMark } from '../../judge/lag.js';
import type { RunResult } from '../../judge/run-result.js';
import { nameOfScenario } from '../../scenario-files/scenario-files.js';
import type { CliInput } from '../cli-input.js';
import { runClient } from '../client-run.js';
import { flagWords } from '../flag-words.js';
import { printNotes } from '../print-error.js';
import { commandLine } from '../program.js';
import { type RouteFlags, readRouteFlags, routeFlagNames } from '../route-flags.js';
import { wrapForTerminal } from '../terminal.js';
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
  withSecretKey,
} from './client-flags.js';

export interface ExecFlags extends ScenarioFlags, VerdictFlags, RouteFlags {
  timeout?: string;
  record?: string;
}

/**
 * Runs a client's command against a new simulator, and prints the verdict on the client to standard error.
 * @returns exit code of the command, 124 after the time limit, or 128 + n if signal n to this process ended it. If the command succeeds, 1 for a failed verdict and 2
 * if a report file or the recording could not be written
 */
export async function exec({ flags, rest: command }: CliInput<ExecFlags>): Promise<number> {
  requireCommand('exec', command);
  refuseScenario('exec', command);
  const { timeout, record: file } = flags;
  const options = resultOptions(flags);
  await checkReportFiles(flags);
  const timeoutMs = timeout === undefined ? undefined : timeoutOf(timeout);
  const routes = await readRouteFlags(flags);
  const scenarioFile = await scenarioOf(flags, routes);
  const apiKey = apiKeyOf(flags, scenarioFile.resolved);
  const resolved = await withSecretKey(scenarioFile.resolved, apiKey, flags);
  let isRecorded = true;
  const onLost = () => {
    isRecorded = false;
  };
  const recording =
    file === undefined ? undefined : { file, scenarioName: nameOfScenario(flags.scenario ?? 'default'), onLost };
  const clientOptions = { output: 'inherit', timeoutMs, apiKey, recording, routes } as const;
  const { result: judged } = await waitUntilStopped(async (stopped) => {
    const run = () => runClient(command, resolved, { ...clientOptions, stopped });
    const first = await run();
    const { verdict, end } = first;
    const { lagMs } = verdict;
    const isStopped = stopped.aborted || (end.stoppedBy !== undefined && end.stoppedBy !== 'timeout');
    // Runs the command once only, unless a conclusion is required: the command is the user's, and its output is shown.
    // A recording is of one run.
    const isEnough = lagMs === undefined || !options.mustConclude || recording !== undefined;
    if (isEnough || isStopped) return first;
    // With --json, standard error must contain only JSON.
    if (!flags.json) printNotes([`${busyMark(lagMs)}, which could change the verdict; running the command again`]);
    const again = await run();
    return stopped.aborted ? first : again;
  });
  const { verdict, entries } = judged;
  const end = { ...judged.end, durationMs: Math.round(judged.lastedMs) };
  const description = aboutScenario(resolved.scenario);
  const [{ unwrittenCode, writeReports }, { resultOf }] = await Promise.all([
    import('../verdict-reports.js'),
    import('../../judge/run-result.js'),
  ]);
  const runResult = resultOf(verdict, { ...options, command: end, timeout, description });
  // The command's last line may lack its end.
  if (!flags.json) process.stderr.write('\n');
  const reported = await writeReports(
    flags,
    { result: runResult, entries, nameKey: judged.nameKey, run: judged.run },
    nextCommands(flags, runResult, command),
    process.stderr,
    entries.length === 0
      ? [noRequestsMessage(runResult)]
      : runResult.exitCode === 0
        ? []
        : adviceLines(flags, runResult, command, process.stderr),
  );
  return reported || (isRecorded ? 0 : unwrittenCode);
}

/** Message for a run without requests. Usually the client's command ended early, or the client uses a fixed URL. */
const noRequestsMessage = ({ exitCode }: RunResult) =>
  wrapForTerminal(
    `petstore-sim: ${expectedRequests}${exitCode === 0 ? ' (--require-conclusive makes this a failure)' : ''}`,
    2,
    process.stderr,
  );

/** Lines after the report of a failed run: commands that record, replay and share it, and one that runs a right client. */
function adviceLines(
  flags: ExecFlags,
  { outcome }: RunResult,
  command: readonly string[],
  stream: NodeJS.WriteStream,
): string[] {
  const { record, report, handlers, upstream } = flags;
  const rightClient = relative('.', join(packageFolder(), 'examples/clients/right-client.mjs'));
  const isOwn = handlers !== undefined || upstream !== undefined;
  const lines = [
    ...(record === undefined ? [['To record this run:', recordCommand(flags, command)]] : []),
    ['To replay it:', replayCommand(record)],
    ...(report === undefined ? [['To share it:', 'add --report report.html']] : []),
    ...(outcome === 'fail' && !isOwn ? [['Another client:', repeatCommand([], flags, ['node', rightClient])]] : []),
  ].map(([name = '', line = '']) => `${name.padEnd(21)}${line}`);
  return lines.map((line) => wrapForTerminal(line, 2, stream, ' \\'));
}

const recordCommand = (flags: ExecFlags, command: readonly string[]) =>
  repeatCommand(['--record', recordingName], flags, command);

/** Formats the command line of this run with additional options. */
function repeatCommand(more: readonly string[], flags: ExecFlags, command: readonly string[]): string {
  const repeated = [
    'scenario',
    'seed',
    'api-key',
    'timeout',
    ...routeFlagNames,
    'set',
    'no-limits',
    'key-from',
    'refused',
  ] as const;
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
  const again = [...flagWords(flags, [...routeFlagNames, 'refused']), '--', ...command];
  if (outcome === 'pass') return [commandLine('gauntlet', '--json', ...again)];
  if (outcome === 'fail') {
    const report = repeatCommand(['--report', 'report.html'], flags, command);
    return [report, flags.record === undefined ? recordCommand(flags, command) : replayCommand(flags.record)];
  }
  return scenario === 'minute-wall'
    ? [commandLine('scenarios', '--json', scenario)]
    : [commandLine('exec', '--json', '--scenario', 'minute-wall', ...again)];
}

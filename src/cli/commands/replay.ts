import { redactedVerdict } from '../../control-api/redacted-verdict.js';
import { runText } from '../../control-api/run-operations.js';
import { version } from '../../control-api/run-report.js';
import type { Verdict } from '../../judge/judge-run.js';
import { resultOf } from '../../judge/run-result.js';
import type { CommandResult, HandledRequest } from '../../persistence/command-result.js';
import type { Replay } from '../../persistence/replay-log.js';
import type { StateMachine } from '../../persistence/state-machine.js';
import { controlOperations } from '../../petstore/served-petstore.js';
import { displayKey } from '../../simulator/redact.js';
import { UsageError } from '../../validation/usage-error.js';
import { pluralize } from '../../values/pluralize.js';
import type { CliInput } from '../cli-input.js';
import { formatJsonResult } from '../format-json-result.js';
import type { ListenFlags } from '../listen-flags.js';
import { printNote } from '../print-error.js';
import { commandLine } from '../program.js';
import { type LoadedRun, type ReplayedRun, replayFrom } from '../read-run.js';
import { aboutScenario, checkReportFiles, resultOptions, type VerdictFlags } from '../verdict-flags.js';
import { writeReports } from '../verdict-reports.js';

export interface ReplayFlags extends ListenFlags, VerdictFlags {
  until?: string;
  judge?: boolean;
  serve?: boolean;
}

/**
 * Replays a recording or the folder of `--data`, and compares the responses with the recorded ones.
 * @returns exit code: 1 for a different response or, with `--judge`, a failed verdict; 2 for an incomplete recording or
 * an unwritten report; otherwise 0
 */
export async function replay({ flags, rest: [file], print }: CliInput<ReplayFlags>): Promise<number> {
  if (file === undefined) throw new UsageError('expected a file from --record, or the folder of --data');
  const strayVerdict = verdictFlags.find((flag) => flags[flag] !== undefined && !flags.judge);
  if (strayVerdict !== undefined) throw new UsageError(`expected --judge with --${strayVerdict}, got no --judge`);
  const stray = serveFlags.find((flag) => flags[flag] !== undefined && !flags.serve);
  if (stray !== undefined) throw new UsageError(`expected --serve with --${stray}, got no --serve`);
  await checkReportFiles(flags, [file]);
  const done = await replayFrom(file, flags.until, flags.serve);
  const { machine, difference, run, leftOut } = done;
  if (machine === undefined)
    throw new UsageError(
      `expected entries to replay in ${file}, got none${flags.until === undefined ? '' : ' before --until'}`,
    );
  if (difference !== undefined) {
    printNote(differenceText(difference, run));
    return 1;
  }
  const shown = result(done);
  if (!flags.judge) print(flags.json ? formatJsonResult(shown, next(file)) : `${summary(shown)}\n`);
  const lack = leftOut === 0 ? undefined : run.notices.join(' ');
  const code = flags.judge ? await judge(machine, file, flags, lack) : 0;
  if (flags.serve) {
    const { serveReplayed } = await import('../serve-replayed.js');
    await serveReplayed(machine, done.last?.position ?? 0, flags);
  }
  return leftOut === 0 ? code : incompleteCode;
}

/**
 * Prints the verdict on a replayed run to standard output.
 * @param lack sentence about unreadable entries of the recording, if any
 * @returns exit code
 */
async function judge(machine: StateMachine, file: string, flags: ReplayFlags, lack?: string): Promise<number> {
  const { sim } = machine;
  const judged = redactedVerdict(sim, machine.judge());
  const verdict =
    lack === undefined || judged.outcome === 'fail'
      ? judged
      : { ...judged, outcome: 'inconclusive' as const, reason: lack };
  const runResult = resultOf(verdict, { ...resultOptions(flags), description: aboutScenario(sim.scenario) });
  const run = (shown: Verdict) => runText(sim, shown, controlOperations);
  const nameKey = (key: string) => displayKey(sim, key);
  return writeReports(
    flags,
    { result: runResult, entries: sim.journal.query(), nameKey, run },
    next(file),
    process.stdout,
  );
}

/** Exit code for a recording that cannot be read to its end. */
const incompleteCode = 2;

const next = (file: string) => [commandLine('state', 'export', '--from', file, '--as', 'scenario', 'scenario.yaml')];

const verdictFlags = ['verdict', 'report', 'junit', 'fail-on', 'require-conclusive'] as const;
const serveFlags = ['port', 'host', 'public-url', 'log', 'allowed-host', 'control-token', 'max-streams'] as const;

const result = ({ applied, uncompared, last, machine, run, leftOut }: ReplayedRun) => ({
  entries: applied,
  leftOut,
  uncompared,
  until: last && new Date(last.atMs).toISOString(),
  requests: machine?.sim.journal.size,
  recordedBy: run.version,
  replayedBy: version,
});

function summary(shown: ReturnType<typeof result>): string {
  const { entries, leftOut, uncompared, until, requests, recordedBy, replayedBy } = shown;
  const but =
    uncompared === 0
      ? ''
      : `; ${pluralize(uncompared, 'entry was', 'entries were')} recorded without a response to compare`;
  const of = leftOut === 0 ? '' : `${entries} of `;
  return `${of}${pluralize(entries + leftOut, 'entry', 'entries')} of petstore-sim ${recordedBy} replayed by ${replayedBy}, until ${until}: all responses ${leftOut === 0 ? '' : 'so far '}are the same${but}; the journal has ${pluralize(requests ?? 0, 'request')}`;
}

function differenceText(
  { entry, results }: NonNullable<Replay['difference']>,
  { version: recordedBy }: LoadedRun,
): string {
  const commands = entry.commands as {
    kind: string;
    operation?: string;
    call?: { method: string; path: string; query: string };
  }[];
  const lines = commands.map(({ kind, operation, call }, index) => {
    const what =
      call === undefined ? (operation ?? kind) : `${call.method} ${call.path}${call.query && `?${call.query}`}`;
    return `  ${what}: ${resultText(results[index])}`;
  });
  return `entry ${entry.position} of ${new Date(entry.atMs).toISOString()} has a different response from petstore-sim ${version} than from ${entry.version || recordedBy}, which recorded it. The new response:\n${lines.join('\n')}`;
}

function resultText(result: CommandResult | undefined): string {
  if (result === undefined) return 'skipped as a duplicate';
  if ('error' in result) return String(result.error);
  const answer = (result.value as Partial<HandledRequest> | undefined)?.answer;
  if (answer === undefined) return 'done';
  if (answer instanceof Promise) return 'delayed';
  return `${answer.status} ${answer.body.slice(0, 200)}`;
}

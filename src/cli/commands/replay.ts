import { version } from '../../control-api/har.js';
import { redactedVerdict } from '../../control-api/redacted-verdict.js';
import { runText } from '../../control-api/run-operations.js';
import type { Verdict } from '../../judge/judge-run.js';
import { resultOf } from '../../judge/run-result.js';
import { UsageError } from '../../node/usage-error.js';
import type { CommandResult, HandledRequest } from '../../persistence/command-result.js';
import type { Replay } from '../../persistence/replay-log.js';
import type { StateMachine } from '../../persistence/state-machine.js';
import { defaultScenario } from '../../scenario/default-scenario.js';
import { counted } from '../../values/counted.js';
import { jsonWithNext } from '../json-with-next.js';
import type { ListenFlags } from '../listen-flags.js';
import { program } from '../program.js';
import { isComplete, type ReadRun, readRun, replayRun, untilOf } from '../read-run.js';
import { shellWords } from '../shell-words.js';
import { tellNotes } from '../tell.js';
import { aboutScenario, resultOptions, type VerdictFlags } from '../verdict-flags.js';
import { writeReports } from '../verdict-reports.js';

export interface ReplayFlags extends ListenFlags, VerdictFlags {
  until?: string;
  judge?: boolean;
  serve?: boolean;
}

/**
 * Does again what a recording, or the folder of `--data`, holds, and compares the answers.
 * @param print writes to standard output
 * @returns 1 at the first answer that differs, 2 for a run that cannot be read to its end or a report that cannot be written,
 * 1 with `--judge` when the client failed; else 0
 */
export async function replay(
  flags: ReplayFlags,
  [file]: readonly string[],
  print: (text: string) => void,
): Promise<number> {
  if (file === undefined) throw new UsageError('expected a file that --record wrote, or the folder of --data');
  const strayVerdict = verdictFlags.find((flag) => flags[flag] !== undefined && !flags.judge);
  if (strayVerdict !== undefined) throw new UsageError(`expected --judge with --${strayVerdict}`);
  const stray = serveFlags.find((flag) => flags[flag] !== undefined && !flags.serve);
  if (stray !== undefined) throw new UsageError(`expected --serve with --${stray}`);
  const until = flags.until === undefined ? {} : untilOf(flags.until);
  const run = await readRun(file);
  tellNotes(run.notices);
  const done = await replayRun(run, until, flags.serve);
  const { machine, difference } = done;
  if (machine === undefined)
    throw new UsageError(
      `expected entries to replay in ${file}, got none${flags.until === undefined ? '' : ' until there'}`,
    );
  if (difference !== undefined) {
    tellNotes([differenceText(difference, run)]);
    return 1;
  }
  const leftOut = isComplete(run, done, until) ? 0 : run.leftOut;
  const shown = result(done, run, leftOut);
  if (!flags.judge) print(flags.json ? jsonWithNext(shown, next(file)) : `${summary(shown)}\n`);
  const lack = leftOut === 0 ? undefined : run.notices.join(' ');
  const code = flags.judge ? await judge(machine, file, flags, lack) : 0;
  if (flags.serve) {
    const { serveReplayed } = await import('../serve-replayed.js');
    await serveReplayed(machine, done.last?.position ?? 0, flags);
  }
  return leftOut === 0 ? code : incompleteCode;
}

/**
 * Prints the verdict as exec does.
 * @param lack sentence about the entries that could not be read, if there are any
 * @returns the exit code
 */
async function judge(machine: StateMachine, file: string, flags: ReplayFlags, lack?: string): Promise<number> {
  const { sim } = machine;
  const judged = redactedVerdict(sim, machine.judge(), defaultScenario);
  const verdict =
    lack === undefined || judged.outcome === 'fail'
      ? judged
      : { ...judged, outcome: 'inconclusive' as const, reason: lack };
  const result = resultOf(verdict, { ...resultOptions(flags), description: aboutScenario(sim.scenario) });
  const run = (shown: Verdict) => runText(sim, shown);
  return writeReports(flags, { result, entries: sim.journal.query(), run }, next(file));
}

/** Exit code for a run that cannot be read to its end. */
const incompleteCode = 2;

const next = (file: string) => [`${program} state export --from ${shellWords([file])} --as scenario scenario.yaml`];

const verdictFlags = ['verdict', 'report', 'junit', 'fail-on', 'require-conclusive'] as const;
const serveFlags = ['port', 'host', 'log', 'allowed-host', 'control-token'] as const;

const result = ({ applied, uncompared, last, machine }: Replay, run: ReadRun, leftOut: number) => ({
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
      : `; ${counted(uncompared, 'entry was', 'entries were')} recorded without an answer to compare with`;
  const of = leftOut === 0 ? '' : `${entries} of `;
  return `${of}${counted(entries + leftOut, 'entry', 'entries')} of petstore-sim ${recordedBy} replayed by ${replayedBy}, until ${until}: every answer ${leftOut === 0 ? '' : 'until there '}is as it was${but}; the journal has ${counted(requests ?? 0, 'request')}`;
}

function differenceText(
  { entry, results }: NonNullable<Replay['difference']>,
  { version: recordedBy }: ReadRun,
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
  return `entry ${entry.position} of ${new Date(entry.atMs).toISOString()} is answered otherwise by petstore-sim ${version} than by ${entry.version || recordedBy}, which recorded it. Now it is\n${lines.join('\n')}`;
}

function resultText(result: CommandResult | undefined): string {
  if (result === undefined) return 'left out, as one that was applied before';
  if ('error' in result) return String(result.error);
  const answer = (result.value as Partial<HandledRequest> | undefined)?.answer;
  if (answer === undefined) return 'done';
  if (answer instanceof Promise) return 'delayed';
  return `${answer.status} ${answer.body.slice(0, 200)}`;
}

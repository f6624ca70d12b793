import { styleText } from 'node:util';
import { version } from '../../control/har.js';
import type { Replay } from '../../log/replay-log.js';
import type { CommandResult, HandledRequest } from '../../log/state-machine.js';
import { UsageError } from '../../node/usage-error.js';
import { terminalReport } from '../../verdict/report/terminal.js';
import type { ListenFlags } from '../listen-flags.js';
import { type ReadRun, readRun, replayRun, untilOf } from '../read-run.js';

export interface ReplayFlags extends ListenFlags {
  until?: string;
  judge?: boolean;
  serve?: boolean;
  json?: boolean;
}

/**
 * Does again what a recording, or the folder of `--data`, holds, and compares the answers.
 * @param print writes to standard output
 * @returns 1 at the first answer that differs, and with `--judge` when the client failed; else 0
 */
export async function replay(
  flags: ReplayFlags,
  [file]: readonly string[],
  print: (text: string) => void,
): Promise<number> {
  if (file === undefined) throw new UsageError('expected a file that --record wrote, or the folder of --data');
  const stray = serveFlags.find((flag) => flags[flag] !== undefined && !flags.serve);
  if (stray !== undefined) throw new UsageError(`expected --serve with --${stray}`);
  const until = flags.until === undefined ? {} : untilOf(flags.until);
  const run = await readRun(file);
  for (const notice of run.notices) process.stderr.write(`petstore-sim: ${notice}\n`);
  const done = await replayRun(run, until, flags.serve);
  const { machine, difference } = done;
  if (machine === undefined)
    throw new UsageError(
      `expected entries to replay in ${file}, got none${flags.until === undefined ? '' : ' until there'}`,
    );
  if (difference !== undefined) {
    process.stderr.write(`petstore-sim: ${differenceText(difference, run)}\n`);
    return 1;
  }
  const verdict = flags.judge ? machine.judge() : undefined;
  if (verdict === undefined) print(`${summary(done, run)}\n`);
  else if (flags.json) print(`${JSON.stringify(verdict, null, 2)}\n`);
  else {
    const { stdout } = process;
    const report = terminalReport(machine.sim.journal.query(), verdict, {
      columns: stdout.columns ?? 100,
      ...(stdout.isTTY && { style: (format, text) => styleText(format, text) }),
    });
    print(`${report}\n`);
  }
  if (flags.serve) {
    const { serveReplayed } = await import('../serve-replayed.js');
    await serveReplayed(machine, done.last?.position ?? 0, flags);
    return 0;
  }
  return verdict?.outcome === 'fail' ? 1 : 0;
}

const serveFlags = ['port', 'host', 'log', 'allowed-host', 'control-token'] as const;

function summary({ applied, uncompared, last, machine }: Replay, run: ReadRun): string {
  const requests = machine?.sim.journal.query().length ?? 0;
  const at = last === undefined ? '' : `, until ${new Date(last.atMs).toISOString()}`;
  const compared =
    uncompared === 0
      ? 'every answer is as it was'
      : `every answer is as it was, but ${uncompared} of the entries have none to compare`;
  return `${applied} entries of petstore-sim ${run.version} replayed by ${version}${at}: ${compared}; the journal has ${requests} requests`;
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

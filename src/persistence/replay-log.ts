import type { Command } from './command.js';
import type { CommandResult } from './command-result.js';
import type { FoundEntry, FoundSnapshot } from './log.js';
import { beginMachine } from './read-machine.js';
import { type MachineOptions, restoreMachine } from './start-machine.js';
import type { StateMachine } from './state-machine.js';

/**
 * End of a replay, inclusive: an entry's position, or a time of the machine that wrote the log, in Unix milliseconds.
 */
export interface ReplayUntil {
  readonly position?: number | undefined;
  readonly atMs?: number | undefined;
}

export interface Replay {
  /** `undefined` if no entry was replayed. */
  readonly machine: StateMachine | undefined;
  readonly applied: number;
  /** Last applied entry. */
  readonly last: FoundEntry | undefined;
  /** First entry with other responses than the recorded ones; the replay stops after it. */
  readonly difference: { readonly entry: FoundEntry; readonly results: readonly CommandResult[] } | undefined;
  /** Number of applied entries without a recorded response hash: the last ones of an interrupted run. */
  readonly uncompared: number;
}

/**
 * Applies the entries of a log and compares their responses until the first difference.
 * @throws {Error} for a log that begins with neither a scenario nor a snapshot
 */
export async function replayLog(
  { snapshot, entries }: { snapshot?: FoundSnapshot | undefined; entries: readonly FoundEntry[] },
  options: MachineOptions,
  { position = Number.POSITIVE_INFINITY, atMs = Number.POSITIVE_INFINITY }: ReplayUntil = {},
): Promise<Replay> {
  let machine = snapshot && (await restoreMachine(snapshot.pieces, options));
  const hashes = new Map(entries.flatMap(({ answered = [] }) => answered));
  let last: FoundEntry | undefined;
  let applied = 0;
  let uncompared = 0;
  for (const entry of entries) {
    if (entry.position > position || entry.atMs > atMs) break;
    machine ??= beginMachine(entry, options);
    const { results, hash } = machine.apply(entry);
    last = entry;
    applied++;
    const expected = hashes.get(entry.position);
    if (expected === undefined) uncompared += isAnswered(entry) ? 1 : 0;
    else if (expected !== hash) return { machine, applied, last, difference: { entry, results }, uncompared };
  }
  return { machine, applied, last, difference: undefined, uncompared };
}

/** Whether an entry has responses. */
const isAnswered = ({ commands }: FoundEntry) =>
  (commands as readonly Command[]).some(({ kind }) => kind === 'request' || kind === 'control');

import type { Command } from './command.js';
import type { CommandResult } from './command-result.js';
import type { FoundEntry, FoundSnapshot } from './log.js';
import { beginMachine } from './read-machine.js';
import { type MachineOptions, restoreMachine } from './start-machine.js';
import type { StateMachine } from './state-machine.js';

/** Up to where a log is replayed: an entry, or an instant of the machine that wrote it, both included. */
export interface ReplayUntil {
  readonly position?: number | undefined;
  readonly atMs?: number | undefined;
}

export interface Replay {
  /** `undefined` when there was nothing to replay. */
  readonly machine: StateMachine | undefined;
  readonly applied: number;
  /** The last entry that was applied. */
  readonly last: FoundEntry | undefined;
  /** The first entry whose answers are others than those that were given; the machine stands after it. */
  readonly difference: { readonly entry: FoundEntry; readonly results: readonly CommandResult[] } | undefined;
  /** How many entries it is not known of what they were answered: the last of a run that was cut off. */
  readonly uncompared: number;
}

/**
 * Applies the entries of a log, and compares what they answer until the first difference.
 * @throws {Error} for a log that begins with neither a scenario nor a snapshot
 */
export async function replayLog(
  { snapshot, entries }: { snapshot?: FoundSnapshot | undefined; entries: readonly FoundEntry[] },
  options: MachineOptions,
  { position = Number.POSITIVE_INFINITY, atMs = Number.POSITIVE_INFINITY }: ReplayUntil = {},
): Promise<Replay> {
  let machine = snapshot && (await restoreMachine(snapshot.pieces, options));
  const given = new Map(entries.flatMap(({ answered = [] }) => answered));
  let last: FoundEntry | undefined;
  let applied = 0;
  let uncompared = 0;
  for (const entry of entries) {
    if (entry.position > position || entry.atMs > atMs) break;
    machine ??= beginMachine(entry, options);
    const { results, hash } = machine.apply(entry);
    last = entry;
    applied++;
    const expected = given.get(entry.position);
    if (expected === undefined) uncompared += isAnswered(entry) ? 1 : 0;
    else if (expected !== hash) return { machine, applied, last, difference: { entry, results }, uncompared };
  }
  return { machine, applied, last, difference: undefined, uncompared };
}

/** Whether anything in an entry is answered. */
const isAnswered = ({ commands }: FoundEntry) =>
  (commands as readonly Command[]).some(({ kind }) => kind === 'request' || kind === 'control');

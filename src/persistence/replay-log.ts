import type { Command } from './command.js';
import type { CommandResult } from './command-result.js';
import type { FoundEntry, FoundSnapshot } from './log.js';
import { startFromFirstEntry } from './read-machine.js';
import { type MachineOptions, restoreMachine } from './start-machine.js';
import type { StateMachine } from './state-machine.js';

/**
 * Last log entry of a replay, by its position or its time. The time is in Unix milliseconds of the machine that wrote
 * the log.
 */
export interface ReplayUntil {
  readonly position?: number | undefined;
  readonly atMs?: number | undefined;
}

export interface Replay {
  /**
   * State of the server after the replay of its log; `undefined` if the log has no snapshot and no entry was replayed.
   */
  readonly machine: StateMachine | undefined;
  readonly applied: number;
  /** Last log entry that was replayed; `undefined` if none was replayed. */
  readonly last: FoundEntry | undefined;
  /** Log entry whose responses differ from the recorded ones, if any. The replay stops after it. */
  readonly difference: { readonly entry: FoundEntry; readonly results: readonly CommandResult[] } | undefined;
  /** Number of replayed entries whose responses were not recorded, because the run was interrupted. */
  readonly uncompared: number;
}

/**
 * Replays the entries of a log and compares the responses with the recorded ones. Stops at the first difference.
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
    machine ??= startFromFirstEntry(entry, options);
    const { results, hash } = machine.apply(entry);
    last = entry;
    applied++;
    const expected = hashes.get(entry.position);
    if (expected === undefined) uncompared += isAnswered(entry) ? 1 : 0;
    else if (expected !== hash) return { machine, applied, last, difference: { entry, results }, uncompared };
  }
  return { machine, applied, last, difference: undefined, uncompared };
}

/**
 * Whether a log entry contains an API request or a control request. Both have a response, which a replay can compare.
 */
const isAnswered = ({ commands }: FoundEntry) =>
  (commands as readonly Command[]).some(({ kind }) => kind === 'request' || kind === 'control');

import type { FoundEntry } from './log.js';
import type { CommandResult, StateMachine } from './state-machine.js';

/** Up to where a log is replayed: an entry, or an instant of the machine that wrote it, both included. */
export interface ReplayUntil {
  readonly position?: number | undefined;
  readonly atMs?: number | undefined;
}

export interface Replay {
  /** The last entry that was applied; `undefined` when there was none. */
  readonly last: FoundEntry | undefined;
  readonly applied: number;
  /** The first entry whose answers are others than the ones that were written down. */
  readonly difference: { readonly entry: FoundEntry; readonly results: readonly CommandResult[] } | undefined;
  /** How many entries have no written answers to compare: the last of a run that was cut off. */
  readonly uncompared: number;
}

/** Applies the entries of a log, and compares what they answer until the first difference. */
export function replayEntries(
  machine: StateMachine,
  entries: readonly FoundEntry[],
  { position = Number.POSITIVE_INFINITY, atMs = Number.POSITIVE_INFINITY }: ReplayUntil = {},
): Replay {
  const written = new Map(entries.flatMap(({ answered = [] }) => answered));
  let last: FoundEntry | undefined;
  let applied = 0;
  let uncompared = 0;
  for (const entry of entries) {
    if (entry.position > position || entry.atMs > atMs) break;
    const { results, hash } = machine.apply(entry);
    last = entry;
    applied++;
    const expected = written.get(entry.position);
    if (expected === undefined) uncompared++;
    else if (expected !== hash) return { last, applied, difference: { entry, results }, uncompared };
  }
  return { last, applied, difference: undefined, uncompared };
}

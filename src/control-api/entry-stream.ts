import type { RequestRecord } from '../requests/request-record.js';
import type { Simulator } from '../simulator/simulator.js';
import { createEntryView, type EntryJson, type EntryView } from './entry-view.js';
import type { JournalEntry } from './journal-entry.js';

/** A reader with more entries than this to read is dropped. */
const maximumWaiting = 20_000;
const tooSlow = () =>
  new RangeError(`expected a reader that keeps up, got one that is ${maximumWaiting} entries behind`);

/**
 * The entries of the journal from now on, until `return` (a `break` out of the loop calls it) or until `signal` is aborted.
 * An entry is written with its answer, so an answer that a fault delays comes late.
 * @param since first the kept entries with a higher id
 * @throws {RangeError} from the loop, when the reader is too slow
 */
export function streamEntries(
  sim: Simulator,
  since?: number,
  signal?: AbortSignal,
): AsyncIterableIterator<JournalEntry> {
  const view = createEntryView(sim);
  /** Shown when they are read: to show one takes longer than to answer its request. */
  const waiting = entriesSince(sim, view, since);
  let wake: (() => void) | undefined;
  let isOver = false;
  let isTooSlow = false;

  const finish = () => {
    isOver = true;
    stop();
    signal?.removeEventListener('abort', finish);
    wake?.();
  };
  const stop = sim.journal.listen((entry) => {
    waiting.push(entry);
    isTooSlow = waiting.length > maximumWaiting;
    if (isTooSlow) finish();
    wake?.();
  });
  if (signal?.aborted) finish();
  else signal?.addEventListener('abort', finish);

  return {
    async next() {
      while (waiting.length === 0 && !isOver) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      if (isTooSlow) throw tooSlow();
      const entry = isOver ? undefined : waiting.shift();
      return entry === undefined ? { value: undefined, done: true } : { value: view.show(entry), done: false };
    },
    async return() {
      finish();
      return { value: undefined, done: true };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

/** Takes an entry of the journal. */
export type TakeEntry = (id: number, json: EntryJson) => void;

/** The entries of the journal as JSON, for a reader in another process. */
export interface EntryTexts {
  /**
   * Gives the next of the entries that were there already, or that came while these were taken.
   * @returns false when there was none: from then on each entry is given as it comes
   * @throws {RangeError} when the reader is too slow
   */
  next(take: TakeEntry): boolean;
  stop(): void;
}

/** @param since first the kept entries with a higher id */
export function followEntries(sim: Simulator, since?: number): EntryTexts {
  const view = createEntryView(sim);
  const waiting = entriesSince(sim, view, since);
  let at = 0;
  let live: TakeEntry | undefined;
  const stop = sim.journal.listen((entry) => {
    // At once, because what is kept until later has to be copied by the garbage collector.
    if (live !== undefined) live(entry.id, view.write(entry));
    else if (waiting.length - at <= maximumWaiting) waiting.push(entry);
  });
  return {
    next(take) {
      if (waiting.length - at > maximumWaiting) throw tooSlow();
      const entry = waiting[at++];
      if (entry === undefined) {
        waiting.length = 0;
        live = take;
        return false;
      }
      take(entry.id, view.write(entry));
      return true;
    },
    stop,
  };
}

/** The kept entries with an id above `since`; the view takes note of the others. */
function entriesSince(sim: Simulator, view: EntryView, since = Number.POSITIVE_INFINITY): RequestRecord[] {
  const wanted: RequestRecord[] = [];
  for (const entry of sim.journal.query()) {
    if (entry.id > since) wanted.push(entry);
    else view.pass(entry);
  }
  return wanted;
}

import type { RequestRecord } from '../requests/request-record.js';
import type { Simulator } from '../simulator/simulator.js';
import { createEntryView, type EntryJson, type EntryView } from './entry-view.js';
import type { JournalEntry } from './journal-entry.js';

/** Maximum number of unread entries; a slower reader is disconnected. */
const maximumWaiting = 20_000;
const tooSlow = () =>
  new RangeError(`expected a faster reader, got one that is more than ${maximumWaiting} entries behind`);

/**
 * Streams the entries of the journal from now on, until `return` (as by a `break` out of the loop) or until `signal` is
 * aborted. An entry appears with its response, so an entry with a delayed response appears late.
 * @param since id after which earlier entries of the journal come first
 * @throws {RangeError} from the loop, if the reader is too slow
 */
export function streamEntries(
  sim: Simulator,
  since?: number,
  signal?: AbortSignal,
): AsyncIterableIterator<JournalEntry> {
  const view = createEntryView(sim);
  /** Unread records. They are converted on reading, because a conversion takes longer than handling a request. */
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

/** Callback for one entry of the journal. */
export type TakeEntry = (id: number, json: EntryJson) => void;

/** Stream of journal entries as JSON, for a reader in another process. */
export interface EntryFeed {
  /**
   * Passes on the next earlier entry, or one that arrived meanwhile.
   * @returns false if there was none; from then on `take` is called with each entry on arrival
   * @throws {RangeError} if the reader is too slow
   */
  next(take: TakeEntry): boolean;
  stop(): void;
}

/** @param since id after which earlier entries of the journal come first */
export function openFeed(sim: Simulator, since?: number): EntryFeed {
  const view = createEntryView(sim);
  const waiting = entriesSince(sim, view, since);
  let at = 0;
  let live: TakeEntry | undefined;
  const stop = sim.journal.listen((entry) => {
    // Written at once: records that stay in memory longer make the garbage collector copy them.
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

/** Entries of the journal with an id above `since`; `view` processes the others for the waits that it computes. */
function entriesSince(sim: Simulator, view: EntryView, since = Number.POSITIVE_INFINITY): RequestRecord[] {
  const wanted: RequestRecord[] = [];
  for (const entry of sim.journal.query()) {
    if (entry.id > since) wanted.push(entry);
    else view.pass(entry);
  }
  return wanted;
}

import type { RequestRecord } from '../requests/request-record.js';
import type { Simulator } from '../simulator/simulator.js';
import { createEntryView, type EntryJson, type EntryView } from './entry-view.js';
import type { JournalEntry } from './journal-entry.js';

/** Maximum number of journal entries that wait for the reader of a stream. A slower reader is disconnected. */
const maximumWaiting = 20_000;
const tooSlow = () =>
  new RangeError(`expected a faster reader, got one that is more than ${maximumWaiting} entries behind`);

/**
 * Streams the journal entries that arrive from now on. Ends on `break` in the reader's loop, or when `signal` is
 * aborted. An entry appears when its response is ready.
 * @param since sends the journal's existing entries with a higher id first
 * @throws {RangeError} from the loop, if the reader is too slow
 */
export function streamEntries(
  sim: Simulator,
  since?: number,
  signal?: AbortSignal,
): AsyncIterableIterator<JournalEntry> {
  const view = createEntryView(sim);
  /**
   * Journal records that the caller has not read yet. Each is converted to an entry only when read, because a
   * conversion takes longer than handling a request.
   */
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

/** Stream of journal entries as JSON text, for HTTP. */
export interface EntryFeed {
  /**
   * Passes the next waiting journal entry to `take`. If no entry waits, `take` gets each later entry until `stop`.
   * @returns whether an entry was waiting
   * @throws {RangeError} if too many entries wait, because the reader is too slow
   */
  next(take: TakeEntry): boolean;
  stop(): void;
}

/**
 * Opens a stream of journal entries as JSON text, for the control API over HTTP.
 * @param since id of a journal entry; the stream starts with the existing entries after this one. Default: only new
 * entries
 */
export function openFeed(sim: Simulator, since?: number): EntryFeed {
  const view = createEntryView(sim);
  const waiting = entriesSince(sim, view, since);
  let index = 0;
  let live: TakeEntry | undefined;
  const stop = sim.journal.listen((entry) => {
    // Converts a journal record to its JSON as soon as the record is added. Records that wait in memory make garbage
    // collection slower.
    if (live !== undefined) live(entry.id, view.write(entry));
    else if (waiting.length - index <= maximumWaiting) waiting.push(entry);
  });
  return {
    next(take) {
      if (waiting.length - index > maximumWaiting) throw tooSlow();
      const entry = waiting[index++];
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

/**
 * Selects the journal records with an id above `since`. Passes each earlier record to `view.pass`, because the entry
 * for a later request shows the key's previous 429.
 */
function entriesSince(sim: Simulator, view: EntryView, since = Number.POSITIVE_INFINITY): RequestRecord[] {
  const records: RequestRecord[] = [];
  for (const entry of sim.journal.query()) {
    if (entry.id > since) records.push(entry);
    else view.pass(entry);
  }
  return records;
}

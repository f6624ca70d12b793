import type { Simulator } from '../simulator/simulator.js';
import type { RequestRecord } from '../state/request-record.js';
import { createEntryView, type JournalEntry } from './journal-entry.js';

/** A reader with more entries than this to read is dropped. */
const maximumWaiting = 20_000;

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
  const waiting: RequestRecord[] = [];
  let wake: (() => void) | undefined;
  let isOver = false;
  let isTooSlow = false;

  for (const entry of sim.journal.query()) {
    if (since !== undefined && entry.id > since) waiting.push(entry);
    else view.pass(entry);
  }
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
      if (isTooSlow)
        throw new RangeError(`expected a reader that keeps up, got one that is ${maximumWaiting} entries behind`);
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

import type { JournalQuery, RequestJournal } from '../journal/journal.js';
import type { Outage } from '../journal/outage.js';
import type { ReportedOutcome, RequestRecord } from '../requests/request-record.js';
import { checkOptions } from '../values/check-options.js';

/** The requests of a simulator with their answers, within bounds: the oldest are dropped first. */
export interface Journal {
  /** How many records it holds. */
  readonly size: number;
  /** How many records were dropped since the start or the last `clear`. */
  readonly dropped: number;
  /** How many requests have arrived that are not answered yet. */
  readonly pending: number;
  /** Copies of the records that meet a query, in the order of their arrival. @throws {TypeError} for a field that it does not have */
  query(query?: JournalQuery): RequestRecord[];
  /** Calls `listener` for every record from now on. The function it gives stops that. */
  listen(listener: (record: RequestRecord) => void): () => void;
  /** What clients said of their own calls since the start, the last reset or the last `clear`. */
  readonly outcomes: readonly ReportedOutcome[];
  /** When requests were refused that it does not show, because the log of the server could not be written. */
  readonly outages: readonly Outage[];
  /** Notes what a client says of one of its calls, or of all of them. The judge takes it into account. */
  report(outcome: Pick<ReportedOutcome, 'call' | 'result'>): void;
  /** Forgets all requests, those that wait for their answer too. */
  clear(): void;
}

const queryFields: Record<keyof JournalQuery, true> = {
  operation: true,
  method: true,
  status: true,
  key: true,
  since: true,
  text: true,
};

/** @param now the instant of the simulator's clock */
export function createJournal(journal: RequestJournal, now: () => number): Journal {
  return {
    get size() {
      return journal.size;
    },
    get dropped() {
      return journal.dropped;
    },
    get pending() {
      return journal.pending;
    },
    get outcomes() {
      return journal.outcomes;
    },
    get outages() {
      return journal.outages;
    },
    report: ({ call, result }) => journal.report({ call, result, atMs: now() }),
    query(query = {}) {
      checkOptions('sim.journal.query', query, queryFields);
      return journal.query(query).map((record) => ({ ...record, headers: { ...record.headers } }));
    },
    listen: (listener) => journal.listen(listener),
    clear: () => journal.clear(),
  };
}

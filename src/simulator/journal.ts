import type { JournalQuery } from '../journal/journal.js';
import type { ReportedOutcome, RequestRecord } from '../requests/request-record.js';
import { checkOperation } from '../scenario/check-scenario.js';
import type { ScenarioRules } from '../scenario/scenario-rules.js';
import { checkOptions } from '../values/check-options.js';
import type { SimulatorState } from './simulator-state.js';

/** Recorded requests and responses of a simulator. Above 10,000 records or 20 MiB, the oldest records are dropped. */
export interface Journal {
  /** Number of requests that the journal currently contains. */
  readonly size: number;
  /** Number of records that the journal dropped since the simulator's start or the last `clear`. */
  readonly dropped: number;
  /** Number of requests that have no response yet. */
  readonly pending: number;
  /**
   * Returns copies of the recorded requests that match a query, in order of arrival. Default: all requests.
   * @throws {TypeError} for an unknown field in the query, {ScenarioError} for an unknown operation
   */
  query(query?: JournalQuery): RequestRecord[];
  /** Calls `listener` for every further recorded request. Returns a function that removes the listener. */
  listen(listener: (record: RequestRecord) => void): () => void;
  /** Outcomes that clients reported for their own calls since the start, the last reset or the last `clear`. */
  readonly outcomes: readonly ReportedOutcome[];
  /**
   * Records the result that a client reports for one of its logical calls (a request with its retries), or for all
   * calls. The judge uses the result in its verdict about the client.
   */
  report(outcome: Pick<ReportedOutcome, 'call' | 'result'>): void;
  /** Drops all recorded requests. Pending requests, which have no response yet, will not be recorded either. */
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

/**
 * Creates the test whether a request's operation is one that a text means. The text is written as in a scenario, or is
 * the operation of a recorded request.
 * @param text without it, every request passes
 * @throws {ScenarioError} for an unknown operation
 */
export function createOperationTest(
  { journal, shared }: Pick<SimulatorState, 'journal' | 'shared'>,
  rules: ScenarioRules,
  text: string | undefined,
): (record: RequestRecord) => boolean {
  if (text === undefined) return () => true;
  const isRecorded = journal.latest(({ operation }) => operation === text) !== undefined;
  const names = isRecorded ? [shared.nameInScenario(text)] : checkOperation(text, rules, shared.operations);
  return ({ operation }) => operation !== undefined && names.includes(shared.nameInScenario(operation));
}

/** Creates `sim.journal`, the public functions of a simulator's journal of requests. */
export function createJournal(state: SimulatorState, rules: ScenarioRules): Journal {
  const { journal, clock } = state;
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
    report: ({ call, result }) => journal.report({ call, result, atMs: clock.now() }),
    query(query = {}) {
      checkOptions('sim.journal.query', query, queryFields);
      const isMeant = createOperationTest(state, rules, query.operation);
      const records = journal.query(query).filter(isMeant);
      return records.map((record) => ({ ...record, headers: { ...record.headers } }));
    },
    listen: (listener) => journal.listen(listener),
    clear: () => journal.clear(),
  };
}

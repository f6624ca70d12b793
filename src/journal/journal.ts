import type { Delivery, ReportedOutcome, RequestRecord } from '../requests/request-record.js';
import { textOfBytes } from '../values/json-bytes.js';
import { JournalBudget, type RecordList } from './journal-budget.js';
import { bytesOf, cutBodies, type SizedRecord } from './record-bytes.js';
import { UnrecordedCounter } from './unrecorded.js';

/** Filter for journal entries. All conditions must match. */
export interface JournalQuery {
  /** Operation as in a scenario: its name, or its method and path, such as `GET /v1/pets`. */
  operation?: string | undefined;
  method?: string | undefined;
  status?: number | undefined;
  /** The API key, in full or its last four characters. */
  key?: string | undefined;
  /** Exclusive lower bound of the request id. */
  since?: number | undefined;
  /** Text that the path, the query, a body or the fault's name must contain. */
  text?: string | undefined;
}

/** Filter for the fields of one record. The meaning of an operation depends on the API. */
type RecordQuery = Omit<JournalQuery, 'operation'>;

export interface JournalLimits {
  entries: number;
  /** Maximum memory of all records in the journal, in bytes. */
  bytes: number;
  /** Maximum size of one stored body, in bytes. Longer bodies are cut. */
  bodyBytes: number;
}

const defaultLimits: JournalLimits = { entries: 10_000, bytes: 20 * 1024 * 1024, bodyBytes: 64 * 1024 };

/** Maximum number of stored outcomes that clients report for their calls. */
const maximumOutcomes = 1_000;

/**
 * Journal of the requests of one simulator. Above the limits on number and memory, the journal drops its oldest
 * records.
 */
export class RequestJournal {
  readonly #onError: (error: unknown) => void;
  readonly #limits: JournalLimits;
  readonly #listeners = new Set<(entry: RequestRecord) => void>();
  records: RecordList;
  #bytes = 0;
  /** Id of the latest request; 0 before the first request. */
  lastId = 0;
  /** Number of requests that have no response yet. */
  pending = 0;
  /**
   * Journal records of requests whose responses are not sent yet, by request id. `complete` moves a record to the
   * journal after its response was sent.
   */
  readonly held = new Map<number, RequestRecord>();
  /** Number of records added since the start. The next record gets this number. */
  added = 0;
  /** Number of records that the journal has dropped since its creation or its last `clear`. */
  dropped = 0;
  /** List of the latest outcomes that clients reported for their own calls, newest last. */
  outcomes: readonly ReportedOutcome[] = [];
  /** Requests that the journal counts without storing a record. */
  readonly unrecorded = new UnrecordedCounter();
  /**
   * Highest request id before the last `clear`. Records up to this id are ignored, because their requests were cleared.
   */
  clearedId = 0;

  /**
   * Creates a journal, which records requests within a memory budget.
   * @param onError called with every error that a listener throws
   * @param budget memory budget that several journals share
   */
  constructor(
    onError: (error: unknown) => void,
    limits: Partial<JournalLimits> = {},
    readonly budget = new JournalBudget(),
  ) {
    this.#onError = onError;
    this.#limits = { ...defaultLimits, ...limits };
    this.records = budget.createList();
    budget.join(this);
  }

  /** Approximate memory of the journal's records, in bytes. */
  get bytes(): number {
    return this.#bytes;
  }

  get size(): number {
    return this.records.length;
  }

  /** Number of listeners that the journal calls for each new record of a request. */
  get listeners(): number {
    return this.#listeners.size;
  }

  /** Counts a new request and returns its id. */
  open(): number {
    this.pending++;
    return ++this.lastId;
  }

  /** Stops counting a pending request that will never get a response. */
  abandon(id: number): void {
    if (id > this.clearedId) this.pending--;
  }

  /** Adds a request's record, drops the oldest records above the limits, and calls the listeners. */
  add(entry: RequestRecord): void {
    if (entry.id <= this.clearedId) return;
    const record = cutBodies(entry, this.#limits.bodyBytes);
    const bytes = bytesOf(record);
    this.pending--;
    this.added++;
    if (this.size === this.#limits.entries) this.#drop();
    this.records.push(record);
    this.#grow(bytes);
    while (this.#bytes > this.#limits.bytes && this.size > 1) this.#drop();
    for (const listener of this.#listeners) {
      try {
        listener(record);
      } catch (error) {
        this.#onError(error);
      }
    }
  }

  /**
   * Stores the record of a request whose response is not sent yet. After the response was sent, `complete` adds the
   * record to the journal.
   */
  hold(entry: RequestRecord): void {
    if (entry.id > this.clearedId) this.held.set(entry.id, entry);
  }

  /** Adds to a request's record when and how its response was sent. Has no effect if the record was dropped. */
  complete(id: number, delivery: Partial<Delivery>): void {
    const heldRecord = this.held.get(id);
    if (heldRecord !== undefined) {
      this.held.delete(id);
      this.add({ ...heldRecord, ...delivery });
      return;
    }
    const index = this.#indexOf(id);
    if (index < 0) return;
    const previousRecord = this.records.at(index) as RequestRecord;
    const after = cutBodies({ ...previousRecord, ...delivery }, this.#limits.bodyBytes);
    this.records.splice(index, 1, after);
    if (delivery.responseBody !== undefined) this.#grow(bytesOf(after) - bytesOf(previousRecord));
  }

  report(outcome: ReportedOutcome): void {
    this.outcomes = [...this.outcomes.slice(-maximumOutcomes), outcome];
  }

  /**
   * Reads at most `most` request records of the journal in the order in which they were added, starting with the record
   * number `from`. Skips dropped records.
   */
  read(from: number, most: number): RequestRecord[] {
    const first = Math.max(0, from - this.added + this.size);
    return this.records.slice(first, first + most);
  }

  /** Stored records in the order of their responses. Records are immutable. */
  get entries(): RequestRecord[] {
    return this.records.slice(0);
  }

  /** Finds the records that match a query, ordered by request id. */
  query(query: RecordQuery = {}): RequestRecord[] {
    return this.filter((entry) => meetsQuery(entry, query));
  }

  /** Returns the journal's request records that match a condition, ordered by request id. */
  filter(matches: (entry: RequestRecord) => boolean): RequestRecord[] {
    return this.entries.filter(matches).sort((one, other) => one.id - other.id);
  }

  /** Returns the record of a request by its id; `undefined` if the journal has none. */
  find(id: number): RequestRecord | undefined {
    const index = this.#indexOf(id);
    return index < 0 ? undefined : this.records.at(index);
  }

  /**
   * Returns the record with the highest request id below `beforeId` for which `matches` returns true; otherwise
   * `undefined`. Reads the newest records first.
   */
  latest(matches: (entry: RequestRecord) => boolean, beforeId = Number.POSITIVE_INFINITY): RequestRecord | undefined {
    let latest: RequestRecord | undefined;
    // Visits all records, because a record with a higher id can be older: records are in the order of their responses.
    this.records.findLastIndex(({ id }, index) => {
      const isCandidate = id < beforeId && id > (latest?.id ?? 0);
      const entry = isCandidate ? (this.records.at(index) as RequestRecord) : undefined;
      if (entry !== undefined && matches(entry)) latest = entry;
      return false;
    });
    return latest;
  }

  /** Calls `listener` for every further request in the journal. Returns a function that removes the listener. */
  listen(listener: (entry: RequestRecord) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Clears the journal. Pending requests, which have no response yet, will not be recorded either. */
  clear(): void {
    this.outcomes = [];
    this.held.clear();
    this.unrecorded.clear();
    this.records = this.budget.createList();
    this.#grow(-this.#bytes);
    this.dropped = 0;
    this.pending = 0;
    this.clearedId = this.lastId;
  }

  /** Drops the journal's oldest request records until `bytes` of memory are freed or only one record is left. */
  drop(bytes: number): void {
    const enough = this.#bytes - bytes;
    while (this.#bytes > enough && this.size > 1) this.#drop();
  }

  #grow(bytes: number): void {
    this.#bytes += bytes;
    this.budget.add(bytes);
  }

  #indexOf(id: number): number {
    return this.records.findLastIndex((record) => record.id === id);
  }

  #drop(): void {
    this.#grow(-bytesOf(this.records.shift() as SizedRecord));
    this.dropped++;
  }
}

/** Whether a record matches every condition of a query. */
export function meetsQuery(entry: RequestRecord, { method, status, key, since, text }: RecordQuery): boolean {
  return (
    (method === undefined || entry.method === method) &&
    (status === undefined || entry.status === status) &&
    (key === undefined || entry.token === key || entry.token?.slice(-4) === key) &&
    (since === undefined || entry.id > since) &&
    (text === undefined || contains(entry, text))
  );
}

const contains = ({ path, query, requestBody, responseBody, fault }: RequestRecord, text: string): boolean =>
  path.includes(text) ||
  query.includes(text) ||
  textOfBytes(responseBody).includes(text) ||
  (fault ?? '').includes(text) ||
  (requestBody !== undefined && textOfBytes(requestBody).includes(text));

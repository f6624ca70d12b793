import type { Delivery, ReportedOutcome, RequestRecord } from '../requests/request-record.js';
import { textOfBytes } from '../values/json-bytes.js';
import { JournalBudget } from './journal-budget.js';
import type { Outage } from './outage.js';
import { bytesOf, cutBodies } from './record-bytes.js';
import { Unrecorded } from './unrecorded.js';

/** Which entries to take; every condition that is there must hold. */
export interface JournalQuery {
  operation?: string | undefined;
  method?: string | undefined;
  status?: number | undefined;
  /** The API key, whole or its last four characters. */
  key?: string | undefined;
  /** Only entries with a higher id. */
  since?: number | undefined;
  /** Text that the target, a body or the fault's name contains. */
  text?: string | undefined;
}

export interface JournalLimits {
  entries: number;
  /** Of everything that the kept records hold, together. */
  bytes: number;
  /** Of one body; a longer one is cut. */
  bodyBytes: number;
}

const defaultLimits: JournalLimits = { entries: 10_000, bytes: 20 * 1024 * 1024, bodyBytes: 64 * 1024 };

/** More reports of clients than this are not kept. */
const mostOutcomes = 1_000;

/** The requests of one simulator. Past a number of records and past a size the oldest ones are dropped. */
export class RequestJournal {
  readonly #onError: (error: unknown) => void;
  readonly #limits: JournalLimits;
  readonly #listeners = new Set<(entry: RequestRecord) => void>();
  /** Records in the order of their responses, from `#start` on; those before it are dropped. */
  #records: (RequestRecord | undefined)[] = [];
  #start = 0;
  #bytes = 0;
  /** The id of the request that arrived last; 0 before the first. */
  lastId = 0;
  /** How many requests have arrived that are not answered yet. */
  pending = 0;
  /** The records whose answers are held back, by id. */
  readonly held = new Map<number, RequestRecord>();
  /** How many records were added since the start: the number of the next one. */
  added = 0;
  /** How many entries were dropped since the start or the last `clear`. */
  dropped = 0;
  /** What clients said of their own calls, the newest last; the oldest are dropped past a limit. */
  outcomes: readonly ReportedOutcome[] = [];
  /** When requests were refused that are not recorded, the newest last. */
  outages: readonly Outage[] = [];
  /** Requests that are in no record. */
  readonly unrecorded = new Unrecorded();
  /** Requests up to this id arrived before the last `clear` and are not recorded. */
  clearedId = 0;

  /**
   * @param onError called with what a listener throws
   * @param budget shared with other journals
   */
  constructor(
    onError: (error: unknown) => void,
    limits: Partial<JournalLimits> = {},
    readonly budget = new JournalBudget(),
  ) {
    this.#onError = onError;
    this.#limits = { ...defaultLimits, ...limits };
    budget.join(this);
  }

  /** About how much memory the records take. */
  get bytes(): number {
    return this.#bytes;
  }

  get size(): number {
    return this.#records.length - this.#start;
  }

  /** How many listeners there are. */
  get listeners(): number {
    return this.#listeners.size;
  }

  /** Counts a request that has arrived and gives its id. */
  open(): number {
    this.pending++;
    return ++this.lastId;
  }

  /** Forgets a request that will never be answered. */
  abandon(id: number): void {
    if (id > this.clearedId) this.pending--;
  }

  /** Adds the record of a request, drops the oldest ones past the limits, and calls the listeners. */
  add(entry: RequestRecord): void {
    if (entry.id <= this.clearedId) return;
    const kept = cutBodies(entry, this.#limits.bodyBytes);
    const bytes = bytesOf(kept);
    this.pending--;
    this.added++;
    if (this.size === this.#limits.entries) this.#drop();
    this.#records.push(kept);
    this.#grow(bytes);
    while (this.#bytes > this.#limits.bytes && this.size > 1) this.#drop();
    for (const listener of this.#listeners) {
      try {
        listener(kept);
      } catch (error) {
        this.#onError(error);
      }
    }
  }

  /** Keeps a record back until `complete`: its answer is not sent yet. */
  hold(entry: RequestRecord): void {
    if (entry.id > this.clearedId) this.held.set(entry.id, entry);
  }

  /** Notes when and how an answer was sent; without an effect when its entry is gone. */
  complete(id: number, delivery: Partial<Delivery>): void {
    const held = this.held.get(id);
    if (held !== undefined) {
      this.held.delete(id);
      this.add({ ...held, ...delivery });
      return;
    }
    const at = this.#records.findLastIndex((record) => record?.id === id);
    if (at < 0) return;
    const before = this.#records[at] as RequestRecord;
    const after = cutBodies({ ...before, ...delivery }, this.#limits.bodyBytes);
    this.#records[at] = after;
    if (delivery.responseBody !== undefined) this.#grow(bytesOf(after) - bytesOf(before));
  }

  report(outcome: ReportedOutcome): void {
    this.outcomes = [...this.outcomes.slice(-mostOutcomes), outcome];
  }

  /** Kept records from a number on, in the order in which they were added. */
  read(from: number, most: number): RequestRecord[] {
    const first = Math.max(0, from - this.added + this.size);
    return this.#kept(this.#start + first, this.#start + first + most);
  }

  /** The kept entries in the order in which they were answered. They never change. */
  get entries(): RequestRecord[] {
    return this.#kept();
  }

  /** The entries that match a query, in the order of their arrival. */
  query(query: JournalQuery = {}): RequestRecord[] {
    return this.filter((entry) => meetsQuery(entry, query));
  }

  /** The entries that match a condition, in the order of their arrival. */
  filter(matches: (entry: RequestRecord) => boolean): RequestRecord[] {
    return this.#kept()
      .filter(matches)
      .sort((one, other) => one.id - other.id);
  }

  /** The entry with the highest id that matches a condition. */
  latest(matches: (entry: RequestRecord) => boolean): RequestRecord | undefined {
    let latest: RequestRecord | undefined;
    for (const entry of this.#kept()) if (entry.id > (latest?.id ?? 0) && matches(entry)) latest = entry;
    return latest;
  }

  /** Calls `listener` for every record from now on; the function it gives stops that. */
  listen(listener: (entry: RequestRecord) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Forgets all requests, those that wait for their answer too. */
  clear(): void {
    this.outcomes = [];
    this.outages = [];
    this.held.clear();
    this.unrecorded.clear();
    this.#records = [];
    this.#start = 0;
    this.#grow(-this.#bytes);
    this.dropped = 0;
    this.pending = 0;
    this.clearedId = this.lastId;
  }

  /** Drops the oldest records until `bytes` are freed or one is left. */
  drop(bytes: number): void {
    const enough = this.#bytes - bytes;
    while (this.#bytes > enough && this.size > 1) this.#drop();
  }

  #grow(bytes: number): void {
    this.#bytes += bytes;
    this.budget.add(bytes);
  }

  #kept(from = this.#start, to?: number): RequestRecord[] {
    return this.#records.slice(from, to) as RequestRecord[];
  }

  #drop(): void {
    const oldest = this.#records[this.#start] as RequestRecord;
    this.#records[this.#start++] = undefined;
    // Moving the rest costs little where half of the array is dropped.
    if (this.#start > this.#records.length / 2) {
      this.#records = this.#records.slice(this.#start);
      this.#start = 0;
    }
    this.#grow(-bytesOf(oldest));
    this.dropped++;
  }
}

/** Whether an entry meets every condition of a query. */
export function meetsQuery(
  entry: RequestRecord,
  { operation, method, status, key, since, text }: JournalQuery,
): boolean {
  return (
    (operation === undefined || entry.operation === operation) &&
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

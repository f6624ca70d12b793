import type { OperationName, WindowName } from '../interface/contract.js';

/** Why a request was refused: over a limit of the plan, or during a ban. */
export type Refusal = 'limit' | 'ban';

/** What one request and its answer were. Instants are Unix milliseconds of the simulator's clock. */
export interface JournalEntry {
  /** Counted from 1, in the order in which requests arrived; never given again, not even after `clear`. */
  readonly id: number;
  readonly arrivedAtMs: number;
  /** When the answer was ready to be sent; for an answer that a fault held back, later than the arrival. */
  answeredAtMs: number;
  /** The bearer token as sent; shown only by its last four characters. `undefined` when there was none. */
  readonly token: string | undefined;
  readonly plan: string | undefined;
  readonly operation: OperationName | undefined;
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly status: number;
  readonly requestBody: Uint8Array | undefined;
  readonly responseBody: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The window that the headers describe. */
  readonly window: WindowName | undefined;
  readonly refusal: Refusal | undefined;
  /** Of a refusal: when the service would serve again, whatever the headers said. */
  readonly promisedAtMs: number | undefined;
  /** How many strikes the key had after this request. */
  readonly strikes: number;
  /** How many episodes of refusals the key had begun. */
  readonly episode: number;
  /** The id of the animal that this request stored. */
  readonly storedId: string | undefined;
  /** The fault rule that applied, and whether the client could read the answer as it was meant. */
  readonly fault: string | undefined;
  readonly isSpoiled: boolean;
  /** Which connection it came on, where the door knows. */
  readonly connection: number | undefined;
  /** What the client calls this logical call: its header `X-Sim-Call`. */
  readonly call: string | undefined;
}

/** Which entries to take; every condition that is there must hold. */
export interface JournalQuery {
  operation?: OperationName | undefined;
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
  /** Of all kept bodies together. */
  bytes: number;
}

const defaultLimits: JournalLimits = { entries: 10_000, bytes: 8 * 1024 * 1024 };

/** The requests of one simulator in the order of their arrival, the oldest dropped past a number and past a size. */
export class Journal {
  readonly #limits: JournalLimits;
  readonly #listeners = new Set<(entry: JournalEntry) => void>();
  #entries: JournalEntry[] = [];
  /** Where the entries that are not dropped begin; moved instead of shifting an array a request. */
  #first = 0;
  #bytes = 0;
  #lastId = 0;
  #dropped = 0;

  constructor(limits: JournalLimits = defaultLimits) {
    this.#limits = limits;
  }

  /** How many entries were dropped since the start or the last `clear`. */
  get dropped(): number {
    return this.#dropped;
  }

  get size(): number {
    return this.#entries.length - this.#first;
  }

  /** The id that the next arriving request gets. */
  nextId(): number {
    return ++this.#lastId;
  }

  /** Writes an entry, drops the oldest past the limits, and tells who listens. */
  add(entry: JournalEntry): void {
    this.#entries.push(entry);
    this.#bytes += bytesOf(entry);
    while (this.size > this.#limits.entries || (this.#bytes > this.#limits.bytes && this.size > 1)) {
      this.#bytes -= bytesOf(this.#entries[this.#first++] as JournalEntry);
      this.#dropped++;
    }
    if (this.#first > this.#limits.entries) {
      this.#entries = this.#entries.slice(this.#first);
      this.#first = 0;
    }
    for (const listener of this.#listeners) listener(entry);
  }

  /** The entries that meet a query, in the order of their arrival. */
  query(query: JournalQuery = {}): JournalEntry[] {
    const kept = this.#entries.slice(this.#first).sort((a, b) => a.id - b.id);
    return kept.filter((entry) => meets(entry, query));
  }

  /** Calls `listener` for every entry from now on; the answer stops it. */
  listen(listener: (entry: JournalEntry) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  clear(): void {
    this.#entries = [];
    this.#first = 0;
    this.#bytes = 0;
    this.#dropped = 0;
  }
}

const bytesOf = ({ requestBody, responseBody }: JournalEntry) => (requestBody?.length ?? 0) + responseBody.length;

function meets(entry: JournalEntry, { operation, method, status, key, since, text }: JournalQuery): boolean {
  return (
    (operation === undefined || entry.operation === operation) &&
    (method === undefined || entry.method === method) &&
    (status === undefined || entry.status === status) &&
    (key === undefined || entry.token === key || entry.token?.slice(-4) === key) &&
    (since === undefined || entry.id > since) &&
    (text === undefined || searchable(entry).includes(text))
  );
}

const searchable = ({ path, query, requestBody, responseBody, fault }: JournalEntry) =>
  [path, query, requestBody && new TextDecoder().decode(requestBody), responseBody, fault].join('\n');

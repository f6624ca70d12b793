import type { OperationName, WindowName } from '../contract/document.js';
import { JournalBudget } from './journal-budget.js';

/** Why a request was refused: over a limit of the plan, or during a ban. */
export type RefusalKind = 'limit' | 'ban';

/** What can be seen of one request and its answer on the wire. Instants are Unix milliseconds of the simulator's clock. */
export interface ObservedRequest {
  /** Counted from 1, in the order in which requests arrived; never given again, not even after `clear`. */
  readonly id: number;
  readonly arrivedAtMs: number;
  /** When the answer was handed to the adapter to be sent; later than the arrival where a fault or a hold kept it back. */
  readonly answeredAtMs: number;
  /** When the last byte was handed over; later than the first where a fault sends an answer in pieces. */
  readonly finishedAtMs: number;
  /** Whether the client went away before the end of an answer that was being sent in pieces. */
  readonly isAbandoned: boolean;
  /** The id of the last request, of any key, that had arrived when the answer was sent: those after it may follow from it. */
  readonly lastArrivedId: number;
  /** For how many milliseconds the answer was held back so that parallel requests show themselves; 0: not at all. */
  readonly heldMs: number;
  /** The bearer token as sent; shown only by its last four characters. `undefined` when there was none. */
  readonly token: string | undefined;
  /** `undefined` for a path or method that is none of the document's. */
  readonly operation: OperationName | undefined;
  readonly method: string;
  readonly path: string;
  readonly query: string;
  /** 0 when the client went away before the answer. */
  readonly status: number;
  readonly requestBody: Uint8Array | undefined;
  readonly responseBody: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Which connection it came on, where the adapter knows. */
  readonly connection: number | undefined;
  /** What the client calls itself: its header `User-Agent`. */
  readonly client: string | undefined;
  /** What the client calls this logical call: its header `X-Sim-Call`. */
  readonly call: string | undefined;
}

/** What only the simulator knows of one request: a log of the wire does not show it. */
export interface RequestKnowledge {
  readonly plan: string | undefined;
  /** The window that the headers describe. */
  readonly window: WindowName | undefined;
  readonly refusal: RefusalKind | undefined;
  /** Of a refusal: when the service would serve again, whatever the headers said. */
  readonly promisedAtMs: number | undefined;
  /** How many strikes the key had after this request, and whether this one was a strike. */
  readonly strikes: number;
  readonly isStrike: boolean;
  /** Whether the limits of the plan applied to it. */
  readonly isLimited: boolean;
  /** How many episodes of refusals the key had begun. */
  readonly episode: number;
  /** The id of the pet that this request stored. */
  readonly storedId: string | undefined;
  /** The fault rule that applied, and whether it kept the client from reading the answer. */
  readonly fault: string | undefined;
  readonly isUnreadable: boolean;
}

/** One entry of the journal: what was observed of a request, and what only the simulator knows of it. */
export interface RequestRecord extends ObservedRequest, RequestKnowledge {}

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
  /** Of everything that the kept records hold, together. */
  bytes: number;
  /** Of one body; a longer one is cut. */
  bodyBytes: number;
}

const defaultLimits: JournalLimits = { entries: 10_000, bytes: 20 * 1024 * 1024, bodyBytes: 64 * 1024 };

/** The requests of one simulator. Past a number of records and past a size the oldest ones are dropped. */
export class RequestJournal {
  readonly #onError: (error: unknown) => void;
  readonly #limits: JournalLimits;
  readonly #listeners = new Set<(entry: RequestRecord) => void>();
  #entries: (RequestRecord | undefined)[] = [];
  /** Where the records begin that are not dropped. Moving it is cheaper than shifting the array for every request. */
  #first = 0;
  #bytes = 0;
  #lastId = 0;
  #pending = 0;
  #dropped = 0;
  /** Requests up to this id arrived before the last `clear` and are not recorded. */
  #clearedId = 0;

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

  /** How many entries were dropped since the start or the last `clear`. */
  get dropped(): number {
    return this.#dropped;
  }

  /** How many requests have arrived that are not answered yet. */
  get pending(): number {
    return this.#pending;
  }

  get size(): number {
    return this.#entries.length - this.#first;
  }

  /** The id of the request that arrived last; 0 before the first. */
  get lastId(): number {
    return this.#lastId;
  }

  /** Counts a request that has arrived and gives its id. */
  open(): number {
    this.#pending++;
    return ++this.#lastId;
  }

  /** Forgets a request that will never be answered. */
  abandon(id: number): void {
    if (id > this.#clearedId) this.#pending--;
  }

  /** Adds the record of a request, drops the oldest ones past the limits, and calls the listeners. */
  add(entry: RequestRecord): void {
    if (entry.id <= this.#clearedId) return;
    const kept = cutBodies(entry, this.#limits.bodyBytes);
    this.#pending--;
    this.#entries.push(kept);
    this.#grow(bytesOf(kept));
    while (this.size > this.#limits.entries || (this.#bytes > this.#limits.bytes && this.size > 1)) this.#drop();
    if (this.#first > this.#limits.entries) {
      this.#entries = this.#entries.slice(this.#first);
      this.#first = 0;
    }
    for (const listener of this.#listeners) {
      try {
        listener(kept);
      } catch (error) {
        this.#onError(error);
      }
    }
  }

  /** Notes how the sending of an answer in pieces ended; without an effect when its entry is gone. */
  finish(id: number, finishedAtMs: number, isWhole: boolean): void {
    const entry = this.#entries.findLast((each) => each?.id === id);
    if (entry !== undefined) Object.assign(entry, { finishedAtMs, isAbandoned: !isWhole });
  }

  /** The entries that meet a query, in the order of their arrival. */
  query(query: JournalQuery = {}): RequestRecord[] {
    const kept = this.#entries.slice(this.#first) as RequestRecord[];
    return kept.filter((entry) => meets(entry, query)).sort((a, b) => a.id - b.id);
  }

  /** Calls `listener` for every record from now on; the function it gives stops that. */
  listen(listener: (entry: RequestRecord) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Forgets all requests, those that wait for their answer too. */
  clear(): void {
    this.#entries = [];
    this.#first = 0;
    this.#grow(-this.#bytes);
    this.#dropped = 0;
    this.#pending = 0;
    this.#clearedId = this.#lastId;
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

  #drop(): void {
    this.#grow(-bytesOf(this.#entries[this.#first] as RequestRecord));
    // Cleared here and not only when the array is cut, because the record may be large.
    this.#entries[this.#first++] = undefined;
    this.#dropped++;
  }
}

function cutBodies(entry: RequestRecord, most: number): RequestRecord {
  const { requestBody, responseBody } = entry;
  if ((requestBody?.length ?? 0) <= most && responseBody.length <= most) return entry;
  // By way of bytes, because in V8 a part of a string keeps the whole string in memory.
  const cut = (text: string) => new TextDecoder().decode(new TextEncoder().encode(text.slice(0, most)));
  return {
    ...entry,
    requestBody: requestBody && requestBody.length > most ? requestBody.slice(0, most) : requestBody,
    responseBody: responseBody.length > most ? cut(responseBody) : responseBody,
  };
}

/** What a record takes without its texts: its fields, and the headers of the answer. */
const recordBytes = 500;

/** About how much memory a record holds. Most texts take a byte a character. */
const bytesOf = ({ requestBody, responseBody, token, method, path, query, call }: RequestRecord) =>
  recordBytes +
  (requestBody?.length ?? 0) +
  responseBody.length +
  method.length +
  path.length +
  query.length +
  (token?.length ?? 0) +
  (call?.length ?? 0);

function meets(entry: RequestRecord, { operation, method, status, key, since, text }: JournalQuery): boolean {
  return (
    (operation === undefined || entry.operation === operation) &&
    (method === undefined || entry.method === method) &&
    (status === undefined || entry.status === status) &&
    (key === undefined || entry.token === key || entry.token?.slice(-4) === key) &&
    (since === undefined || entry.id > since) &&
    (text === undefined || searchable(entry).includes(text))
  );
}

const searchable = ({ path, query, requestBody, responseBody, fault }: RequestRecord) =>
  [path, query, requestBody && new TextDecoder().decode(requestBody), responseBody, fault].join('\n');

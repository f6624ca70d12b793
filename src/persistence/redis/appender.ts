import { LogUnavailableError, type NewEntry } from '../log.js';
import { type Connection, StoreUnavailableError } from './connection.js';
import { type EntryFields, fieldList, type StoredEntry } from './entry-fields.js';

/**
 * Maximum wait for an append, in milliseconds, after which the client receives a 503. With 1 s, hundreds of 2,000
 * parallel requests failed on four replicas with two busy cores, though the store was idle.
 */
export const appendTimeoutMs = 3_000;
/** Additional wait for an entry that was written at the last moment to arrive from the stream, in milliseconds. */
const arrivalGraceMs = 250;
/** Maximum size of all pending entries, in characters. */
const mostBytes = 16 * 1024 * 1024;

interface Pending {
  readonly own: NewEntry;
  readonly stored: StoredEntry;
  readonly fields: EntryFields;
  readonly timeoutAtMs: number;
  /** Whether the entry was sent, and so may have been written even if the connection failed. */
  isSent: boolean;
  isTimedOut: boolean;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

export interface AppenderOptions {
  /** Key of the stream. */
  readonly key: string;
  /** Called if the stream is missing; an append never creates it. */
  readonly onMissing: () => void;
}

/**
 * Appends entries to the stream in the order of submission. Resends unacknowledged entries after a reconnect; readers
 * skip a duplicate by its sequence number.
 */
export class Appender {
  readonly #options: AppenderOptions;
  /** Entries that have not arrived from the stream, by sequence number. */
  readonly #pending = new Map<number, Pending>();
  #bytes = 0;
  #connection: Connection | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isClosed = false;

  constructor(options: AppenderOptions) {
    this.#options = options;
  }

  /**
   * Appends an entry as soon as a connection is available.
   * @throws {LogUnavailableError} after a timeout; the entry may still be appended
   */
  append(fields: EntryFields, stored: StoredEntry, own: NewEntry): Promise<void> {
    if (this.#isClosed) return Promise.reject(new LogUnavailableError('The log is closed.'));
    if (this.#bytes + fields.text.length > mostBytes && this.#pending.size > 0) {
      return Promise.reject(
        new LogUnavailableError('The store is unreachable, and too many entries already wait for it.'),
      );
    }
    return new Promise((resolve, reject) => {
      const timeoutAtMs = performance.now() + appendTimeoutMs + arrivalGraceMs;
      const pending = { own, stored, fields, timeoutAtMs, isSent: false, isTimedOut: false, resolve, reject };
      this.#pending.set(fields.sequence, pending);
      this.#bytes += fields.text.length;
      this.#send(pending);
      this.#watch();
    });
  }

  /** Content of a pending entry, so that it need not be parsed. */
  storedOf(sequence: number): StoredEntry | undefined {
    return this.#pending.get(sequence)?.stored;
  }

  /** Acknowledges an entry that has arrived. @returns the submitted entry, or `undefined` for a duplicate */
  take(sequence: number): NewEntry | undefined {
    const pending = this.#pending.get(sequence);
    if (pending === undefined) return undefined;
    this.#remove(pending);
    pending.resolve();
    return pending.own;
  }

  /** Sends all pending entries on a connection, on which the log was verified; without one, entries wait. */
  use(connection: Connection | undefined): void {
    this.#connection = connection;
    for (const pending of this.#pending.values()) this.#send(pending);
  }

  /** Rejects all pending entries. */
  close(): void {
    this.#isClosed = true;
    this.#connection = undefined;
    clearTimeout(this.#timer);
    for (const pending of [...this.#pending.values()]) {
      this.#remove(pending);
      pending.reject(unavailable(pending));
    }
  }

  #send(pending: Pending): void {
    const connection = this.#connection;
    if (connection === undefined) return;
    pending.isSent = true;
    connection.call('XADD', this.#options.key, 'NOMKSTREAM', '*', ...fieldList(pending.fields)).then(
      (id) => {
        if (id === null) this.#options.onMissing();
      },
      (error: Error) => {
        // The store rejected the entry: not written, and never resent.
        if (!(error instanceof StoreUnavailableError)) this.#refuse(pending, error.message);
      },
    );
  }

  #refuse(pending: Pending, reason: string): void {
    this.#remove(pending);
    pending.reject(new LogUnavailableError(reason));
  }

  #remove(pending: Pending): void {
    if (!this.#pending.delete(pending.fields.sequence)) return;
    this.#bytes -= pending.fields.text.length;
  }

  /** Rejects entries after their timeout. An entry that was never sent is dropped. */
  #watch(): void {
    if (this.#timer !== undefined) return;
    this.#timer = setTimeout(() => {
      const nowMs = performance.now();
      // After a blocked event loop, entries that have arrived meanwhile are read first.
      setImmediate(() => {
        this.#timer = undefined;
        for (const pending of [...this.#pending.values()]) {
          if (pending.isTimedOut || pending.timeoutAtMs > nowMs) continue;
          pending.isTimedOut = true;
          if (!pending.isSent) this.#remove(pending);
          pending.reject(unavailable(pending));
        }
        if (this.#pending.size > 0) this.#watch();
      });
    }, arrivalGraceMs);
  }
}

const unavailable = ({ isSent }: Pending) =>
  isSent
    ? new LogUnavailableError('The store of the simulator does not respond, so it is unknown whether this was done.', {
        isUncertain: true,
      })
    : new LogUnavailableError('The store of the simulator does not respond, so nothing was done.');

import { LogUnavailableError, type NewEntry } from '../log.js';
import { type Connection, StoreUnavailableError } from './connection.js';
import { type EntryFields, fieldList, type StoredEntry } from './entry-fields.js';

/**
 * Time after which a request that the log has not stored gets a 503, in milliseconds. With 1 s, hundreds of 2,000
 * parallel requests failed on four replicas with two busy cores.
 */
export const appendTimeoutMs = 3_000;
/** Additional time for an entry that was stored just before the timeout to be read back, in milliseconds. */
const arrivalGraceMs = 250;
/** Maximum size of all entries that wait to be stored, in characters. */
const maximumBytes = 16 * 1024 * 1024;

interface Pending {
  readonly own: NewEntry;
  readonly stored: StoredEntry;
  readonly fields: EntryFields;
  readonly timeoutAtMs: number;
  /** Whether the entry was sent to the store. If so, the store may contain it even after a failed connection. */
  isSent: boolean;
  isTimedOut: boolean;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

export interface AppenderOptions {
  /** Redis key of the stream that contains the log. */
  readonly key: string;
  /** Called if the stream is missing. An append never creates a stream, which would lack the earlier entries. */
  readonly onMissing: () => void;
}

/**
 * Appends entries to the log's stream in their order. After a reconnect, sends again what the store did not confirm;
 * readers recognize a duplicate by its sequence number.
 */
export class Appender {
  readonly #options: AppenderOptions;
  /** Entries that this server has not read back from the log's stream yet, by sequence number. */
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
  append(fields: EntryFields, stored: StoredEntry, ownEntry: NewEntry): Promise<void> {
    if (this.#isClosed) return Promise.reject(new LogUnavailableError('The log is closed.'));
    if (this.#bytes + fields.text.length > maximumBytes && this.#pending.size > 0) {
      return Promise.reject(
        new LogUnavailableError('The store is unreachable, and too many entries already wait for it.'),
      );
    }
    return new Promise((resolve, reject) => {
      const timeoutAtMs = performance.now() + appendTimeoutMs + arrivalGraceMs;
      const pending = { own: ownEntry, stored, fields, timeoutAtMs, isSent: false, isTimedOut: false, resolve, reject };
      this.#pending.set(fields.sequence, pending);
      this.#bytes += fields.text.length;
      this.#send(pending);
      this.#watch();
    });
  }

  /**
   * Returns the content of an own entry that was sent to the store, so that it need not be parsed when it is read back.
   */
  storedOf(sequence: number): StoredEntry | undefined {
    return this.#pending.get(sequence)?.stored;
  }

  /**
   * Ends the wait of a submitted log entry after it was read back from the Redis stream.
   * @returns the entry as submitted, or `undefined` if it was read before
   */
  take(sequence: number): NewEntry | undefined {
    const pending = this.#pending.get(sequence);
    if (pending === undefined) return undefined;
    this.#remove(pending);
    pending.resolve();
    return pending.own;
  }

  /**
   * Sends all waiting entries to the store on a connection whose store was verified to hold this log. Without a
   * connection, the entries wait.
   */
  use(connection: Connection | undefined): void {
    this.#connection = connection;
    for (const pending of this.#pending.values()) this.#send(pending);
  }

  /** Rejects all waiting entries, because the log is closed. */
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
        // The store rejected the entry, which is therefore not sent again.
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

  /** Rejects entries that the store has not confirmed in time. Drops an entry that was never sent. */
  #watch(): void {
    if (this.#timer !== undefined) return;
    this.#timer = setTimeout(() => {
      const nowMs = performance.now();
      // Checks the timeouts of log entries only after other events of this turn, because a busy process may have
      // received entries that it has not read yet.
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

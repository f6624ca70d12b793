import { LogUnavailableError, type NewEntry } from '../../log.js';
import { type Connection, StoreUnavailableError } from './connection.js';
import { type EntryFields, fieldList, type StoredEntry } from './entry-fields.js';

/**
 * Time after which a request gets a 503 if Redis has not stored the request's log entry. With 1,000 ms, hundreds of
 * 2,000 parallel requests failed on four replicas with two busy cores.
 */
export const appendTimeoutMs = 3_000;
/**
 * Time added to the timeout for storing a log entry in Redis. Within this time, the server can still read back an entry
 * that Redis accepted just before the timeout.
 */
const arrivalGraceMs = 250;
/** Maximum size of all entries that wait to be stored, in characters. */
const maximumCharacters = 16 * 1024 * 1024;

interface Pending {
  readonly own: NewEntry;
  readonly stored: StoredEntry;
  readonly fields: EntryFields;
  readonly timeoutAtMs: number;
  /**
   * Whether the log entry was sent to Redis. If so, Redis may contain the entry even if the connection failed before
   * Redis confirmed the entry.
   */
  isSent: boolean;
  isTimedOut: boolean;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

export interface AppenderOptions {
  /** Redis key of the stream that contains the log. */
  readonly key: string;
  /**
   * Called if an append fails because the Redis stream with the server's log does not exist. The append creates no new
   * stream, because a new stream would lack the earlier log entries.
   */
  readonly onMissing: () => void;
}

/**
 * Creates a queue that appends entries to a log in a Redis stream, in order. After a reconnect, sends entries again
 * that Redis did not confirm; readers recognize a duplicate by its sequence number.
 */
export function createAppender({ key, onMissing }: AppenderOptions) {
  /**
   * Entries that this server appends to the shared log, until the server has read them back from the log's Redis
   * stream. Keyed by sequence number.
   */
  const allPending = new Map<number, Pending>();
  let characters = 0;
  let connection: Connection | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isClosed = false;

  function send(pending: Pending): void {
    if (connection === undefined) return;
    pending.isSent = true;
    connection.call('XADD', key, 'NOMKSTREAM', '*', ...fieldList(pending.fields)).then(
      (id) => {
        if (id === null) onMissing();
      },
      (error: Error) => {
        // Rejects the log entry at once, because Redis replied with an error. Only entries whose connection to Redis
        // failed are sent again.
        if (!(error instanceof StoreUnavailableError)) refuse(pending, error.message);
      },
    );
  }

  function refuse(pending: Pending, reason: string): void {
    remove(pending);
    pending.reject(new LogUnavailableError(reason));
  }

  function remove(pending: Pending): void {
    if (!allPending.delete(pending.fields.sequence)) return;
    characters -= pending.fields.text.length;
  }

  /**
   * Rejects the promise of each log entry that the store has not confirmed in time. An entry that was sent may still be
   * stored; an entry that was not sent is removed from the queue.
   */
  function watch(): void {
    if (timer !== undefined) return;
    timer = setTimeout(() => {
      const nowMs = performance.now();
      // Reads pending replies of Redis before the timeout check, because a reply may confirm a log entry.
      setImmediate(() => {
        timer = undefined;
        for (const pending of [...allPending.values()]) {
          if (pending.isTimedOut || pending.timeoutAtMs > nowMs) continue;
          pending.isTimedOut = true;
          if (!pending.isSent) remove(pending);
          pending.reject(unavailable(pending));
        }
        if (allPending.size > 0) watch();
      });
    }, arrivalGraceMs);
  }

  return {
    /**
     * Appends an entry to the log in Redis, as soon as a connection to Redis is available.
     * @throws {LogUnavailableError} if Redis rejects the entry, or does not confirm it in time and may still store it;
     * at once if the log is closed or too many entries wait
     */
    append(fields: EntryFields, stored: StoredEntry, ownEntry: NewEntry): Promise<void> {
      if (isClosed) return Promise.reject(new LogUnavailableError('The log is closed.'));
      if (characters + fields.text.length > maximumCharacters && allPending.size > 0) {
        return Promise.reject(
          new LogUnavailableError('The store is unreachable, and too many entries already wait for it.'),
        );
      }
      return new Promise((resolve, reject) => {
        const timeoutAtMs = performance.now() + appendTimeoutMs + arrivalGraceMs;
        const pending = {
          own: ownEntry,
          stored,
          fields,
          timeoutAtMs,
          isSent: false,
          isTimedOut: false,
          resolve,
          reject,
        };
        allPending.set(fields.sequence, pending);
        characters += fields.text.length;
        send(pending);
        watch();
      });
    },

    /**
     * Returns the content of a log entry that this server sent to the store and has not read back yet. The server then
     * need not parse the entry when it reads the entry back.
     */
    storedOf(sequence: number): StoredEntry | undefined {
      return allPending.get(sequence)?.stored;
    },

    /**
     * Ends the wait for a submitted log entry when the entry is read back from Redis.
     * @returns the submitted entry, or `undefined` if the entry was already read back
     */
    take(sequence: number): NewEntry | undefined {
      const pending = allPending.get(sequence);
      if (pending === undefined) return undefined;
      remove(pending);
      pending.resolve();
      return pending.own;
    },

    /**
     * Sets the connection to Redis, and sends all unconfirmed log entries over it. The caller must have verified that
     * the Redis server contains the log. Without a connection (`undefined`), the entries wait.
     */
    use(changed: Connection | undefined): void {
      connection = changed;
      for (const pending of allPending.values()) send(pending);
    },

    /** Rejects the appending of every entry whose storage is unconfirmed, because the server closes the log. */
    close(): void {
      isClosed = true;
      connection = undefined;
      clearTimeout(timer);
      for (const pending of [...allPending.values()]) {
        remove(pending);
        pending.reject(unavailable(pending));
      }
    },
  };
}

const unavailable = ({ isSent }: Pending) =>
  isSent
    ? new LogUnavailableError('The store of the simulator does not respond, so it is unknown whether this was done.', {
        isUncertain: true,
      })
    : new LogUnavailableError('The store of the simulator does not respond, so nothing was done.');

import { LogUnavailableError, type NewEntry } from '../log.js';
import { type Connection, StoreAwayError } from './connection.js';
import { type EntryFields, fieldList, type StoredEntry } from './entry-fields.js';

/**
 * So long a client waits for its request to be written, before it gets a 503. With 1 s, 2,000 parallel requests on four
 * replicas of two busy cores met hundreds of them, though the store was idle.
 */
export const patienceMs = 3_000;
/** What was written at the last moment may come back within this. */
const returnMs = 250;
/** More than this does not wait to be written. */
const mostBytes = 16 * 1024 * 1024;

interface Pending {
  readonly own: NewEntry;
  readonly stored: StoredEntry;
  readonly fields: EntryFields;
  readonly giveUpMs: number;
  /** Whether it was sent, so that it may have been written, whatever became of its connection. */
  isSent: boolean;
  isGivenUp: boolean;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

export interface AppenderOptions {
  /** The key of the stream. */
  readonly key: string;
  /** Called when the stream is not there: it is never made anew by an entry. */
  readonly onGone: () => void;
}

/**
 * Writes entries to the stream, in the order in which they are handed in. What a connection took along when it broke is sent
 * again on the next one, and may then be in the stream twice: whoever applies it knows it by its sequence.
 */
export class Appender {
  readonly #options: AppenderOptions;
  /** By sequence: everything that has not been seen in the stream. */
  readonly #pending = new Map<number, Pending>();
  #bytes = 0;
  #connection: Connection | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isClosed = false;

  constructor(options: AppenderOptions) {
    this.#options = options;
  }

  /**
   * Writes an entry, once it can be.
   * @throws {LogUnavailableError} when it could not be written in time; it may still come
   */
  append(fields: EntryFields, stored: StoredEntry, own: NewEntry): Promise<void> {
    if (this.#isClosed) return Promise.reject(new LogUnavailableError('The log is closed.'));
    if (this.#bytes + fields.text.length > mostBytes && this.#pending.size > 0) {
      return Promise.reject(new LogUnavailableError('The store is away, and too much waits for it already.'));
    }
    return new Promise((resolve, reject) => {
      const giveUpMs = performance.now() + patienceMs + returnMs;
      const pending = { own, stored, fields, giveUpMs, isSent: false, isGivenUp: false, resolve, reject };
      this.#pending.set(fields.sequence, pending);
      this.#bytes += fields.text.length;
      this.#send(pending);
      this.#watch();
    });
  }

  /** What is in an entry of this process that has not come yet: it need not be read. */
  storedOf(sequence: number): StoredEntry | undefined {
    return this.#pending.get(sequence)?.stored;
  }

  /** What was handed in as the entry that has come; `undefined` where it had come before. */
  take(sequence: number): NewEntry | undefined {
    const pending = this.#pending.get(sequence);
    if (pending === undefined) return undefined;
    this.#forget(pending);
    pending.resolve();
    return pending.own;
  }

  /** Goes on with a connection on which the log was found to be as it was left; without one it waits. */
  use(connection: Connection | undefined): void {
    this.#connection = connection;
    for (const pending of this.#pending.values()) this.#send(pending);
  }

  /** What still waits fails. */
  close(): void {
    this.#isClosed = true;
    this.#connection = undefined;
    clearTimeout(this.#timer);
    for (const pending of [...this.#pending.values()]) {
      this.#forget(pending);
      pending.reject(unavailable(pending));
    }
  }

  #send(pending: Pending): void {
    const connection = this.#connection;
    if (connection === undefined) return;
    pending.isSent = true;
    connection.call('XADD', this.#options.key, 'NOMKSTREAM', '*', ...fieldList(pending.fields)).then(
      (id) => {
        if (id === null) this.#options.onGone();
      },
      (error: Error) => {
        // Refused: not written, and never sent again.
        if (!(error instanceof StoreAwayError)) this.#refuse(pending, error.message);
      },
    );
  }

  #refuse(pending: Pending, reason: string): void {
    this.#forget(pending);
    pending.reject(new LogUnavailableError(reason));
  }

  #forget(pending: Pending): void {
    if (!this.#pending.delete(pending.fields.sequence)) return;
    this.#bytes -= pending.fields.text.length;
  }

  /** Gives up what has waited for too long. What was never sent is not written any more. */
  #watch(): void {
    if (this.#timer !== undefined) return;
    this.#timer = setTimeout(() => {
      const nowMs = performance.now();
      // A process that was held up reads first what has come meanwhile.
      setImmediate(() => {
        this.#timer = undefined;
        for (const pending of [...this.#pending.values()]) {
          if (pending.isGivenUp || pending.giveUpMs > nowMs) continue;
          pending.isGivenUp = true;
          if (!pending.isSent) this.#forget(pending);
          pending.reject(unavailable(pending));
        }
        if (this.#pending.size > 0) this.#watch();
      });
    }, returnMs);
  }
}

const unavailable = ({ isSent }: Pending) =>
  isSent
    ? new LogUnavailableError(
        'The store of the simulator does not answer, so nobody knows yet whether this was done.',
        {
          isUncertain: true,
        },
      )
    : new LogUnavailableError('The store of the simulator does not answer, so nothing was done.');

import { appendTimeoutMs } from './appender.js';
import { compareIds } from './compare-ids.js';
import type { Connection } from './connection.js';
import type { StreamEntries } from './stream-entries.js';

/** Lets reads wait until this server has applied all entries that the log contained when the read arrived. */
export class CatchUp {
  readonly #key: string;
  #waiting: { readonly id: string; readonly resolve: () => void }[] = [];

  /** @param key Redis key of the log's stream */
  constructor(key: string) {
    this.#key = key;
  }

  /**
   * Resolves when the log's last entry is applied. Also resolves if the store does not respond, and after
   * `appendTimeoutMs` at the latest.
   * @param appliedId returns the id of the last applied entry
   */
  async wait(connection: Connection | undefined, appliedId: () => string): Promise<void> {
    if (connection === undefined) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const tooLong = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, appendTimeoutMs);
    });
    const last = connection.call('XREVRANGE', this.#key, '+', '-', 'COUNT', 1).then(
      (reply) => {
        const [[id] = ['0-0']] = reply as StreamEntries;
        if (compareIds(id, appliedId()) <= 0) return;
        return new Promise<void>((resolve) => this.#waiting.push({ id, resolve }));
      },
      () => {},
    );
    await Promise.race([last, tooLong]);
    clearTimeout(timer);
  }

  /** Resolves the waits of reads that need this log entry. */
  applied(id: string): void {
    if (this.#waiting.length === 0) return;
    const waiting = this.#waiting;
    this.#waiting = waiting.filter((each) => compareIds(each.id, id) > 0);
    for (const each of waiting) if (compareIds(each.id, id) <= 0) each.resolve();
  }

  /** Ends all waits for later log entries, because the log is closed. */
  end(): void {
    for (const { resolve } of this.#waiting.splice(0)) resolve();
  }
}

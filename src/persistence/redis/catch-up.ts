import { patienceMs } from './appender.js';
import { compareIds } from './compare-ids.js';
import type { Connection } from './connection.js';
import type { StreamEntries } from './stream-entries.js';

/** Those who read only when everything is applied that was in the stream when they came. */
export class CatchUp {
  readonly #key: string;
  #waiting: { readonly id: string; readonly resolve: () => void }[] = [];

  /** @param key of the stream */
  constructor(key: string) {
    this.#key = key;
  }

  /**
   * Resolves when the last entry of the stream is applied; when the store does not tell which that is, or it does not come,
   * after the time that a client waits.
   * @param appliedId the entry that was applied last
   */
  async wait(connection: Connection | undefined, appliedId: () => string): Promise<void> {
    if (connection === undefined) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const tooLong = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, patienceMs);
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

  /** Notes that an entry is applied. */
  applied(id: string): void {
    if (this.#waiting.length === 0) return;
    const waiting = this.#waiting;
    this.#waiting = waiting.filter((each) => compareIds(each.id, id) > 0);
    for (const each of waiting) if (compareIds(each.id, id) <= 0) each.resolve();
  }

  /** Nothing more will be applied. */
  end(): void {
    for (const { resolve } of this.#waiting.splice(0)) resolve();
  }
}

import type { Connection } from './connection.js';

/**
 * Estimate of the store's time, from this process's monotonic clock. All replicas use the store's time, so that their
 * own clocks need not agree.
 */
export class StoreTime {
  /** Store time at the zero point of `performance.now()`, in Unix milliseconds. */
  #offsetMs: number | undefined;

  /** Current time of the store, in Unix milliseconds. */
  now(): number {
    return performance.now() + (this.#offsetMs ?? Date.now() - performance.now());
  }

  /** Corrects the estimate with the store's TIME command. */
  async measure(connection: Connection): Promise<void> {
    const sentMs = performance.now();
    const [seconds, micros] = (await connection.call('TIME')) as [string, string];
    this.note(Number(seconds) * 1_000 + Number(micros) / 1_000, sentMs, performance.now());
  }

  /** Corrects the estimate: the store showed `storeMs` at some moment between two times of `performance.now()`. */
  note(storeMs: number, fromMs: number, toMs: number): void {
    const least = storeMs - toMs;
    const most = storeMs - fromMs;
    this.#offsetMs ??= (least + most) / 2;
    this.#offsetMs = Math.min(most, Math.max(least, this.#offsetMs));
  }
}

import type { Connection } from './connection.js';

/**
 * The time of the store, as this process knows it by a clock that nobody can set. All replicas go by it, whatever the clocks
 * of their machines say. It is changed only where the store contradicts it.
 */
export class StoreTime {
  /** Unix milliseconds of the store when the clock of this process showed 0. */
  #offsetMs: number | undefined;

  /** Unix milliseconds. */
  now(): number {
    return performance.now() + (this.#offsetMs ?? Date.now() - performance.now());
  }

  /** Asks the store. */
  async measure(connection: Connection): Promise<void> {
    const sentMs = performance.now();
    const [seconds, micros] = (await connection.call('TIME')) as [string, string];
    this.note(Number(seconds) * 1_000 + Number(micros) / 1_000, sentMs, performance.now());
  }

  /** Notes that the store showed a time at some instant between two of this process, as `performance.now()` counts them. */
  note(storeMs: number, fromMs: number, toMs: number): void {
    const least = storeMs - toMs;
    const most = storeMs - fromMs;
    this.#offsetMs ??= (least + most) / 2;
    this.#offsetMs = Math.min(most, Math.max(least, this.#offsetMs));
  }
}

import type { Connection } from './connection.js';

/**
 * Estimate of the Redis store's time. All replicas use this time, so that differences between their own clocks do not
 * matter.
 */
export class StoreTime {
  /**
   * Estimated time of the Redis server at the moment when `performance.now()` was 0. `undefined` until the first
   * estimate.
   */
  #offsetMs: number | undefined;

  /**
   * Returns the estimated time of the Redis server, in Unix milliseconds. Before the first measurement, returns this
   * machine's time.
   */
  now(): number {
    return performance.now() + (this.#offsetMs ?? Date.now() - performance.now());
  }

  /** Asks Redis for its time by the command TIME, and corrects the estimate that `now` returns. */
  async measure(connection: Connection): Promise<void> {
    const sentMs = performance.now();
    const [seconds, micros] = (await connection.call('TIME')) as [string, string];
    this.note(Number(seconds) * 1_000 + Number(micros) / 1_000, sentMs, performance.now());
  }

  /**
   * Corrects the estimate of the Redis server's clock after a measurement.
   * @param storeMs time that Redis returned
   * @param fromMs value of `performance.now()` when the command TIME was sent
   * @param toMs value of `performance.now()` when the response arrived
   */
  note(storeMs: number, fromMs: number, toMs: number): void {
    const least = storeMs - toMs;
    const most = storeMs - fromMs;
    this.#offsetMs ??= (least + most) / 2;
    this.#offsetMs = Math.min(most, Math.max(least, this.#offsetMs));
  }
}

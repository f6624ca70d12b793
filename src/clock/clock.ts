/**
 * The clock of a simulator. Determines rate-limit windows, bans, the `Date` header, key expiry and the time at which
 * the deprecated operation getPet is removed.
 */
export interface Clock {
  /**
   * Current simulated time, in whole Unix milliseconds. Goes back only by `set`, or by a reset or restore of the
   * simulator.
   */
  now(): number;
  /** Total time by which `advance` and `set` have moved the clock since its start. */
  readonly movedMs: number;
  readonly frozen: boolean;
  /**
   * Moves the clock forward.
   * @param duration milliseconds, or text such as `500ms`, `61s`, `5m`, `2h`, `1d`
   * @throws {RangeError} for a negative or unreadable duration, or past the year 9999
   * @example sim.clock.advance('61s')
   */
  advance(duration: number | string): void;
  /**
   * Moves the clock to an instant, forward or back.
   * @param instant a `Date`, Unix milliseconds, or ISO 8601 text with a time zone
   * @throws {RangeError} if the instant is unreadable or outside the years 1970 to 9999
   * @example sim.clock.set('2030-12-05T00:00:00Z')
   */
  set(instant: Date | number | string): void;
  /** Stops the clock at its current time. `advance` and `set` still move a stopped clock. */
  freeze(): void;
  /** Resumes a frozen clock from its current time. */
  resume(): void;
  /**
   * Waits for simulated time. On a running clock the wait passes in real time; `advance` and `set` can end it early.
   * @param ms wait in milliseconds; `Infinity` waits until the signal or a reset
   * @throws the reason of `signal` if aborted, or an error if the simulator is reset or restored during the wait
   */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** The one clock that drives windows, bans, `Date`, key expiry and the removal of getPet. */
export interface Clock {
  /** The simulated instant, in whole Unix milliseconds. It goes back only by `set`, and by `reset` and `restore` of the simulator. */
  now(): number;
  /** How far `advance` and `set` have moved the clock since it started. */
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
   * @param instant a `Date`, Unix milliseconds, or an ISO 8601 text with its zone
   * @throws {RangeError} for anything that is not an instant of the years 1970 to 9999
   * @example sim.clock.set('2030-12-05T00:00:00Z')
   */
  set(instant: Date | number | string): void;
  /** Stops the clock where it is; `advance` and `set` still move it. */
  freeze(): void;
  /** Lets the clock run on from where it is. */
  resume(): void;
  /**
   * Waits until the clock has moved on by `ms`: in real time while it runs, by `advance` and `set` at any time.
   * @param ms may be `Infinity`: until the signal or a reset ends it
   * @throws the reason of `signal` when that is aborted, and an error when the simulator is reset or restored meanwhile
   */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

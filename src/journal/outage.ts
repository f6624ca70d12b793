/**
 * A period in which requests were refused without a journal entry. Times are Unix milliseconds of the simulator's
 * clock.
 */
export interface Outage {
  readonly fromMs: number;
  readonly toMs: number;
  /** Number of requests that got a 503. */
  readonly refused: number;
}

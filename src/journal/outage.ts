/**
 * A period in which a server refused requests without recording them. Times are Unix milliseconds of the simulator's
 * clock.
 */
export interface Outage {
  readonly fromMs: number;
  readonly toMs: number;
  /** Number of requests that got a 503 during the outage. */
  readonly refused: number;
}

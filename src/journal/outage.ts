/** A time in which requests were refused that the journal does not show. Instants are Unix milliseconds of the simulator's clock. */
export interface Outage {
  readonly fromMs: number;
  readonly toMs: number;
  /** How many requests got a 503. */
  readonly refused: number;
}

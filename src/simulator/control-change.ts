/** A change that somebody made by a control operation. Instants are Unix milliseconds of the simulator's clock. */
export interface ControlChange {
  /** Counted from 1. */
  readonly number: number;
  /** The instant before and after it, which differ where it moved the clock. */
  readonly beforeMs: number;
  readonly atMs: number;
  /** The id of the last request that had arrived before it. */
  readonly lastId: number;
  /** `POST /clock`. */
  readonly request: string;
  /** Its input in short: `advance 61s`. */
  readonly input: string;
  /** Who sent it: what the caller calls itself. */
  readonly by: string;
}

/** The last changes of one simulator, the newest last, and how many there have been. */
export interface ControlChanges {
  count: number;
  last: readonly ControlChange[];
}

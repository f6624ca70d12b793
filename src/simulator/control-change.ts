/** A change made by a control operation. Times are Unix milliseconds of the simulator's clock. */
export interface ControlChange {
  /** Number of the change, counted from 1. */
  readonly number: number;
  /** Time before the change. Differs from `atMs` if the change moved the clock. */
  readonly beforeMs: number;
  /** Time after the change. */
  readonly atMs: number;
  /** Id of the last request that arrived before the change. */
  readonly lastId: number;
  /** Method and path of the control operation, such as `POST /clock`. */
  readonly request: string;
  /** Summary of the input, such as `advance 61s`. */
  readonly input: string;
  /** Name of the caller: X-Sim-Caller, otherwise User-Agent. */
  readonly by: string;
}

/** Latest changes of one simulator, newest last, and the number of all changes. */
export interface ControlChanges {
  count: number;
  last: readonly ControlChange[];
}

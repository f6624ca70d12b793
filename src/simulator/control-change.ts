/**
 * A change to a simulator made by a control operation, such as a moved clock. Times are Unix milliseconds of the
 * simulator's clock.
 */
export interface ControlChange {
  /** Number of the change in the simulator's list of changes, counted from 1. */
  readonly number: number;
  /**
   * Time of the simulator's clock before the control operation. Differs from `atMs`, the time after the operation, if
   * the operation moved the clock.
   */
  readonly beforeMs: number;
  /** Time of the simulator's clock after the control operation. */
  readonly atMs: number;
  /** Id of the last API request that arrived before the control operation. */
  readonly lastId: number;
  /** Method and path of the control operation that changed the simulator, such as `POST /clock`. */
  readonly request: string;
  /** Summary of the control operation's input, such as `advance 61s`. */
  readonly input: string;
  /** Name of the program that called the control operation, from the header X-Sim-Caller, otherwise User-Agent. */
  readonly by: string;
}

/** Latest changes made to a simulator by control operations, newest last, and the number of all such changes. */
export interface ControlChanges {
  count: number;
  last: readonly ControlChange[];
}

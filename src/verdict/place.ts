/** What one client does with one API key: the requests whose order can be compared. */
export interface Lane {
  readonly token: string | undefined;
  /**
   * Whether its requests never overlapped in time, so that each follows from the answer before it, on whatever
   * connection.
   */
  isOneThread: boolean;
  /** How many callers the scenario says run side by side: where there are several, they may queue for a connection. */
  readonly callers: number;
}

/** What the judge says of a request by its place in the run. */
export interface Place {
  readonly lane: Lane;
  /** Counted up each time the clock was set back; instants of two eras cannot be compared. */
  readonly era: number;
  /** The same for requests that may be one call tried again: key, method, path, query, body and `X-Sim-Call`. */
  readonly fingerprint: number;
}

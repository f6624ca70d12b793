/** What one client does with one API key: the requests whose order can be compared. */
export interface Lane {
  readonly token: string | undefined;
  /**
   * Whether its requests never overlapped in time, so that each follows from the answer before it, on whatever
   * connection.
   */
  isOneThread: boolean;
  /** Whether the scenario says that calls run side by side: then those on one connection may have queued for it. */
  readonly isParallel: boolean;
}

/** What the judge says of a request by its place in the run. */
export interface Place {
  readonly lane: Lane;
  /** Counted up each time the clock was set back; instants of two eras cannot be compared. */
  readonly era: number;
  /** The same for requests that may be one call tried again: key, method, path, query, body and `X-Sim-Call`. */
  readonly fingerprint: number;
}

/** What one client does with one API key: the requests whose order can be compared. */
export interface Lane {
  readonly token: string | undefined;
  /** Counted up each time the clock was set back; instants of two eras cannot be compared. */
  readonly era: number;
  /** The same for all lanes of one key in one era; counted from 0. */
  readonly series: number;
  /** Name of the client: its first `User-Agent`. Another one on the same connection is of the same client. */
  readonly client: string | undefined;
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
  /**
   * The same for requests that may be one call tried again: those with one key and method that have the same name in
   * `X-Sim-Call` and the same client, or without a name the same path, query and body. Counted from 0 in the order in which
   * they first came.
   */
  readonly fingerprint: number;
  /** The body of the request as text; empty where there was none. */
  readonly requestText: string;
}

/** Something for each lane, made when it is first asked for. Mostly requests of one lane follow one another. */
export class ByLane<State> {
  readonly #states = new Map<Lane, State>();
  readonly #create: () => State;
  #lane: Lane | undefined;
  #state: State | undefined;

  constructor(create: () => State) {
    this.#create = create;
  }

  of(lane: Lane): State {
    if (lane === this.#lane) return this.#state as State;
    let state = this.#states.get(lane);
    if (state === undefined) {
      state = this.#create();
      this.#states.set(lane, state);
    }
    this.#lane = lane;
    this.#state = state;
    return state;
  }
}

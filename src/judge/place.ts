/** A lane: the requests of one client with one API key in one era. Only within a lane, order is meaningful. */
export interface Lane {
  readonly token: string | undefined;
  /** Number of clock resets before. Times of different eras cannot be compared. */
  readonly era: number;
  /** Number shared by all lanes of one key in one era, counted from 0. */
  readonly series: number;
  /**
   * Name of the client: its first `User-Agent`. A later User-Agent on the same connection belongs to the same client.
   */
  readonly client: string | undefined;
  /** Whether the lane's requests never overlapped, so that each followed the previous response, on any connection. */
  isSequential: boolean;
  /** Declared number of concurrent callers. Several callers may queue for a connection. */
  readonly callers: number;
}

/** Position of a request in the run. */
export interface Place {
  readonly lane: Lane;
  /**
   * Number shared by requests that may be attempts of one call: same key and method, and the same `X-Sim-Call` and
   * client, or without a name the same path, query and body. Counted from 0 in order of arrival.
   */
  readonly fingerprint: number;
  /** Request body as text; empty without a body. */
  readonly requestText: string;
}

/** State per lane, created on demand. Optimized for consecutive requests of one lane. */
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

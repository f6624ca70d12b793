/**
 * A lane: requests of one client with one API key, between two steps of the clock back. Requests of different lanes are
 * not compared by order.
 */
export interface Lane {
  readonly token: string | undefined;
  /** Number of times that the clock was set back before. Times before and after such a step cannot be compared. */
  readonly era: number;
  /**
   * Number of the API key, counted from 0, which all lanes (clients) with the key share. The key gets a new number when
   * the clock is set back.
   */
  readonly series: number;
  /**
   * Name of the client: the first `User-Agent` on its connection. A later User-Agent on the connection does not change
   * the name.
   */
  readonly client: string | undefined;
  /** Whether each request on this lane, such as a connection, was sent after the response to the previous request. */
  isSequential: boolean;
  /** Declared number of concurrent callers of the client. Several callers may queue for one connection. */
  readonly callers: number;
}

/**
 * Position of a request in the run: its lane (client and API key) and its fingerprint (a number that equal requests
 * share).
 */
export interface RunPosition {
  readonly lane: Lane;
  /**
   * Number that requests share if they may be attempts of one call, counted from 0. With `X-Sim-Call`: same key,
   * method, client and call name. Otherwise: same key, method, path, query and body.
   */
  readonly fingerprint: number;
  /** Request body as text; empty if the request has no body. */
  readonly requestText: string;
}

/**
 * State that is kept for each lane (client and API key), created at the first use. Repeated lookups of one lane are
 * fast.
 */
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

import { getOrCreate } from '../values/get-or-create.js';

/**
 * A session: the requests of one client with one API key. A new session begins when the clock is set back. Requests of
 * different sessions are not compared by order.
 */
export interface ClientSession {
  readonly token: string | undefined;
  /**
   * Number of times that the simulated clock was set back before this session (the requests of one client with one API
   * key). Times before and after a set-back cannot be compared.
   */
  readonly clockSetBacks: number;
  /**
   * Number of the API key within the run, from 0, which all sessions (clients) with the key share. After the clock was
   * set back, the key has a new number, because times before and after cannot be compared.
   */
  readonly series: number;
  /**
   * Name of the client: the first `User-Agent` on its connection. A later User-Agent on the connection does not change
   * the name.
   */
  readonly client: string | undefined;
  /** Whether the client sent each request of the session after the response to its previous request. */
  isSequential: boolean;
  /** Declared number of concurrent callers of the client. Several callers may queue for one connection. */
  readonly callers: number;
}

/** Session, fingerprint and body of a request in a client's run. Equal requests have the same fingerprint. */
export interface RunPosition {
  readonly session: ClientSession;
  /**
   * Number that equal requests share, because equal requests may be attempts of one call. Equal requests have the same
   * key, method, client and `X-Sim-Call`; without `X-Sim-Call`, the same key, method, path, query and body.
   */
  readonly fingerprint: number;
  /** Request body as text; empty if the request has no body. */
  readonly requestText: string;
  /**
   * Name that all attempts of the request's call share: the header `X-Sim-Call`, or those of AWS SDKs and of SDKs that
   * count their retries; `undefined` if the client does not name its calls.
   */
  readonly call: string | undefined;
}

/** State that is kept for each session, created at the first use. Repeated lookups of one session are fast. */
export class PerSession<State> {
  readonly #states = new Map<ClientSession, State>();
  readonly #create: () => State;
  #session: ClientSession | undefined;
  #state: State | undefined;

  constructor(create: () => State) {
    this.#create = create;
  }

  of(session: ClientSession): State {
    if (session !== this.#session) this.#state = getOrCreate(this.#states, session, this.#create);
    this.#session = session;
    return this.#state as State;
  }
}

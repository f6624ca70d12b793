import type { Clock } from '../clock/clock.js';
import type { JsonBytes } from '../values/json-bytes.js';
import type { Outcome, WireFault } from './outcome.js';

/** An operation of the user's own, whose function runs in the adapter. */
export interface Route {
  readonly operation: string;
  /**
   * Runs the function, without waiting for it. Absent in a replayed log, which has the outcome.
   * @param id of the request in the journal; for the outcome, which follows by `finishRoute` of the simulator's core
   * @param isWhole whether a fault changes or delays the response, so that its body is read to the end first
   */
  readonly start?: ((id: number, isWhole: boolean) => void) | undefined;
}

/** One request to the API as plain data; every adapter makes one. */
export interface ApiCall {
  method: string;
  /** Below the base path, without the query: `/pets`, `/pets/7`. As sent, but for `decodeUnreserved`. */
  path: string;
  /** As sent, without the question mark; empty when there is none. */
  query: string;
  /** What the client calls the base address, for links: `http://127.0.0.1:4010/v1`. */
  baseUrl: string;
  /** The path of the service, if it is not `/v1`: the end of `baseUrl`, or what an adapter has there in its place. */
  readonly basePath?: string | undefined;
  /** One header by its lower-case name; repeated ones joined by a comma and a space. */
  header(name: string): string | undefined;
  /** The bytes of the body; an adapter may stop reading one byte past `maximumBodyBytes`. */
  body: Uint8Array | undefined;
  /** A number of the connection, where the adapter knows it: requests on one HTTP/1.1 connection follow one another. */
  connection?: number | undefined;
  /** Whether the adapter holds an answer that tells a client to wait back for a moment: then it has `sent`. */
  readonly holdsRefusals?: boolean | undefined;
  /** By the simulator's clock, where the request had to wait before it could be handled. */
  readonly arrivedAtMs?: number | undefined;
  /** How many requests have arrived after this one already, which are handled after it. */
  readonly arrivedBehind?: number | undefined;
  /** Headers of the adapter itself for the answer and its journal entry. */
  readonly adapterHeaders?: Readonly<Record<string, string>> | undefined;
  /** Set for an operation of the user's own, which no service has. */
  readonly route?: Route | undefined;
  /** Aborted when the client has gone away; the delay of a fault ends then. */
  readonly signal?: AbortSignal | undefined;
}

/** The answer as plain data, with what the journal and the log report about it. */
export interface Answer {
  status: number;
  headers: Record<string, string>;
  body: string;
  /** The body in place of `body`, if it is not text or not yet complete; only of a route. */
  raw?: Outcome['raw'];
  /** Of a body that is answered again and again: the same object for the same body, so that an adapter can cache its bytes. */
  bodyKey?: object | undefined;
  /** `undefined` for a path or method that belongs to no operation. */
  operation: string | undefined;
  /** The API key of the request; `undefined` when it was refused with 401. */
  key: string | undefined;
  plan: string | undefined;
  /** The name of the fault rule that applied. */
  fault: string | undefined;
  /** What the adapter does to the bytes of the answer. */
  wire: WireFault | undefined;
  /** Of an answer that the adapter holds back: to be called when it is sent, with for how many milliseconds it was held. */
  sent?: ((heldMs: number) => void) | undefined;
  /**
   * Of an answer that is sent in pieces: to be called at its end, with whether the client was there for all of it, and with
   * the start of a body that was a stream.
   */
  finish?: ((isWhole: boolean, body?: JsonBytes) => void) | undefined;
}

/** What an adapter needs of a simulator. */
export interface ApiHandler {
  /** Answers one call: at once, or after the delay of a fault rule. */
  handle(call: ApiCall): Answer | Promise<Answer>;
  /** Times what a fault does to an answer on its way. */
  readonly clock: Clock;
}

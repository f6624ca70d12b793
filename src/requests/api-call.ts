import type { Clock } from '../clock/clock.js';
import type { JsonBytes } from '../values/json-bytes.js';
import type { Outcome, WireFault } from './outcome.js';

/** Custom operation, whose function runs in the adapter. */
export interface Route {
  readonly operation: string;
  /**
   * Starts the function and returns at once. Absent during log replay, because the log contains the outcome.
   * @param id journal id of the request, for the later call of `finishRoute` with the outcome
   * @param isWhole whether a fault changes or delays the response, so that the whole body is read first
   */
  readonly start?: ((id: number, isWhole: boolean) => void) | undefined;
}

/** A request to the API as plain data, created by every adapter. */
export interface ApiCall {
  method: string;
  /**
   * Path below the base path, without the query: `/pets`, `/pets/7`. Unreserved characters are decoded, see
   * `decodeUnreserved`.
   */
  path: string;
  /** Query as sent, without the question mark; empty if absent. */
  query: string;
  /** Base URL as the client sees it, for links: `http://127.0.0.1:4010/v1`. */
  baseUrl: string;
  /** Base path of the service, if not the first of the simulator's `basePaths`. */
  readonly basePath?: string | undefined;
  /** Returns a header by its lower-case name. Repeated headers are joined by a comma and a space. */
  header(name: string): string | undefined;
  /** Request body. An adapter may stop reading one byte past `maximumBodyBytes`. */
  body: Uint8Array | undefined;
  /** Connection number, if known. Requests on one HTTP/1.1 connection are sequential. */
  connection?: number | undefined;
  /**
   * Whether the adapter briefly delays responses that ask a client to wait. Such a response has the callback `sent`.
   */
  readonly holdsRefusals?: boolean | undefined;
  /** Arrival time in Unix milliseconds of the simulator's clock, if the request was queued before being handled. */
  readonly arrivedAtMs?: number | undefined;
  /** Number of later requests that have already arrived and are not handled yet. */
  readonly arrivedBehind?: number | undefined;
  /** Headers that the adapter adds to the response and the journal entry. */
  readonly adapterHeaders?: Readonly<Record<string, string>> | undefined;
  /** Custom operation, which belongs to no service. */
  readonly route?: Route | undefined;
  /** Aborted when the client disconnects, which ends the delay of a fault. */
  readonly signal?: AbortSignal | undefined;
}

/** Response as plain data, with details for the journal and the log. */
export interface Answer {
  status: number;
  headers: Record<string, string>;
  body: string;
  /** Replaces `body` if the body is binary or a stream. Only for a custom operation. */
  raw?: Outcome['raw'];
  /** Cache key shared by identical bodies, so that an adapter can cache the encoded bytes. */
  bodyKey?: object | undefined;
  /** Name of the operation; `undefined` if the path or method has none. */
  operation: string | undefined;
  /** API key of the request; `undefined` for a response with status 401. */
  key: string | undefined;
  plan: string | undefined;
  /** Name of the applied fault rule. */
  fault: string | undefined;
  /** Network fault that the adapter applies to the response bytes. */
  wire: WireFault | undefined;
  /** Callback for a delayed response, called at the time of sending with the delay in milliseconds. */
  sent?: ((heldMs: number) => void) | undefined;
  /**
   * Callback for a response in chunks, called at the end.
   * @param isWhole whether the client stayed connected until the end
   * @param body first bytes of a streamed body
   */
  finish?: ((isWhole: boolean, body?: JsonBytes) => void) | undefined;
}

/** Part of a simulator that an adapter uses. */
export interface ApiHandler {
  /** Responds to a request, at once or after the delay of a fault rule. */
  handle(call: ApiCall): Answer | Promise<Answer>;
  /** Clock that times network faults. */
  readonly clock: Clock;
  /** Base paths of the services, the main service's first: `/v1`. */
  readonly basePaths: readonly [main: string, ...others: string[]];
}

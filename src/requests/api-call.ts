import type { Clock } from '../clock/clock.js';
import type { JsonBytes } from '../values/json-bytes.js';
import type { SentKey } from '../values/key-place.js';
import type { Outcome } from './outcome.js';
import type { RefusalKind } from './request-record.js';
import type { WireFault } from './wire-fault.js';

/**
 * Custom operation added to the simulator, whose function runs in the adapter (the HTTP server or an in-process
 * client).
 */
export interface Route {
  readonly operation: string;
  /** Whether the request writes data. Default: whether its method is unsafe. */
  readonly isWrite?: boolean | undefined;
  /** Number of requests as which the request counts, unless the scenario states the cost of the operation. */
  readonly cost?: number | undefined;
  /**
   * Starts the custom operation's function without waiting for its outcome. `undefined` in a log replay, because the
   * log contains the outcome.
   * @param id journal id of the request, for the later call of `finishRoute` with the outcome
   * @param whole responses whose whole body the outcome must contain: `all` for a fault rule that changes or delays
   * the response, `json` for a cost that a field states
   * @param isLimited whether the plan's limits apply to the operation
   */
  readonly start?: ((id: number, whole: 'all' | 'json' | undefined, isLimited: boolean) => void) | undefined;
}

/**
 * A request to the API as plain data. The adapter that received the request (such as the HTTP server) creates the
 * object.
 */
export interface ApiCall {
  method: string;
  /**
   * Path of the request below the base path, without the query: `/pets`, `/pets/7`. Unreserved characters are decoded,
   * see `decodeUnreserved`.
   */
  path: string;
  /** Query of the request as sent, without the question mark; empty if absent. */
  query: string;
  /** Base URL of the API as the client sees it, for links in responses: `http://127.0.0.1:4010/v1`. */
  baseUrl: string;
  /** Base path that the request's URL began with, if not the first of the simulator's `basePaths`. */
  readonly basePath?: string | undefined;
  /** Returns a request header by its lower-case name. Repeated headers are joined by a comma and a space. */
  header(name: string): string | undefined;
  /** All request headers by lower-case name, of which the journal records some. Default: none. */
  readonly headers?: Readonly<Record<string, string | undefined>> | undefined;
  /**
   * Request body. If a body exceeds `maximumBodyBytes`, the adapter (HTTP server, msw or fetch) may stop reading one
   * byte past the maximum.
   */
  body: Uint8Array | undefined;
  /** Length and hash of the whole body, if `body` has only its start. */
  readonly wholeBody?: string | undefined;
  /** Number of the client's connection, if known. Requests on one HTTP/1.1 connection are sequential. */
  connection?: number | undefined;
  /**
   * Whether the HTTP server delays responses that ask a client to wait, such as a 429, by 20 ms. The client's parallel
   * requests then arrive first.
   */
  readonly holdsRefusals?: boolean | undefined;
  /** Whether the adapter reads the field `utf8` of the response. */
  readonly sendsUtf8?: boolean | undefined;
  /** Number of later requests that have arrived, but are still queued, when this request is handled. */
  readonly arrivedBehind?: number | undefined;
  /** Headers that the HTTP server, msw or fetch adapter adds to the response and to the request's journal entry. */
  readonly adapterHeaders?: Readonly<Record<string, string>> | undefined;
  /** API key of a request from the log, which omits the credential if the scenario or the service has `keyFrom`. */
  readonly sentKey?: SentKey | undefined;
  /** User-defined route that responds to the request instead of the simulated API. */
  readonly route?: Route | undefined;
  /** Signal aborted when the client disconnects. Ends a delay that a fault added to the response. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Response of the simulator as plain data. Also contains fields for the journal, such as the operation and the key, and
 * instructions for sending.
 */
export interface Answer {
  status: number;
  headers: Record<string, string>;
  body: string;
  /** UTF-8 of `body`, one character per byte, if known and the call asks for it: the adapter then need not encode the text. */
  utf8?: Outcome['utf8'];
  /** Binary body or stream of a custom operation's response, sent instead of `body`. */
  raw?: Outcome['raw'];
  /** Name of the requested operation; `undefined` if the path or method belongs to no operation. */
  operation: string | undefined;
  /** API key with which the request was authenticated; `undefined` if the authentication failed with a 401. */
  key: string | undefined;
  plan: string | undefined;
  /** Reason of a refusal by a limit or a ban. */
  refusal?: RefusalKind | undefined;
  /** Number of requests as which the request counts; `undefined` for one. */
  cost?: number | undefined;
  /** Name of the fault rule that was applied to the response, if any. */
  fault: string | undefined;
  refusedBy?: Outcome['refusedBy'];
  /**
   * Network fault, such as a closed connection, that the HTTP server, the msw handlers or the `fetch` function apply
   * while they send the response.
   */
  wire: WireFault | undefined;
  /**
   * Callback that the server calls with the actual delay, in milliseconds, when it sends a delayed response, such as a
   * 429.
   */
  sent?: ((heldMs: number) => void) | undefined;
  /**
   * Callback for the end of a response that is sent in chunks: its last chunk, or the client's disconnect.
   * @param isWhole whether the client stayed connected until the end
   * @param body first bytes of a streamed body, for the journal
   */
  finish?: ((isWhole: boolean, body?: JsonBytes) => void) | undefined;
}

/** The members of a simulator that an adapter, such as the HTTP server, needs to serve requests. */
export interface ApiHandler {
  /** Responds to a request, at once or after the delay of a fault rule. */
  handle(call: ApiCall): Answer | Promise<Answer>;
  /** Clock of the simulator, which times network faults. */
  readonly clock: Clock;
  /** Base paths of the simulator's services, such as `/v1`. The main service's path is first. */
  readonly basePaths: readonly [main: string, ...others: string[]];
}

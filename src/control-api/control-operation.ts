import type { Simulator } from '../simulator/simulator.js';
import type { AnySchema, Input, Output, Schema } from '../validation/schema.js';
import type { Steps } from '../values/steps.js';
import type { CustomRoutesDescription } from './custom-routes-description.js';
import type { EntryFeed } from './entry-stream.js';

/** Health of a server's log. */
export interface LogHealth {
  /** Position in the log of the last entry that this server has applied. */
  position: number;
  /** Log position of the newest snapshot; 0 without a snapshot. */
  snapshotPosition: number;
  /**
   * Problems found when the server opened the log that stores its state (`--data`): lost entries, unreadable files,
   * entries of another version. Empty without problems.
   */
  notices: readonly string[];
  /** Kind of the store of a log that several servers share; absent for a log in a folder. */
  engine?: 'redis' | undefined;
  /** Name of the log that several servers share in Redis. */
  name?: string;
  /** Address of the active server, which responds to all requests: `127.0.0.1:4010`. */
  active?: string;
  /** Time at which the active server took over, by the store's clock (Unix time). */
  activeSinceMs?: number;
  /** Time since the store's last reply. */
  silentMs?: number;
}

/**
 * Caller of a control operation, as known to an HTTP server. All fields are undefined for calls in the same process.
 */
export interface Caller {
  /** Signal that is aborted when the caller disconnects, or when the simulator or the server closes. */
  readonly signal?: AbortSignal | undefined;
  /** API URL of the simulator, as the caller reaches it: `http://127.0.0.1:4010/v1`. */
  readonly baseUrl?: string;
  /** Control URL of the simulator, as the caller reaches it: `http://127.0.0.1:4010/__sim`. */
  readonly controlUrl?: string;
  /** OpenAPI description of the server's custom routes. */
  readonly openapi?: CustomRoutesDescription | undefined;
  /**
   * Name of the program that calls the control operations, for the dashboard's list of changes. Default: `this
   * process`.
   */
  readonly name?: string | undefined;
  /**
   * Health report of the log in which the server stores requests and changes; `undefined` for a server without a log.
   */
  readonly log?: LogHealth | undefined;
  /** Random identifier of this server process, which changes at each start. */
  readonly instance?: string;
}

/** Return type of a control operation: one value of type `Out`, or several as a stream or as text. */
type Returned<Out> = Out | Promise<Out> | AsyncIterable<Out> | string;

/** One operation of the control API. Each is available as a function of `createControl` and as an HTTP request. */
export interface ControlOperation<Target, In extends AnySchema, Out, Result extends Returned<Out>> {
  /** HTTP method of the control operation: GET if the operation only reads, another method if it changes state. */
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Path below the control URL. A part in braces is the input field of that name. */
  readonly path: string;
  /** Summary of the operation for descriptions, without a full stop at the end. */
  readonly summary: string;
  /** Schema of the operation's input: path parameters, query and body in one flat object. */
  readonly input: In;
  /** Schema of the input for one target, such as a simulator whose own services add conditions. Default: `input`. */
  inputOf?(target: Target): Schema<Output<In>, unknown>;
  /** Example of the operation's input, with which the operation succeeds on a simulator with the default scenario. */
  readonly example?: Input<In>;
  /** Schema of the operation's result. For NDJSON or an event stream, schema of one line or event. */
  readonly result: Schema<Out, unknown>;
  /** Response status of the operation over HTTP. Default 200. */
  readonly status?: 201;
  /** Media type of a result that is text or a stream of entries. Default: JSON. */
  readonly contentType?: 'application/x-ndjson' | 'text/event-stream';
  /** Event name of the operation's results in its stream of server-sent events (field `event`). */
  readonly eventName?: string;
  /** Error statuses that only this operation has, such as 409 for a conflict or 503 for a reached limit. */
  readonly refusals?: readonly (404 | 409 | 503)[];
  /**
   * Name of the input field that is the body of an HTTP request as it is, such as the content of a file. The other
   * fields of the input are in the query. Default: the body is a JSON object with all fields.
   */
  readonly bodyField?: string;
  /** Maximum size of the body of an HTTP request for this control operation, in bytes. Default 5 MiB. */
  readonly maximumBytes?: number;
  /**
   * Whether the operation changes nothing, although its method is not GET because its input does not fit into a URL. The
   * server neither logs such an operation nor lists it among the changes.
   */
  readonly isRead?: true;
  /** Advice that follows the message about a body above the maximum size. */
  readonly ifTooLarge?: string;
  /** Whether the operation affects no later request. The dashboard's list of changes omits such an operation. */
  readonly isQuiet?: true;
  /**
   * Whether the operation responds at once. Other read operations respond only after the server has logged and applied
   * all earlier changes.
   */
  readonly isAtOnce?: true;
  /** Whether the operation may take seconds, as one that waits for requests. It is cancelled when the caller disconnects. */
  readonly isLong?: true;
  /**
   * Runs the control operation, and returns its result. Alternatively returns a generator that computes the result in
   * steps; the server handles other requests between two steps. Large parts of the result may be lazy: computed piece
   * by piece while the server sends the response.
   */
  run(target: Target, input: Output<In>, caller: Caller): Result | Steps<Result>;
  /** Streams journal entries over HTTP as JSON text, without an object for each entry. */
  feed?(target: Target, input: Output<In>): EntryFeed;
}

/** Control operation with any input and result. Its target is a simulator, or the server's sandboxes. */
// biome-ignore lint/suspicious/noExplicitAny: inputs and results differ from one operation to the next
export type AnyControlOperation<Target = any> = ControlOperation<Target, any, any, any>;

/** Returns an operation on a simulator unchanged; TypeScript infers its input and result types from the argument. */
export const operation = <In extends AnySchema, Out, Result extends Returned<Out>>(
  of: ControlOperation<Simulator, In, Out, Result>,
) => of;

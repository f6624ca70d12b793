import type { Outage } from '../journal/outage.js';
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
   * Problems found when the log was opened: lost entries, unreadable files, entries of another version. Empty without
   * problems.
   */
  notices: readonly string[];
  /** Engine of the log: `redis` if several replicas share it. */
  engine?: 'redis' | undefined;
  /** Name of the shared log, and name of this replica among its writers. */
  name?: string;
  replica?: string;
  /** Names of the live replicas: the servers that wrote to the shared log within the last ten seconds. */
  replicas?: readonly string[];
  /** Time at which the last applied entry was written, in Unix milliseconds of the store's clock. */
  atMs?: number;
  /** Time since this replica had last applied every entry of the log, in milliseconds; 0 if it is up to date. */
  lagMs?: number;
  /** Whether this replica cannot reach the store, so that reads may return old state. */
  stale?: boolean;
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
  /** Periods in which this server could not store requests, if the journal does not contain them yet. Default: none. */
  readonly outages?: (() => readonly Outage[]) | undefined;
  /** Random identifier of this server process, which changes at each start. */
  readonly instance?: string;
}

/** Return type of an operation: a value of type `Out`, or a text or stream of such values. */
type Returned<Out> = Out | Promise<Out> | AsyncIterable<Out> | string;

/** One operation of the control API. Each is available as a function of `createControl` and as an HTTP request. */
export interface ControlOperation<Target, In extends AnySchema, Out, Result extends Returned<Out>> {
  /** GET for an operation that only reads; another method for one that changes state. */
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Path below the control URL. A part in braces is the input field of that name. */
  readonly path: string;
  /** Summary of the operation for descriptions: one sentence without a full stop. */
  readonly summary: string;
  /** Schema of the operation's input: path parameters, query and body in one flat object. */
  readonly input: In;
  /** Example of an input that works on the default scenario. */
  readonly example?: Input<In>;
  /** Schema of the operation's result. For text and streams, schema of one item. */
  readonly result: Schema<Out, unknown>;
  /** Response status of the operation over HTTP. Default 200. */
  readonly status?: 201;
  /** Media type of a result that is text or a stream of entries. Default: JSON. */
  readonly contentType?: 'application/x-ndjson' | 'text/event-stream';
  /** Event name of the operation's results in its stream of server-sent events (field `event`). */
  readonly eventName?: string;
  /** Error statuses that only this operation has, such as 409 for a conflict or 503 for a reached limit. */
  readonly refusals?: readonly (404 | 409 | 503)[];
  /** Maximum size of the body of an HTTP request for this control operation, in bytes. Default 5 MiB. */
  readonly maximumBytes?: number;
  /** Whether the operation affects no later request. Such an operation is missing from the list of changes. */
  readonly isQuiet?: true;
  /** Whether the operation responds without waiting until the log has stored earlier changes. */
  readonly isAtOnce?: true;
  /** Whether the operation waits for future requests. The server then cancels it when the caller disconnects. */
  readonly isLong?: true;
  /**
   * Runs the operation. A generator works in steps, and the server handles other requests between two steps. Large
   * parts of the result may be lazy.
   */
  run(target: Target, input: Output<In>, caller: Caller): Result | Steps<Result>;
  /**
   * Streams journal entries over HTTP as JSON text, which takes a fraction of the time of the entry objects that `run`
   * returns.
   */
  feed?(target: Target, input: Output<In>): EntryFeed;
}

/** Control operation with any input and result. Its target is a simulator, or the server's sandboxes. */
// biome-ignore lint/suspicious/noExplicitAny: inputs and results differ from one operation to the next
export type AnyControlOperation<Target = any> = ControlOperation<Target, any, any, any>;

/** Returns an operation on a simulator unchanged; TypeScript infers its input and result types from the argument. */
export const operation = <In extends AnySchema, Out, Result extends Returned<Out>>(
  of: ControlOperation<Simulator, In, Out, Result>,
) => of;

import type { Outage } from '../journal/outage.js';
import type { Simulator } from '../simulator/simulator.js';
import type { AnySchema, Input, Output, Schema } from '../validation/schema.js';
import type { Steps } from '../values/steps.js';
import type { EntryFeed } from './entry-stream.js';
import type { OwnDescription } from './own-description.js';

/** Health of a server's log. */
export interface LogHealth {
  /** Position of the last applied entry. */
  position: number;
  /** Position of the newest snapshot, 0 for none. */
  snapshotPosition: number;
  /** Losses, files set aside and other versions found at the start; empty without any. */
  notices: readonly string[];
  /** Engine of the log: `redis` if several replicas share it. */
  engine?: 'redis' | undefined;
  /** Name of a shared log, and of this replica in it. */
  name?: string;
  replica?: string;
  /** Live replicas: those with an entry in the last ten seconds. */
  replicas?: readonly string[];
  /** Time of the last applied entry, in Unix milliseconds of the store's clock. */
  atMs?: number;
  /** Time since all entries were last known to be applied, in milliseconds; 0 if they are now. */
  lagMs?: number;
  /** Whether the store is unreachable, so that reads may be stale. */
  stale?: boolean;
}

/** Caller of an operation over HTTP. All fields are undefined for calls in the same process. */
export interface Caller {
  /** Aborted when the caller disconnects, or when the simulator or the server closes. */
  readonly signal?: AbortSignal | undefined;
  /** API URL of the simulator, as the caller reaches it: `http://127.0.0.1:4010/v1`. */
  readonly baseUrl?: string;
  /** Control URL of the simulator, as the caller reaches it: `http://127.0.0.1:4010/__sim`. */
  readonly controlUrl?: string;
  /** Description of the server's custom routes. */
  readonly openapi?: OwnDescription | undefined;
  /** Name of the caller. Default: `this process`. */
  readonly name?: string | undefined;
  /** Health of the server's log, if any. */
  readonly log?: LogHealth | undefined;
  /** Outages that the journal does not have yet. Default: none. */
  readonly outages?: (() => readonly Outage[]) | undefined;
  /** Identifier of this start of the server. */
  readonly instance?: string;
}

/** Return types of an operation with results of type `Out`; text and streams contain one `Out` per item. */
type Returned<Out> = Out | Promise<Out> | AsyncIterable<Out> | string;

/** One operation of the control API: a function of `createControl`, and a request over HTTP. */
export interface ControlOperation<Target, In extends AnySchema, Out, Result extends Returned<Out>> {
  /** GET for an operation that only reads; another method for one that changes state. */
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Path below the control URL. A part in braces is the input field of that name. */
  readonly path: string;
  /** Summary for the descriptions: one sentence without a full stop. */
  readonly summary: string;
  /** Path, query and body in one flat object. */
  readonly input: In;
  /** An input that works on the default scenario. */
  readonly example?: Input<In>;
  /** Schema of the result; of text and streams, of one item. */
  readonly result: Schema<Out, unknown>;
  /** Response status over HTTP. Default 200. */
  readonly status?: 201;
  /** Media type of a result that is text or a stream of entries. Default: JSON. */
  readonly contentType?: 'application/x-ndjson' | 'text/event-stream';
  /** Event name of a stream. */
  readonly eventName?: string;
  /** Statuses of refusals besides those that every operation can have: a conflict, or a limit that is reached. */
  readonly refusals?: readonly (404 | 409 | 503)[];
  /** Largest request body over HTTP. Default 5 MiB. */
  readonly maximumBytes?: number;
  /** Whether it changes nothing that affects a request, and is therefore not recorded as a change. */
  readonly isQuiet?: true;
  /** Whether it responds at once, without waiting for pending writes. */
  readonly isAtOnce?: true;
  /** Whether it waits, and therefore needs the caller's signal. */
  readonly isLong?: true;
  /**
   * Runs the operation. Long work is done in steps, between which a server handles other requests; large parts of the
   * result may be lazy.
   */
  run(target: Target, input: Output<In>, caller: Caller): Result | Steps<Result>;
  /** Stream of entries as JSON text, several times cheaper than entry objects. HTTP uses this stream. */
  feed?(target: Target, input: Output<In>): EntryFeed;
}

/** Any operation on a target. */
// biome-ignore lint/suspicious/noExplicitAny: inputs and results differ from one operation to the next
export type AnyControlOperation<Target = any> = ControlOperation<Target, any, any, any>;

/** Infers the types of an operation on a simulator. */
export const operation = <In extends AnySchema, Out, Result extends Returned<Out>>(
  of: ControlOperation<Simulator, In, Out, Result>,
) => of;

import type { AnySchema, Input, Output, Schema } from '../schema/schema.js';
import type { Simulator } from '../simulator/simulator.js';
import type { Outage } from '../state/outage.js';
import type { Steps } from '../values/steps.js';
import type { EntryTexts } from './entry-stream.js';

/** How far the log of a server is. */
export interface LogHealth {
  /** The position of the last entry that is applied. */
  position: number;
  /** The position of the newest snapshot; 0: none. */
  snapshotPosition: number;
  /** What was found at the start: what was lost, set aside or written by another version. Empty when all was well. */
  notices: readonly string[];
  /** What keeps it: `redis` where several replicas share it. */
  engine?: 'redis' | undefined;
  /** The name of a shared log, and what this replica is called in it. */
  name?: string;
  replica?: string;
  /** The replicas that have written in the last ten seconds or so. */
  replicas?: readonly string[];
  /** The instant of the last entry that is applied, in Unix milliseconds of the store. */
  atMs?: number;
  /** For how many milliseconds it has not been known that everything is applied; 0: it is. */
  lagMs?: number;
  /** Whether the store cannot be reached, so that what is read here may be old. */
  stale?: boolean;
}

/** Who calls an operation over HTTP. In this process nothing of it is set. */
export interface Caller {
  /** Aborted when the caller has gone, or when the simulator or the server closes. */
  readonly signal?: AbortSignal | undefined;
  /** Where the caller reaches the API of the simulator: `http://127.0.0.1:4010/v1`. */
  readonly baseUrl?: string;
  /** Where the caller reaches the control API of the simulator: `http://127.0.0.1:4010/__sim`. */
  readonly controlUrl?: string;
  /** What the caller calls itself. Default: `this process`. */
  readonly name?: string | undefined;
  /** The log of the server, where it has one. */
  readonly log?: LogHealth | undefined;
  /** Gives when requests were refused that the journal shows neither as entries nor as `outages` yet. Default: never. */
  readonly outages?: (() => readonly Outage[]) | undefined;
  /** Tells one start of the server from the next. */
  readonly instance?: string;
}

/** What an operation may return for a result of type `Out`; text and streams hold `Out` item by item. */
type Returned<Out> = Out | Promise<Out> | AsyncIterable<Out> | string;

/** One operation of the control API: a function of `createControl`, and a request over HTTP. */
export interface ControlOperation<Target, In extends AnySchema, Out, Result extends Returned<Out>> {
  /** GET where the operation only reads, and never where it changes something. */
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Below the control URL. A part in braces is the field of the input with that name. */
  readonly path: string;
  /** What the operation does, for the descriptions: one sentence without a full stop. */
  readonly summary: string;
  /** Path, query and body in one flat object. */
  readonly input: In;
  /** An input that works on the default scenario. */
  readonly example?: Input<In>;
  /** What the operation gives; of text and streams one item. */
  readonly result: Schema<Out, unknown>;
  /** Status of the answer over HTTP. Default 200. */
  readonly status?: 201;
  /** Media type of a result that is text or a stream of entries. Default: JSON. */
  readonly contentType?: 'application/x-ndjson' | 'text/event-stream';
  /** What an event of a stream is called. */
  readonly eventName?: string;
  /** Statuses of refusals besides those that every operation can have: a conflict, or a limit that is reached. */
  readonly refusals?: readonly (404 | 409 | 503)[];
  /** Largest request body over HTTP. Default 5 MiB. */
  readonly maximumBytes?: number;
  /** Where it changes nothing that a request could see, so that it is not among the changes of the simulator. */
  readonly isQuiet?: true;
  /** Whether it is answered at once, whatever is being written. */
  readonly isAtOnce?: true;
  /** Whether it waits, so that it needs the signal of the caller. */
  readonly isLong?: true;
  /**
   * Does it, in steps where it takes long: HTTP serves other requests between them. A large part of the result may be a
   * `lazyList`.
   */
  run(target: Target, input: Output<In>, caller: Caller): Result | Steps<Result>;
  /** A stream of entries as texts, which cost a fraction of the entries. HTTP sends it so. */
  texts?(target: Target, input: Output<In>): EntryTexts;
}

/** Any operation on a target, for code that treats all operations alike. */
// biome-ignore lint/suspicious/noExplicitAny: inputs and results differ from one operation to the next
export type AnyControlOperation<Target = any> = ControlOperation<Target, any, any, any>;

/** An operation on a simulator, with its types. */
export const operation = <In extends AnySchema, Out, Result extends Returned<Out>>(
  of: ControlOperation<Simulator, In, Out, Result>,
) => of;

import type { AnySchema, Output } from '../schema/schema.js';
import type { Simulator } from '../simulator/simulator.js';

/** One operation of the control API: a function of `createControl`, and a request over HTTP. */
export interface ControlOperation<Target, Schema extends AnySchema, Result> {
  /** GET where the operation only reads, and never where it changes something. */
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Below `/__sim`. A part in braces is the field of the input with that name. */
  readonly path: string;
  /** What the operation does, for the descriptions: one sentence without a full stop. */
  readonly summary: string;
  /** Path, query and body in one flat object. */
  readonly input: Schema;
  /** Status of the answer over HTTP. Default 200. */
  readonly status?: 201;
  /** Media type of a result that is text or a stream of entries. Default: JSON. */
  readonly contentType?: 'application/x-ndjson' | 'text/event-stream';
  /** Largest request body over HTTP. Default 5 MiB. */
  readonly maximumBytes?: number;
  /** Whether it waits, so that it needs a signal that the caller has gone. */
  readonly isLong?: true;
  /** @param signal only for a long operation: aborted when the caller has gone */
  run(target: Target, input: Output<Schema>, signal?: AbortSignal): Result;
}

/** Any operation on a target, for code that treats all operations alike. */
// biome-ignore lint/suspicious/noExplicitAny: inputs and results differ from one operation to the next
export type AnyControlOperation<Target = any> = ControlOperation<Target, any, unknown>;

/** An operation on a simulator, with its types. */
export const operation = <Schema extends AnySchema, Result>(of: ControlOperation<Simulator, Schema, Result>) => of;

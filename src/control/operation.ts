import type { AnySchema, Output } from '../schema/schema.js';
import type { Simulator } from '../simulator/simulator.js';

/** One control operation: a function in-process and a request over HTTP. */
export interface Operation<Target, Schema extends AnySchema, Result> {
  /** What only reads is GET; nothing else may be. */
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Below `/__sim`; a part in braces is the field of the input with that name. */
  readonly path: string;
  /** One sentence for people, without a full stop. */
  readonly summary: string;
  /** Path, query and body in one flat object. */
  readonly input: Schema;
  /** Status of the answer over HTTP. Default 200. */
  readonly status?: 201;
  /** The type of a result that is text, or a stream of entries. Default: JSON. */
  readonly contentType?: 'application/x-ndjson' | 'text/event-stream';
  /** Largest body over HTTP. Default 5 MiB. */
  readonly maximumBytes?: number;
  /** Whether it may take its time, so that it has to be told when whoever asked is gone. */
  readonly isLong?: true;
  /** @param signal of a long one: aborted when whoever asked is gone */
  run(target: Target, input: Output<Schema>, signal?: AbortSignal): Result;
}

/** Any operation on a target, for code that does not care which. */
// biome-ignore lint/suspicious/noExplicitAny: inputs and results differ from one operation to the next
export type AnyOperation<Target = any> = Operation<Target, any, unknown>;

/** An operation on a simulator, with its types. */
export const operation = <Schema extends AnySchema, Result>(of: Operation<Simulator, Schema, Result>) => of;

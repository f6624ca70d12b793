import type { AnySchema, Input } from '../schema/schema.js';
import type { Operation } from './operation.js';
import type { operations } from './operations.js';
import type { sandboxOperations } from './sandbox-operations.js';

/** The input, which may be left out where every field may. */
type Arguments<Of extends AnySchema> = Partial<Input<Of>> extends Input<Of> ? [input?: Input<Of>] : [input: Input<Of>];

/** Over HTTP every result has to be waited for; a stream is waited for entry by entry. */
type Remote<Result> = Result extends AsyncIterable<unknown> ? Result : Promise<Awaited<Result>>;

type Local<Of> =
  Of extends Operation<never, infer Schema, infer Result> ? (...args: Arguments<Schema>) => Result : never;
type Sent<Of> =
  Of extends Operation<never, infer Schema, infer Result> ? (...args: Arguments<Schema>) => Remote<Result> : never;

/** The control operations on a simulator in this process, by name. */
export type Control = { readonly [Name in keyof typeof operations]: Local<(typeof operations)[Name]> };

/** The same over HTTP. */
export type RemoteControl = { readonly [Name in keyof typeof operations]: Sent<(typeof operations)[Name]> };

/** The control of a server: of its own simulator, and of its sandboxes. */
export type ServerControl = RemoteControl & {
  readonly [Name in keyof typeof sandboxOperations]: Sent<(typeof sandboxOperations)[Name]>;
} & {
  /** The control of one sandbox, which must be there when an operation is called. */
  sandbox(name: string): RemoteControl;
};

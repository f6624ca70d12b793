import { type ApiError, errorBody } from './api-error.js';
import type { ErrorCode } from './error-codes.js';

/** What happens to the bytes of an answer. An adapter without a wire gives a network error or a broken stream instead. */
export type WireFault =
  | { kind: 'reset' }
  | { kind: 'close' }
  | { kind: 'hang' }
  /** Only this many bytes of the body, then the end of the connection. */
  | { kind: 'truncate'; bytes: number }
  /** The body in pieces, with a pause after each. */
  | { kind: 'drip'; bytes: number; everyMs: number }
  /** A Content-Length that is not the length of the body. */
  | { kind: 'contentLength'; value: number };

/** Whether it leaves a client without an answer, also to a HEAD: what is done to a body cannot be done to none. */
export const isWithoutAnswer = ({ kind }: WireFault) => kind === 'reset' || kind === 'close' || kind === 'hang';

/** What a request leads to: an answer before the headers that every answer carries. */
export interface Outcome {
  status: number;
  body: string;
  /** The body in place of `body`, if it is not text or not yet complete. */
  raw?: Uint8Array | ReadableStream<Uint8Array> | undefined;
  /** Where the same body is answered again and again: one object that stands for it. */
  bodyKey?: object | undefined;
  /** On top of those that every answer carries; `null` removes one. Several Set-Cookie are the lines of one. */
  headers?: Readonly<Record<string, string | null>> | undefined;
  /** A refusal over a limit or in a ban, which carries Retry-After. */
  isRefusal?: boolean;
  /** The id of what was stored. */
  storedId?: string | undefined;
  wire?: WireFault | undefined;
  /** The assumption that decided, where the document leaves the answer open. */
  assumption?: string | undefined;
}

/** The outcome of a request whose answer something else gives: a fault rule, or an extension. */
export const emptyOutcome: Outcome = { status: 200, body: '' };

/** What a scenario sends in place of the values of `code`. */
export interface ErrorSettings {
  readonly errorCodes: Readonly<Partial<Record<ErrorCode, string>>>;
}

/** The Error object, with the code that the assumption `errorCodes` gives it. */
export function errorOutcome(
  { status, code, message, headers, assumption }: ApiError,
  { errorCodes }: ErrorSettings,
): Outcome {
  return { status, body: errorBody({ code: errorCodes[code] ?? code, message, status }), headers, assumption };
}

/** RFC 9110 section 15: such an answer has no body. Node sends none, and `Response` takes none. */
export const statusesWithoutBody: readonly number[] = [204, 205, 304];

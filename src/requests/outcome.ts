import { type ApiError, errorBody } from './api-error.js';
import type { ErrorCode } from './error-codes.js';

/** Network fault of a response. In-process adapters return a network error or a failing stream instead. */
export type WireFault =
  | { kind: 'reset' }
  | { kind: 'close' }
  | { kind: 'hang' }
  /** Sends only this many bytes of the body, then closes the connection. */
  | { kind: 'truncate'; bytes: number }
  /** Sends the body in chunks of `bytes`, with a pause of `everyMs` milliseconds after each. */
  | { kind: 'drip'; bytes: number; everyMs: number }
  /** Sends a Content-Length that differs from the body length. */
  | { kind: 'contentLength'; value: number };

/** Whether the fault prevents any response, even to HEAD. Other faults affect only a body. */
export const isWithoutAnswer = ({ kind }: WireFault) => kind === 'reset' || kind === 'close' || kind === 'hang';

/** Result of a request: the response without the headers common to all responses. */
export interface Outcome {
  status: number;
  body: string;
  /** Replaces `body` if the body is binary or a stream. */
  raw?: Uint8Array | ReadableStream<Uint8Array> | undefined;
  /** Cache key shared by identical bodies. */
  bodyKey?: object | undefined;
  /** Additional headers; `null` removes a header. Several Set-Cookie headers are the lines of one value. */
  headers?: Readonly<Record<string, string | null>> | undefined;
  /** Whether the request is rejected for a limit or a ban, with a Retry-After header. */
  isRefusal?: boolean;
  /** Id of the stored resource. */
  storedId?: string | undefined;
  wire?: WireFault | undefined;
  /** Assumption that decided the response, if the document leaves the response open. */
  assumption?: string | undefined;
}

/** Placeholder outcome of a request whose response is set by a fault rule or an extension. */
export const emptyOutcome: Outcome = { status: 200, body: '' };

/** Scenario setting that replaces values of the Error field `code`. */
export interface ErrorSettings {
  readonly errorCodes: Readonly<Partial<Record<ErrorCode, string>>>;
}

/** Creates an error response. The assumption `errorCodes` can replace the value of `code`. */
export function errorOutcome(
  { status, code, message, headers, assumption }: ApiError,
  { errorCodes }: ErrorSettings,
): Outcome {
  return { status, body: errorBody({ code: errorCodes[code] ?? code, message, status }), headers, assumption };
}

/** Statuses of responses without a body (RFC 9110 section 15). Node sends no body, and `Response` accepts none. */
export const statusesWithoutBody: readonly number[] = [204, 205, 304];

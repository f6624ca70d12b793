import { type ApiError, errorBody } from './api-error.js';
import type { ErrorCode } from './error-codes.js';
import type { RefusedBy } from './request-record.js';
import type { WireFault } from './wire-fault.js';

/**
 * Result of a request: status, body and specific headers of the response. Headers that all responses have are added
 * later.
 */
export interface Outcome {
  status: number;
  body: string;
  /** UTF-8 of `body`, one character per byte, if known: an adapter then need not encode the text. */
  utf8?: string | undefined;
  /** Binary body or stream of the response, sent instead of `body`. */
  raw?: Uint8Array | ReadableStream<Uint8Array> | undefined;
  /** Error that the simulator states in `body`, for the words of another service. */
  error?: Pick<ApiError, 'message'> | undefined;
  /** Additional response headers; `null` removes a header. Several Set-Cookie headers are the lines of one value. */
  headers?: Readonly<Record<string, string | null>> | undefined;
  /** Whether the request was rejected because of a limit or a ban. The response then has a Retry-After header. */
  isRefusal?: boolean;
  /** Id of the resource that the request stored, such as a new pet. */
  storedId?: string | undefined;
  wire?: WireFault | undefined;
  /**
   * Whether `headers` contains all limit headers of the response, with the `Date` to which they refer, so that the
   * simulator adds none.
   */
  hasOwnLimits?: boolean;
  refusedBy?: RefusedBy | undefined;
  /** Name of the assumption that decided the response, if the API's documentation leaves the response open. */
  assumption?: string | undefined;
}

/**
 * Whether a response body is a stream. Does not use the class `ReadableStream`, because it is missing in some hosts, such
 * as jsdom in a VM context.
 */
export const isStream = (raw: Outcome['raw']): raw is ReadableStream<Uint8Array> =>
  raw !== undefined && 'getReader' in raw;

/** Response of a request whose operation does not run, because a fault rule replaces the response. */
export const emptyOutcome: Outcome = { status: 200, body: '' };

/** Scenario setting with replacements for values of the field `code` in error responses. */
export interface ErrorSettings {
  readonly errorCodes: Readonly<Partial<Record<ErrorCode, string>>>;
}

/**
 * Creates the status, body and specific headers of an error response. The scenario setting `errorCodes` can replace the
 * error code in the body.
 */
export function errorOutcome(error: ApiError, { errorCodes }: ErrorSettings): Outcome {
  const { status, code, message, headers, assumption } = error;
  const body = errorBody({ code: errorCodes[code] ?? code, message, status });
  return { status, body, headers, assumption, error };
}

/** Statuses of responses without a body (RFC 9110 section 15). Node sends no body, and `Response` accepts none. */
export const statusesWithoutBody: readonly number[] = [204, 205, 304];

/** Whether the response to a request has a body, by the request's method and the response's status. */
export const hasResponseBody = (method: string | undefined, status: number): boolean =>
  method !== 'HEAD' && !statusesWithoutBody.includes(status);

import type { ErrorCode } from './error-codes.js';

/** Largest request body, in bytes (assumption `bodyTooLarge`). A NewPet needs a few hundred. */
export const maximumBodyBytes = 64 * 1024;

/**
 * An error answer of the API: the Error object of the document, and the headers that belong to it. It is thrown, but
 * is no `Error`, because V8 would note the stack of each, which nobody reads and which was two thirds of what a refusal cost.
 */
export class ApiError {
  constructor(
    readonly status: number,
    readonly code: ErrorCode,
    readonly message: string,
    readonly headers: Record<string, string> = {},
    /** The assumption that decided, where the document leaves the answer open. */
    readonly assumption?: string,
  ) {}
}

export const invalidRequest = (message: string, assumption?: string) =>
  new ApiError(400, 'invalid_request', message, {}, assumption);

/**
 * 401. RFC 6750 section 3: the challenge is always there, and `error` only when the request brought credentials.
 * @param tokenSent whether a bearer token came with the request
 */
export const unauthorized = (message: string, tokenSent: boolean) =>
  new ApiError(401, 'unauthorized', message, challenge(tokenSent));

/** The refusal of a banned key, by default 429. A 401 needs its challenge here too (RFC 9110 section 15.5.2). */
export const keyBanned = (status: number, message: string) =>
  new ApiError(status, 'key_banned', message, status === 401 ? challenge(true) : {});

const challenge = (tokenSent: boolean) => ({
  'WWW-Authenticate': `Bearer realm="petstore"${tokenSent ? ', error="invalid_token"' : ''}`,
});

export const notFound = (message: string, assumption?: string) =>
  new ApiError(404, 'not_found', message, {}, assumption);

/** 405. RFC 9110 section 15.5.6: the answer lists the methods that work. */
export const methodNotAllowed = (method: string, allowed: readonly string[]) =>
  new ApiError(
    405,
    'method_not_allowed',
    `Method ${method} is not supported here; use ${allowed.join(' or ')}.`,
    { Allow: allowed.join(', ') },
    'unknownMethod',
  );

export const gone = (message: string, assumption: string) => new ApiError(410, 'gone', message, {}, assumption);

export const payloadTooLarge = (maximumBytes: number) =>
  new ApiError(413, 'payload_too_large', `The body is larger than ${maximumBytes} bytes.`, {}, 'bodyTooLarge');

export const unsupportedMediaType = (message: string, assumption: string) =>
  new ApiError(415, 'unsupported_media_type', message, {}, assumption);

/** The body of every error answer: exactly `code`, `message` and `status`. */
export function errorBody(error: { code: string; message: string; status: number }): string {
  return JSON.stringify({ code: error.code, message: error.message, status: error.status });
}

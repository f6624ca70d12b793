import type { ErrorCode } from './error-codes.js';

/** Maximum size of a request body, in bytes (assumption `bodyTooLarge`). The API's documentation names no maximum. */
export const maximumBodyBytes = 64 * 1024;

/** Error response of the API. The class does not extend `Error`, because creating a stack trace would be slow. */
export class ApiError {
  constructor(
    readonly status: number,
    readonly code: ErrorCode,
    readonly message: string,
    readonly headers: Record<string, string> = {},
    /** Name of the assumption that decided the response, if the API's documentation leaves the response open. */
    readonly assumption?: string,
  ) {}
}

export const invalidRequest = (message: string, assumption?: string) =>
  new ApiError(400, 'invalid_request', message, {}, assumption);

/**
 * Creates a 401 with a WWW-Authenticate challenge. The challenge has `error` only if the request had credentials (RFC
 * 6750 section 3).
 * @param tokenSent whether the request contained a bearer token
 * @param scheme scheme of the challenge; without a registered one, for a key in a header or the query, `ApiKey`
 */
export const unauthorized = (message: string, tokenSent: boolean, scheme?: string) =>
  new ApiError(401, 'unauthorized', message, challenge(tokenSent, scheme));

/**
 * Creates the error response for a banned key, by default a 429. With status 401, adds a WWW-Authenticate challenge
 * (RFC 9110 section 15.5.2).
 */
export const keyBanned = (status: number, message: string) =>
  new ApiError(status, 'key_banned', message, status === 401 ? challenge(true) : {});

const challenge = (tokenSent: boolean, scheme = 'Bearer') => ({
  'WWW-Authenticate': `${scheme} realm="petstore"${tokenSent ? ', error="invalid_token"' : ''}`,
});

export const notFound = (message: string, assumption?: string) =>
  new ApiError(404, 'not_found', message, {}, assumption);

/** Creates a 405 with an Allow header, which lists the allowed methods (RFC 9110 section 15.5.6). */
export const methodNotAllowed = (method: string, allowed: readonly string[]) =>
  new ApiError(
    405,
    'method_not_allowed',
    `Method ${method} is not supported here; use ${allowed.join(' or ')}.`,
    { Allow: allowed.join(', ') },
    'unknownMethod',
  );

export const gone = (message: string, assumption: string) => new ApiError(410, 'gone', message, {}, assumption);

export const payloadTooLarge = () =>
  new ApiError(413, 'payload_too_large', `The body is larger than ${maximumBodyBytes} bytes.`, {}, 'bodyTooLarge');

export const unsupportedMediaType = (message: string, assumption: string) =>
  new ApiError(415, 'unsupported_media_type', message, {}, assumption);

/** Serializes the body of an error response with exactly the fields `code`, `message` and `status`. */
export function errorBody(error: { code: string; message: string; status: number }): string {
  return JSON.stringify({ code: error.code, message: error.message, status: error.status });
}

export const unavailableMessage =
  'The simulator cannot write its log now, so this request has changed nothing; retry in 1 second.';

/** Body of the 503 for a request that the server could not write to its log. */
export const unavailableBody = errorBody({
  status: 503,
  code: 'service_unavailable',
  message: unavailableMessage,
});

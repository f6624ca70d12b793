/**
 * Default values of the field `code` in error responses, because the API's documentation states none. A scenario can
 * replace the values with the assumption `errorCodes`.
 */
export const errorCodes = [
  'invalid_request',
  'unauthorized',
  'not_found',
  'method_not_allowed',
  'gone',
  'payload_too_large',
  'unsupported_media_type',
  'rate_limit_exceeded',
  'key_banned',
  'internal_error',
  'bad_gateway',
  'gateway_timeout',
] as const;
export type ErrorCode = (typeof errorCodes)[number];

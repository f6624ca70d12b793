/**
 * Names of the rate-limit headers, which the simulator adds to API responses. API documentation: "Every API response
 * carries these headers."
 */
export const rateLimitHeaders = {
  /** Name of the response header with the maximum number of requests in the API key's window. */
  limit: 'X-RateLimit-Limit',
  /** Name of the response header with the number of requests that an API key has left in its window. */
  remaining: 'X-RateLimit-Remaining',
  /**
   * Name of the header with the time at which a limit resets. API documentation: "Unix timestamp at which the limit
   * resets."
   */
  reset: 'X-RateLimit-Reset',
} as const;

/**
 * Name of the header with the required wait. The API's documentation: "The client waits for the time given in the
 * Retry-After header before retrying."
 */
export const retryAfterHeader = 'Retry-After';

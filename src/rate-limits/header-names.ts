/**
 * Names of the rate-limit headers, which the simulator adds to API responses. Interface document: "Every API response
 * carries these headers."
 */
export const rateLimitHeaders = {
  /**
   * Name of the response header with the request limit of the API key's window: "The limit in force" in the API's
   * documentation.
   */
  limit: 'X-RateLimit-Limit',
  /** Name of the response header with the number of requests that an API key has left in its window. */
  remaining: 'X-RateLimit-Remaining',
  /**
   * Name of the header with the time at which a limit resets. Interface document: "Unix timestamp at which the limit
   * resets."
   */
  reset: 'X-RateLimit-Reset',
} as const;

/**
 * Name of the header with the required wait. The interface document: "The client waits for the time given in the
 * Retry-After header before retrying."
 */
export const retryAfterHeader = 'Retry-After';

/** Names of the rate-limit headers: "Every API response carries these headers." */
export const rateLimitHeaders = {
  /** Header that states the limit of a key. Interface document: "The limit in force." */
  limit: 'X-RateLimit-Limit',
  /** Header of a key's remaining requests: "Requests remaining in the current window." */
  remaining: 'X-RateLimit-Remaining',
  /** Header of the reset time: "Unix timestamp at which the limit resets." */
  reset: 'X-RateLimit-Reset',
} as const;

/**
 * Name of the header with the required wait. The interface document: "The client waits for the time given in the
 * Retry-After header before retrying."
 */
export const retryAfterHeader = 'Retry-After';

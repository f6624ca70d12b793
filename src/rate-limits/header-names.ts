/** "Every API response carries these headers." */
export const rateLimitHeaders = {
  /** "The limit in force." */
  limit: 'X-RateLimit-Limit',
  /** "Requests remaining in the current window." */
  remaining: 'X-RateLimit-Remaining',
  /** "Unix timestamp at which the limit resets." */
  reset: 'X-RateLimit-Reset',
} as const;

/** "The client waits for the time given in the Retry-After header before retrying." */
export const retryAfterHeader = 'Retry-After';

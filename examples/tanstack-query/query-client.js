import { QueryClient } from '@tanstack/query-core';

const mostRetries = 5;
const longestWaitMs = 90_000;

/** Error of a query: the service rejected the request, or is unreachable. */
export class PetstoreError extends Error {
  constructor(response) {
    super(`the service answered ${response.status}`);
    this.status = response.status;
    this.retryAfterMs = waitOf(response);
  }
}

/**
 * Returns the wait that the service asks for, in milliseconds. Retry-After is seconds or a date; X-RateLimit-Reset is a
 * Unix time, which some services send in milliseconds or as the remaining time. If both differ widely, Retry-After has
 * another unit. A 5xx tells when the limit resets, too, but requires no wait until then.
 */
function waitOf({ status, headers }) {
  const sentMs = Date.parse(headers.get('Date')) || Date.now();
  const reset = status < 500 ? Number(headers.get('X-RateLimit-Reset') ?? Number.NaN) : Number.NaN;
  const untilResetMs = reset > 1e11 ? reset - sentMs : reset > 1e8 ? reset * 1_000 - sentMs : reset * 1_000;
  const text = headers.get('Retry-After') ?? '';
  const retryAfterMs = /^\d+(\.\d+)?$/.test(text) ? Math.ceil(Number(text)) * 1_000 : Date.parse(`${text} `) - sentMs;
  const isAbsurd = retryAfterMs > 10 * untilResetMs;
  const askedMs = isAbsurd || !(retryAfterMs >= 0) ? untilResetMs : retryAfterMs;
  return askedMs > 0 ? askedMs : 0;
}

/**
 * By default, TanStack Query retries three times after one, two and four seconds, regardless of the response: it retries a
 * 401, ignores Retry-After, and many queries retry at the same time.
 */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      // Retries only failures that may be temporary: 429, 5xx, or a missing response.
      retry: (failures, error) =>
        failures < mostRetries &&
        !(error.status < 500 && error.status !== 429) &&
        !(error.retryAfterMs > longestWaitMs),
      // Waits for the requested time, or longer after several failures. Random extra time keeps queries apart.
      retryDelay: (failures, error) =>
        Math.max(error.retryAfterMs ?? 0, 1_000 * 2 ** failures) * (1 + 0.1 * Math.random()),
      // Without this mode, TanStack Query would consider itself offline outside of a page.
      networkMode: 'always',
    },
    // Does not retry a write, because a write without a response may be stored.
    mutations: { retry: false, networkMode: 'always' },
  },
});

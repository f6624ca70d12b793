import { QueryClient } from '@tanstack/query-core';

const mostRetries = 5;
const longestWaitMs = 90_000;

/** The service refused a request, or could not be reached. */
export class PetstoreError extends Error {
  constructor(response) {
    super(`the service answered ${response.status}`);
    this.status = response.status;
    this.retryAfterMs = waitOf(response);
  }
}

/**
 * How long the service asks to wait. Retry-After is seconds or a date; X-RateLimit-Reset is an instant, which some services
 * send in milliseconds or as the time that is left. Where the two contradict each other by far, Retry-After is in another unit.
 */
function waitOf({ headers }) {
  const sentMs = Date.parse(headers.get('Date')) || Date.now();
  const reset = Number(headers.get('X-RateLimit-Reset') ?? Number.NaN);
  const untilResetMs = reset > 1e11 ? reset - sentMs : reset > 1e8 ? reset * 1_000 - sentMs : reset * 1_000;
  const text = headers.get('Retry-After') ?? '';
  const retryAfterMs = /^\d+(\.\d+)?$/.test(text) ? Math.ceil(Number(text)) * 1_000 : Date.parse(`${text} `) - sentMs;
  const isAbsurd = retryAfterMs > 10 * untilResetMs;
  const askedMs = isAbsurd || !(retryAfterMs >= 0) ? untilResetMs : retryAfterMs;
  return askedMs > 0 ? askedMs : 0;
}

/**
 * By default TanStack Query tries three times more after one, two and four seconds, whatever the answer is. So a 401 is
 * repeated, Retry-After is not read, and many queries come back at once.
 */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      // What can be another answer next time: 429, 5xx, and no answer at all.
      retry: (failures, error) =>
        failures < mostRetries &&
        !(error.status < 500 && error.status !== 429) &&
        !(error.retryAfterMs > longestWaitMs),
      // As long as the service asks, or longer after each failure; with some chance in it.
      retryDelay: (failures, error) =>
        Math.max(error.retryAfterMs ?? 0, 1_000 * 2 ** failures) * (1 + 0.1 * Math.random()),
      // Without a page TanStack Query takes itself for offline.
      networkMode: 'always',
    },
    // A write whose answer was lost may be stored, so it is not just sent again.
    mutations: { retry: false, networkMode: 'always' },
  },
});

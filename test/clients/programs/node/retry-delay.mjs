// doc: retryDelayMs
/** Longest wait for a caller, in milliseconds; the rest of a day is longer. */
const longestWaitMs = 60_000;

/**
 * Milliseconds to wait after the n-th attempt of a call, or undefined to give up. A network error
 * has no response.
 */
export function retryDelayMs(attempt, method, response) {
  const status = response?.status ?? response?.statusCode ?? 0;
  // A 429 stores nothing. After any other failure a write may be stored.
  const mayRepeat = status === 429 || (method === 'GET' && (status === 0 || status >= 500));
  const field = (name) => response?.headers.get?.(name) ?? response?.headers[name] ?? '';
  const nowMs = Date.parse(field('date')) || Date.now(); // the service's clock, not ours
  const asked = field('retry-after');
  // Date.parse('-5') is a year.
  const dateMs = / GMT$/.test(asked) ? Date.parse(asked) : Number.NaN;
  const retryAfterMs = /^\d+(\.\d+)?$/.test(asked) ? asked * 1000 : dateMs - nowMs;
  const reset = status === 429 ? Number.parseInt(field('x-ratelimit-reset'), 10) : Number.NaN;
  // Unix time in seconds; with other services also in ms, or seconds left
  const resetMs =
    reset > 1e11 ? reset - nowMs : reset > 1e8 ? reset * 1000 - nowMs : reset * 1000;
  const isUsable = retryAfterMs > 0 && retryAfterMs <= longestWaitMs;
  const askedMs = isUsable || !(resetMs > 0) ? retryAfterMs : resetMs;
  if (attempt > 4 || !mayRepeat || askedMs > longestWaitMs) return undefined;
  return Math.max(askedMs || 0, 500 * 2 ** attempt) + Math.random() * 250 * 2 ** attempt;
}
// end

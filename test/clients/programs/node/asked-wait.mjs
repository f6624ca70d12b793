// doc: askedWaitMs
/** What an answer asks to wait: Retry-After in seconds or as a date, else X-RateLimit-Reset, else a minute. */
export function askedWaitMs(headers) {
  const field = (name) => (headers.get ? headers.get(name) : headers[name]) ?? '';
  if (/^\d+$/.test(field('retry-after'))) return Number(field('retry-after')) * 1000;
  const untilMs = Date.parse(field('retry-after')) || Number(field('x-ratelimit-reset')) * 1000;
  // The service's clock, not ours.
  const nowMs = Date.parse(field('date')) || Date.now();
  return untilMs ? Math.max(1000, untilMs - nowMs) : 60_000;
}

/** What a caller may be kept waiting; the rest of a day is longer. */
export const longestWaitMs = 60_000;

/** Whether it is a 429 that is worth waiting for: one of the minute, not of the day. */
export const isWorthWaiting = (response) => response?.status === 429 && askedWaitMs(response.headers) <= longestWaitMs;
// end

import { memoizeLast } from './memoize-last.js';

/**
 * Creates a formatter of HTTP dates (RFC 9110 section 5.6.7). Caches the last date, because consecutive responses
 * usually fall into one second.
 */
export const createHttpDate = (): ((seconds: number) => string) =>
  memoizeLast((seconds: number) => new Date(seconds * 1000).toUTCString());

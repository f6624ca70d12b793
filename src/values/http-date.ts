import { rememberLast } from './remember-last.js';

/** A writer of HTTP dates (RFC 9110 section 5.6.7) that remembers the last one: most answers share their second. */
export const createHttpDate = (): ((seconds: number) => string) =>
  rememberLast((seconds: number) => new Date(seconds * 1000).toUTCString());

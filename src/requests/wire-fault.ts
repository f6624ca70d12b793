/**
 * Fault of the connection or the bytes of a response, such as a truncated body. The `fetch` function and the msw
 * handlers have no connection, so they simulate the fault with a network error or a failing stream.
 */
export type WireFault =
  | { kind: 'reset' }
  | { kind: 'close' }
  | { kind: 'hang' }
  /** Sends only the first `bytes` bytes of the response body, then closes the connection. */
  | { kind: 'truncate'; bytes: number }
  /** Sends the response body in chunks of `bytes` bytes, with a pause of `everyMs` milliseconds after each chunk. */
  | { kind: 'drip'; bytes: number; everyMs: number }
  /** Sends a wrong Content-Length header, which differs from the response body's length. */
  | { kind: 'contentLength'; value: number };

/**
 * Whether a network fault prevents any response, even to HEAD. All other network faults change only the response body.
 */
export const isWithoutAnswer = ({ kind }: WireFault) => kind === 'reset' || kind === 'close' || kind === 'hang';

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

/** Piece of a body: the pause before it, in milliseconds, and the position in the body at which it ends. */
interface Piece {
  readonly afterMs: number;
  readonly to: number;
}

/** Plan for sending a response body, which all adapters and the HAR export follow. */
export interface SendPlan {
  readonly pieces: Iterable<Piece>;
  /** Whether the connection closes after the last piece, so that the client cannot use the response. */
  readonly isCut: boolean;
  /** Value of Content-Length. Default: the body's length. */
  readonly declaredLength?: number;
}

/** A wire fault under which a response is sent. */
export type SentFault = Exclude<WireFault, { kind: 'reset' | 'close' | 'hang' }>;

const plans: {
  [Kind in SentFault['kind']]: (fault: Extract<SentFault, { kind: Kind }>, length: number) => SendPlan;
} = {
  truncate: ({ bytes }, length) => ({ pieces: [{ afterMs: 0, to: Math.min(bytes, length) }], isCut: true }),
  drip: (fault, length) => ({ pieces: drips(fault, length), isCut: false }),
  contentLength: ({ value }, length) => ({ pieces: [{ afterMs: 0, to: length }], isCut: true, declaredLength: value }),
};

function* drips({ bytes, everyMs }: Extract<SentFault, { kind: 'drip' }>, length: number): Generator<Piece> {
  for (let to = bytes; to < length + bytes; to += bytes)
    yield { afterMs: to === bytes ? 0 : everyMs, to: Math.min(to, length) };
}

/** Returns the plan for sending a body of a length. */
export const sendPlan = (fault: SentFault, length: number): SendPlan => plans[fault.kind](fault as never, length);

/**
 * Whether a network fault lets a response through, at least its status, also to HEAD. All other network faults prevent
 * any response.
 */
export const isSent = (fault: WireFault): fault is SentFault => Object.hasOwn(plans, fault.kind);

/** Whether a body arrives whole in spite of a network fault, if the client waits for it. */
export const arrivesWhole = (fault: WireFault): boolean => isSent(fault) && !sendPlan(fault, 0).isCut;

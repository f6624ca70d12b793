import type { JsonBytes } from '../values/json-bytes.js';

/** The two windows of a plan: "Requests per minute", "Requests per day". */
export type WindowName = 'minute' | 'day';

/** Why a request was refused: over a limit of the plan, or during a ban. */
export type RefusalKind = 'limit' | 'ban';

/** What can be seen of one request and its answer on the wire. Instants are Unix milliseconds of the simulator's clock. */
export interface ObservedRequest {
  /** Counted from 1, in the order in which requests arrived; never given again, not even after `clear`. */
  readonly id: number;
  readonly arrivedAtMs: number;
  /** When the answer was handed to the adapter to be sent; later than the arrival where a fault or a hold kept it back. */
  readonly answeredAtMs: number;
  /** When the last byte was handed over; later than the first where a fault sends an answer in pieces. */
  readonly finishedAtMs: number;
  /** Whether the client went away before the end of an answer that was being sent in pieces. */
  readonly isAbandoned: boolean;
  /** The id of the last request, of any key, that had arrived when the answer was sent: those after it may follow from it. */
  readonly lastArrivedId: number;
  /** Only where the client got a 503 instead of this answer, because the log had not taken the request in time. */
  readonly isLost?: boolean | undefined;
  /** For how many milliseconds the answer was held back so that parallel requests show themselves; 0: not at all. */
  readonly heldMs: number;
  /** The bearer token as sent; shown only by its last four characters. `undefined` when there was none. */
  readonly token: string | undefined;
  /** `undefined` for a path or method without an operation. */
  readonly operation: string | undefined;
  /** Whether the operation writes, also where the request was refused. */
  readonly isWrite: boolean;
  readonly method: string;
  /** What the client put in front of `path`: `http://127.0.0.1:4010/v1`. */
  readonly baseUrl: string;
  readonly path: string;
  readonly query: string;
  /** 0 when the client went away before the answer. */
  readonly status: number;
  /** Text, or base64 of a body that is not UTF-8; `undefined` without a body. */
  readonly requestBody: JsonBytes | undefined;
  /** The first 64 KiB; of a stream known at its end. */
  readonly responseBody: JsonBytes;
  readonly headers: Readonly<Record<string, string>>;
  /** Which connection it came on, where the adapter knows. */
  readonly connection: number | undefined;
  /** What the client calls itself: its header `User-Agent`. */
  readonly client: string | undefined;
  /** What the client calls this logical call: its header `X-Sim-Call`. */
  readonly call: string | undefined;
}

/** Whether a method is safe (RFC 9110 section 9.2.1). */
export const isSafe = (method: string): boolean => ['GET', 'HEAD', 'OPTIONS', 'TRACE'].includes(method);

/** Whether a request writes, where only its method and operation are recorded: an operation with an unsafe method does. */
export const isWriteByMethod = ({ operation, method }: Pick<ObservedRequest, 'operation' | 'method'>): boolean =>
  operation !== undefined && !isSafe(method);

/** What is known of a request only when its answer has been sent. */
export type Delivery = Pick<
  ObservedRequest,
  'answeredAtMs' | 'finishedAtMs' | 'isAbandoned' | 'lastArrivedId' | 'heldMs' | 'isLost' | 'responseBody'
>;

/** What only the simulator knows of one request: a log of the wire does not show it. */
export interface RequestKnowledge {
  readonly plan: string | undefined;
  /** The window that the headers describe. */
  readonly window: WindowName | undefined;
  readonly refusal: RefusalKind | undefined;
  /** That window as it was after the request, whatever the headers said; during a ban the end of the ban. */
  readonly rate?: { readonly limit: number; readonly remaining: number; readonly resetAtSeconds: number } | undefined;
  /** Of a refusal: when the service would serve again, whatever the headers said. */
  readonly promisedAtMs: number | undefined;
  /** How many strikes the key had after this request, and whether this one was a strike. */
  readonly strikes: number;
  readonly isStrike: boolean;
  /** Whether the limits of the plan applied to it. */
  readonly isLimited: boolean;
  /** How many episodes of refusals the key had begun. */
  readonly episode: number;
  /** The id of what this request stored. */
  readonly storedId: string | undefined;
  /** The fault rule that applied, and whether it kept the client from reading the answer. */
  readonly fault: string | undefined;
  readonly isUnreadable: boolean;
  /** The assumption that decided the answer, where the document leaves it open. */
  readonly assumption?: string | undefined;
}

/** One entry of the journal: what was observed of a request, and what only the simulator knows of it. */
export interface RequestRecord extends ObservedRequest, RequestKnowledge {}

/** A record without any knowledge, to spread and fill: V8 keeps a copy with all of its fields fast. */
export const emptyRecord: RequestRecord = {
  id: 0,
  arrivedAtMs: 0,
  answeredAtMs: 0,
  finishedAtMs: 0,
  isAbandoned: false,
  lastArrivedId: 0,
  heldMs: 0,
  token: undefined,
  operation: undefined,
  isWrite: false,
  method: '',
  baseUrl: '',
  path: '',
  query: '',
  status: 0,
  requestBody: undefined,
  responseBody: '',
  headers: {},
  connection: undefined,
  client: undefined,
  call: undefined,
  plan: undefined,
  window: undefined,
  refusal: undefined,
  rate: undefined,
  promisedAtMs: undefined,
  strikes: 0,
  isStrike: false,
  isLimited: true,
  episode: 0,
  storedId: undefined,
  fault: undefined,
  isUnreadable: false,
  assumption: undefined,
};

/** What a client said of one of its calls, by `POST /__sim/outcome`. */
export interface ReportedOutcome {
  /** The call as in `X-Sim-Call`; `undefined`: all of them. */
  readonly call: string | undefined;
  readonly result: 'succeeded' | 'failed' | 'aborted';
  readonly atMs: number;
}

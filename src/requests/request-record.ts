import type { JsonBytes } from '../values/json-bytes.js';

/** Windows of a plan: "Requests per minute", "Requests per day". */
export type WindowName = 'minute' | 'day';

/** Reason of a rejection: a limit of the plan, or a ban. */
export type RefusalKind = 'limit' | 'ban';

/** Observable part of a request and its response. Times are Unix milliseconds of the simulator's clock. */
export interface ObservedRequest {
  /** Number in order of arrival, starting at 1. Never reused, not even after `clear`. */
  readonly id: number;
  readonly arrivedAtMs: number;
  /**
   * Time at which the response was passed to the adapter for sending. Later than the arrival if a fault or the adapter
   * delayed the response.
   */
  readonly answeredAtMs: number;
  /** Time at which the last byte was sent. Later than `answeredAtMs` for a response in chunks. */
  readonly finishedAtMs: number;
  /** Whether the client disconnected during a response in chunks. */
  readonly isAbandoned: boolean;
  /**
   * Id of the last request, of any key, that arrived before the response was sent. Later requests may be reactions to
   * the response.
   */
  readonly lastArrivedId: number;
  /** Whether the client received a 503 instead of this response, because the log did not accept the request in time. */
  readonly isLost?: boolean | undefined;
  /** Delay of the response in milliseconds, which reveals parallel requests; 0 if none. */
  readonly heldMs: number;
  /** Bearer token as sent; `undefined` if absent. Only the last four characters are displayed. */
  readonly token: string | undefined;
  /** Name of the operation; `undefined` if the path or method has none. */
  readonly operation: string | undefined;
  /** Whether the operation writes, even if the request was rejected. */
  readonly isWrite: boolean;
  readonly method: string;
  /** URL before `path`, as the client used it: `http://127.0.0.1:4010/v1`. */
  readonly baseUrl: string;
  readonly path: string;
  readonly query: string;
  /** Response status; 0 if the client disconnected before the response. */
  readonly status: number;
  /** Request body as text, or as base64 if not UTF-8; `undefined` if absent. */
  readonly requestBody: JsonBytes | undefined;
  /** First 64 KiB of the response body. A streamed body is set at the end of the stream. */
  readonly responseBody: JsonBytes;
  readonly headers: Readonly<Record<string, string>>;
  /** Connection number, if known. */
  readonly connection: number | undefined;
  /** Name of the client: request header `User-Agent`. */
  readonly client: string | undefined;
  /** Id of the logical call: request header `X-Sim-Call`. */
  readonly call: string | undefined;
}

/** Whether a method is safe (RFC 9110 section 9.2.1). */
export const isSafe = (method: string): boolean => ['GET', 'HEAD', 'OPTIONS', 'TRACE'].includes(method);

/** Whether a request writes, inferred from an operation with an unsafe method. */
export const isWriteByMethod = ({ operation, method }: Pick<ObservedRequest, 'operation' | 'method'>): boolean =>
  operation !== undefined && !isSafe(method);

/** Properties of a request that are known only after the response was sent. */
export type Delivery = Pick<
  ObservedRequest,
  'answeredAtMs' | 'finishedAtMs' | 'isAbandoned' | 'lastArrivedId' | 'heldMs' | 'isLost' | 'responseBody'
>;

/** Internal knowledge of the simulator about a request, which is not observable on the wire. */
export interface RequestKnowledge {
  readonly plan: string | undefined;
  /** Window that the rate-limit headers describe. */
  readonly window: WindowName | undefined;
  readonly refusal: RefusalKind | undefined;
  /**
   * Actual state of `window` after the request, independent of the headers. During a ban, the reset time is the end of
   * the ban.
   */
  readonly rate?: { readonly limit: number; readonly remaining: number; readonly resetAtSeconds: number } | undefined;
  /** Time after a rejection at which requests are accepted again, in Unix milliseconds. Independent of the headers. */
  readonly promisedAtMs: number | undefined;
  /** Number of the key's strikes after this request. */
  readonly strikes: number;
  readonly isStrike: boolean;
  /** Whether the plan's limits applied to the request. */
  readonly isLimited: boolean;
  /** Number of the key's refusal episodes so far. */
  readonly episode: number;
  /** Id of the resource that the request stored. */
  readonly storedId: string | undefined;
  /** Name of the applied fault rule. */
  readonly fault: string | undefined;
  /** Whether a fault or a disconnect prevented the client from reading the response. */
  readonly isUnreadable: boolean;
  /** Assumption that decided the response, if the document leaves the response open. */
  readonly assumption?: string | undefined;
}

/** Journal entry: the observable part of a request, and the simulator's internal knowledge. */
export interface RequestRecord extends ObservedRequest, RequestKnowledge {}

/** Initial values of a record, for object spreads. V8 handles copies that begin with all fields faster. */
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

/** Outcome of a call, reported by the client with `POST /__sim/outcome`. */
export interface ReportedOutcome {
  /** Id of the call, as in `X-Sim-Call`; `undefined` for all calls. */
  readonly call: string | undefined;
  readonly result: 'succeeded' | 'failed' | 'aborted';
  readonly atMs: number;
}

import type { Every } from '../values/every.js';
import { fingerprint } from '../values/fingerprint.js';
import type { JsonBytes } from '../values/json-bytes.js';
import type { RecordedHeaders } from './recorded-headers.js';
import type { WireFault } from './wire-fault.js';

/** Name of a plan's limit window: `minute` and `day` of the API's documentation, or a name that a scenario adds. */
export type WindowName = string;

/** Reason why a request was rejected: a limit of the plan, or a ban of the key. */
export type RefusalKind = 'limit' | 'ban';

/**
 * Refuser of a request that the simulator itself accepted: the user's backend or handler by a limit of its own, a fault
 * rule in the words of another service, or the backend by a 401, because it did not receive the client's key. Or refuser
 * by a 401 that says nothing about the client: the simulator itself, because it reads keys in another place.
 */
export type RefusedBy = 'backend' | 'handler' | 'fault' | 'backend-without-key' | 'key-elsewhere';

/** Whether another service than the simulator refused a request by a limit, or a fault rule in that service's words. */
export const isRefusedByOther = ({ refusedBy }: { readonly refusedBy?: RefusedBy | undefined }): boolean =>
  refusedBy !== undefined && refusedBy !== 'backend-without-key' && refusedBy !== 'key-elsewhere';

/**
 * Data of a request and its response that is visible on the wire. Times are Unix milliseconds of the simulator's clock.
 */
export interface ObservedRequest {
  /** Number of the request in order of arrival, starting at 1. Never reused, not even after the journal's `clear`. */
  readonly id: number;
  readonly arrivedAtMs: number;
  /**
   * Time at which the response was passed on for sending. Later than the request's arrival if a fault delayed the
   * response, or the server held a 429 back briefly.
   */
  readonly answeredAtMs: number;
  /** Time at which the response's last byte was sent. Later than `answeredAtMs` for a response in chunks. */
  readonly finishedAtMs: number;
  /** Whether the client disconnected while receiving a response in chunks. */
  readonly isAbandoned: boolean;
  /**
   * Id of the last request (of any key) that arrived before this response was sent. Only requests with higher ids can
   * be reactions to the response.
   */
  readonly lastArrivedId: number;
  /** Time for which the server delayed a response such as a 429 to detect parallel requests; 0 if not delayed. */
  readonly heldMs: number;
  /**
   * Bearer token of the request as sent; `undefined` if absent. Only the token's last four characters are displayed.
   */
  readonly token: string | undefined;
  /** Name of the requested operation; `undefined` if the path or method belongs to no operation. */
  readonly operation: string | undefined;
  /** Whether the requested operation writes data, even if the request was rejected. */
  readonly isWrite: boolean;
  readonly method: string;
  /** Part of the request's URL before `path`, as the client used it: `http://127.0.0.1:4010/v1`. */
  readonly baseUrl: string;
  readonly path: string;
  readonly query: string;
  /** Response status; 0 if the client disconnected before the response. */
  readonly status: number;
  /** Request body as text, or as base64 if not UTF-8; `undefined` if absent. */
  readonly requestBody: JsonBytes | undefined;
  /**
   * Text that identifies a whole request body of which `requestBody` has only the start, by its length and hash. Requests
   * with equal starts are equal only if this text is equal as well.
   */
  readonly wholeBody?: string | undefined;
  /** First 64 KiB of the response body. The body of a streamed response is set at the end of the stream. */
  readonly responseBody: JsonBytes;
  readonly headers: Readonly<Record<string, string>>;
  /** Request headers such as Idempotency-Key, without secrets; `undefined` if the request had none. */
  readonly requestHeaders: RecordedHeaders | undefined;
  /** Number of the client's connection, if known. */
  readonly connection: number | undefined;
  /** Name of the client program, from the request header `User-Agent`. */
  readonly client: string | undefined;
  /** Id of the logical call, from the request header `X-Sim-Call`. Retries of one call have the same id. */
  readonly call: string | undefined;
}

/** Whether an HTTP method is safe, so that requests only read data (RFC 9110 section 9.2.1). */
export const isSafe = (method: string): boolean => ['GET', 'HEAD', 'OPTIONS', 'TRACE'].includes(method);

/** Whether a request writes data. Assumes that every operation with an unsafe method (RFC 9110) writes. */
export const isWriteByMethod = ({ operation, method }: Pick<ObservedRequest, 'operation' | 'method'>): boolean =>
  operation !== undefined && !isSafe(method);

/** Properties of a request's record that are known only after the response was sent. */
export type Delivery = Pick<
  RequestRecord,
  'answeredAtMs' | 'finishedAtMs' | 'isAbandoned' | 'lastArrivedId' | 'heldMs' | 'responseBody' | 'wire'
>;

/** Details of a request that only the simulator knows, because the client cannot see them on the wire. */
export interface RequestKnowledge {
  readonly plan: string | undefined;
  /** Rate-limit window, such as `minute`, that the response's rate-limit headers describe. */
  readonly window: WindowName | undefined;
  readonly refusal: RefusalKind | undefined;
  /**
   * Actual state of the rate-limit window after the request. The response headers can differ because of a fault. During
   * a ban, the reset time is the end of the ban.
   */
  readonly rate?: { readonly limit: number; readonly remaining: number; readonly resetAtSeconds: number } | undefined;
  /**
   * Time from which the key's requests are accepted again after a rejection. The Retry-After header can differ because
   * of a fault.
   */
  readonly promisedAtMs: number | undefined;
  /**
   * End of the ban that refused the request. Earlier than `promisedAtMs` if a used-up window resets after the ban.
   */
  readonly bannedUntilMs?: number | undefined;
  /** Number of strikes of the request's key after the request. Enough strikes ban the key. */
  readonly strikes: number;
  readonly isStrike: boolean;
  /** Whether the plan's limits applied to the request's operation. */
  readonly isLimited: boolean;
  /** Number of requests as which the request counts; `undefined` for one. */
  readonly cost?: number | undefined;
  /**
   * Number of the API key's refusal episodes up to this request. An episode is a series of rate-limited requests
   * without an accepted request between them.
   */
  readonly episode: number;
  /**
   * Id of the resource that the request stored, such as a new pet. If the response of a custom route has no id, a hash of
   * its body (see `unnamedStored`), or empty if even the body does not identify the resource.
   */
  readonly storedId: string | undefined;
  /** Name of the fault rule that was applied to the response, if any. */
  readonly fault: string | undefined;
  /** Whether a fault or a disconnect prevented the client from reading the response. */
  readonly isUnreadable: boolean;
  /** Name of the assumption that decided the response, if the API's documentation leaves the response open. */
  readonly assumption?: string | undefined;
  /** Fault of the connection or of the response's bytes, by a fault rule or by the end of the server. */
  readonly wire?: WireFault | undefined;
  readonly refusedBy?: RefusedBy | undefined;
}

/** Value of `storedId` for a response without an id: a hash of its body, which begins with `=`. */
export const unnamedStored = (body: string): string => `=${fingerprint(body)}`;

/** Returns the id of the resource that a request stored; `undefined` if it stored none, or the response has no id. */
export const namedStored = (storedId: string | undefined): string | undefined =>
  storedId === '' || storedId?.startsWith('=') ? undefined : storedId;

/** Journal entry of a request: the data visible on the wire, and details that only the simulator knows. */
export interface RequestRecord extends ObservedRequest, RequestKnowledge {}

/**
 * Request record with an initial value for every field. Other records are copies of this one with changed fields,
 * because V8 is faster with objects that have their fields in one order.
 */
export const emptyRecord: Every<RequestRecord> = {
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
  wholeBody: undefined,
  responseBody: '',
  headers: {},
  requestHeaders: undefined,
  connection: undefined,
  client: undefined,
  call: undefined,
  plan: undefined,
  window: undefined,
  refusal: undefined,
  rate: undefined,
  promisedAtMs: undefined,
  bannedUntilMs: undefined,
  strikes: 0,
  isStrike: false,
  isLimited: true,
  cost: undefined,
  episode: 0,
  storedId: undefined,
  fault: undefined,
  isUnreadable: false,
  assumption: undefined,
  wire: undefined,
  refusedBy: undefined,
};

/** Final result of a client's logical call, reported by the client with `POST /__sim/outcome`. */
export interface ReportedOutcome {
  /**
   * Id of one logical call of the client (a request with all its retries), as in the header `X-Sim-Call`; `undefined`
   * if the reported result applies to all calls.
   */
  readonly call: string | undefined;
  readonly result: 'succeeded' | 'failed' | 'aborted';
  readonly atMs: number;
}

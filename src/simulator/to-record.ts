import type { FaultRule } from '../faults/fault-rule.js';
import { makesUnreadable } from '../faults/inject-fault.js';
import { tokenOf } from '../rate-limits/authentication.js';
import type { RateReport } from '../rate-limits/rate-report.js';
import type { Answer, ApiCall } from '../requests/api-call.js';
import type { Outcome } from '../requests/outcome.js';
import type { HeaderRecorder } from '../requests/recorded-headers.js';
import type { RequestRecord } from '../requests/request-record.js';
import type { Match } from '../requests/service.js';
import type { ResolvedScenario } from '../scenario/resolve-scenario.js';
import type { Every } from '../values/every.js';
import { toJsonBytes } from '../values/json-bytes.js';
import type { KeyPlace, SentKey } from '../values/key-place.js';
import { maskedQuery } from '../values/mask-key.js';

/** Fields of a request's record that are set while the simulator handles the request. */
type RecordInProgress = {
  -readonly [Field in 'plan' | 'strikes' | 'isStrike' | 'episode' | 'refusal' | 'storedId']: RequestRecord[Field];
};

/** Data of a request that the simulator is currently handling. */
export interface RequestInProgress extends RecordInProgress {
  /** Id of the request in the journal. */
  readonly id: number;
  readonly call: ApiCall;
  /** Scenario that was loaded when the request arrived. A delayed response also follows this scenario. */
  readonly resolved: ResolvedScenario;
  readonly match: Match;
  /** Name of the simulated API that handles the request; `undefined` for a handler of the user. */
  readonly service: string | undefined;
  /** Whether the plan's limits apply to the request's operation. */
  readonly isLimited: boolean;
  /** Number of requests as which the request counts; `undefined` for one. */
  cost: number | undefined;
  /** Time of the request's arrival, by the simulator's clock. */
  readonly nowMs: number;
  /** Place of the key; `undefined` for the main service as documented. */
  readonly keyPlace: KeyPlace | undefined;
  /** Key at `keyPlace`, if any was read. */
  sentKey: SentKey | undefined;
  /** API key of the request; `undefined` without a valid key. */
  key: string | undefined;
  rate: RateReport | undefined;
  fault: FaultRule | undefined;
  /**
   * Whether the client may have disconnected unnoticed, for example during a server restart. The response then counts
   * as abandoned.
   */
  isOrphaned: boolean;
}

/** A request that a fault rule delays. Serializable, so that a snapshot can contain the request. */
export interface DelayedRequest {
  /** End of the request's delay, by the simulator's clock. */
  readonly dueMs: number;
  readonly exchange: RequestInProgress;
  readonly rule: FaultRule;
  /** Outcome that the operation returned before the delay, if the fault rule runs the operation first. */
  readonly first: Outcome | undefined;
}

/** A request to a custom route whose function is running. Serializable, so that a snapshot can contain the request. */
export interface RunningRequest {
  readonly exchange: RequestInProgress;
  /** Fault rule that changes or delays the outcome of the custom route's function; `undefined` without one. */
  readonly rule: FaultRule | undefined;
  /** Delay between the end of the custom route's function and the response. */
  readonly delayMs: number;
  /** Time at which the client disconnected, by the simulator's clock; `undefined` while connected. */
  leftAtMs: number | undefined;
}

type Sent = Pick<Answer, 'status' | 'headers' | 'body' | 'raw'> & Partial<Pick<Answer, 'wire'>>;

/** Response recorded for a request whose client disconnected before any response was sent. */
export const unanswered: Sent = { status: 0, headers: {}, body: '' };

/**
 * Creates the journal record of a request.
 * @param answeredAtMs time of the response, by the simulator's clock
 * @param lastArrivedId id of the last request that arrived before the response was sent
 * @param recordHeaders selects the request headers that the record contains
 * @param outcome outcome on which the response depends; empty without a response
 */
export function toRecord(
  request: RequestInProgress,
  { status, headers, body, raw, wire }: Sent,
  answeredAtMs: number,
  lastArrivedId: number,
  recordHeaders: HeaderRecorder,
  { assumption, refusedBy, hasOwnLimits = false }: Partial<Outcome> = {},
): RequestRecord {
  const { id, call, match, isLimited, cost, nowMs, keyPlace, sentKey, key, plan } = request;
  const { strikes, episode, isStrike, rate, refusal, fault, storedId, isOrphaned } = request;
  return {
    id,
    arrivedAtMs: nowMs,
    answeredAtMs,
    finishedAtMs: answeredAtMs,
    isAbandoned: isOrphaned,
    lastArrivedId,
    heldMs: 0,
    token: key ?? sentKey?.token ?? (keyPlace === undefined ? tokenOf(call) : undefined),
    plan,
    operation: match.operation,
    isWrite: match.isWrite,
    method: call.method,
    baseUrl: call.baseUrl,
    path: call.path,
    query: maskedQuery(call.query, keyPlace?.parameter),
    status,
    requestBody: call.body && toJsonBytes(call.body),
    wholeBody: call.wholeBody,
    responseBody: call.method === 'HEAD' ? '' : raw instanceof Uint8Array ? toJsonBytes(raw) : body,
    headers,
    requestHeaders: call.headers && recordHeaders(call.headers, keyPlace?.header),
    window: hasOwnLimits ? undefined : rate?.window,
    rate: hasOwnLimits ? undefined : rate,
    refusal,
    promisedAtMs: refusal && rate && rate.resetAtSeconds * 1000,
    bannedUntilMs: refusal === 'ban' ? rate?.bannedUntilMs : undefined,
    strikes,
    isStrike,
    isLimited: key !== undefined && isLimited,
    cost,
    episode,
    storedId,
    fault: fault?.name,
    isUnreadable: status === 0 || (fault !== undefined && makesUnreadable(fault, call.method)),
    assumption,
    refusedBy: refusedBy ?? (sentKey?.isElsewhere && status === 401 ? 'key-elsewhere' : undefined),
    wire: isOrphaned ? { kind: 'close' } : wire,
    connection: call.connection,
    client: call.header('user-agent'),
    call: call.header('x-sim-call'),
  } satisfies Every<RequestRecord>;
}

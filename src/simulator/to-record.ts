import type { FaultRule } from '../faults/fault-rule.js';
import { makesUnreadable } from '../faults/inject-fault.js';
import type { RateReport } from '../rate-limits/rate-report.js';
import type { Answer, ApiCall } from '../requests/api-call.js';
import type { Outcome } from '../requests/outcome.js';
import type { RefusalKind, RequestRecord } from '../requests/request-record.js';
import type { Match } from '../requests/service.js';
import type { ResolvedScenario } from '../scenario/resolve-scenario.js';
import { toJsonBytes } from '../values/json-bytes.js';

/** One request on its way: what is known about it so far. */
export interface RequestInProgress {
  /** In the journal. */
  readonly id: number;
  readonly call: ApiCall;
  /** The scenario at the time of the request; a delayed answer still belongs to it. */
  readonly resolved: ResolvedScenario;
  readonly match: Match;
  /** The name of the service that gave the match; `undefined` if none did. */
  readonly service: string | undefined;
  readonly isLimited: boolean;
  readonly nowMs: number;
  /** The API key, its plan, and how it stood after this request. */
  key: string | undefined;
  plan: string | undefined;
  strikes: number;
  episode: number;
  isStrike: boolean;
  rate: RateReport | undefined;
  refusal: RefusalKind | undefined;
  fault: FaultRule | undefined;
  storedId: string | undefined;
  /** Whether the client can have gone unnoticed, as in a restart, so that nobody reads the answer. */
  isOrphaned: boolean;
}

/** A request that a fault rule delays. All of it can be written down as data. */
export interface DelayedRequest {
  /** The instant of the clock at which it goes on. */
  readonly dueMs: number;
  readonly exchange: RequestInProgress;
  readonly rule: FaultRule;
  /** What has run already. */
  readonly first: Outcome | undefined;
}

/** A request of a route whose function runs. All of it can be written down as data. */
export interface RunningRequest {
  readonly exchange: RequestInProgress;
  /** The fault rule that changes or delays the outcome. */
  readonly rule: FaultRule | undefined;
  /** The delay between the outcome and the response, in milliseconds. */
  readonly delayMs: number;
  /** The instant at which the client disconnected. */
  leftAtMs: number | undefined;
}

type Sent = Pick<Answer, 'status' | 'headers' | 'body' | 'raw'>;

/** What stands for the answer of a request whose client went away first. */
export const unanswered: Sent = { status: 0, headers: {}, body: '' };

/**
 * The journal record of a request.
 * @param lastArrivedId the id of the last request that had arrived when the answer was sent
 * @param assumption the one that decided the answer
 */
export function toRecord(
  {
    id,
    call,
    match,
    isLimited,
    nowMs,
    key,
    plan,
    strikes,
    episode,
    isStrike,
    rate,
    refusal,
    fault,
    storedId,
    isOrphaned,
  }: RequestInProgress,
  { status, headers, body, raw }: Sent,
  answeredAtMs: number,
  lastArrivedId: number,
  assumption?: string,
): RequestRecord {
  const authorization = call.header('authorization');
  return {
    id,
    arrivedAtMs: call.arrivedAtMs ?? nowMs,
    answeredAtMs,
    finishedAtMs: answeredAtMs,
    isAbandoned: isOrphaned,
    lastArrivedId,
    heldMs: 0,
    token: key ?? authorization?.slice(authorization.lastIndexOf(' ') + 1),
    plan,
    operation: match.operation,
    isWrite: match.isWrite,
    method: call.method,
    baseUrl: call.baseUrl,
    path: call.path,
    query: call.query,
    status,
    requestBody: call.body && toJsonBytes(call.body),
    responseBody: call.method === 'HEAD' ? '' : raw instanceof Uint8Array ? toJsonBytes(raw) : body,
    headers,
    window: rate?.window,
    rate,
    refusal,
    promisedAtMs: refusal && rate && rate.resetAtSeconds * 1000,
    strikes,
    isStrike,
    isLimited: key !== undefined && isLimited,
    episode,
    storedId,
    fault: fault?.name,
    isUnreadable: status === 0 || (fault !== undefined && makesUnreadable(fault, call.method)),
    assumption,
    connection: call.connection,
    client: call.header('user-agent'),
    call: call.header('x-sim-call'),
  };
}

import type { Answer, ApiCall } from '../adapters/api-call.js';
import { type FaultMatch, hasRule } from '../faults/fault-rules.js';
import { makesUnreadable } from '../faults/inject-fault.js';
import type { ApiKey } from '../limits/api-key.js';
import type { RateReport } from '../limits/rate-report.js';
import type { ResolvedScenario } from '../scenario/resolve-scenario.js';
import type { RefusalKind, RequestRecord } from '../state/request-record.js';
import type { Route } from './routes.js';

/** One request on its way: what is known about it so far. */
export interface Exchange {
  /** In the journal. */
  readonly id: number;
  readonly call: ApiCall;
  /** The scenario at the time of the request; a delayed answer still belongs to it. */
  readonly resolved: ResolvedScenario;
  readonly route: Route;
  readonly isLimited: boolean;
  readonly nowMs: number;
  key: ApiKey | undefined;
  isStrike: boolean;
  rate: RateReport | undefined;
  refusal: RefusalKind | undefined;
  fault: FaultMatch | undefined;
  storedId: string | undefined;
}

type Sent = Pick<Answer, 'status' | 'headers' | 'body'>;

/** What stands for the answer of a request whose client went away first. */
export const unanswered: Sent = { status: 0, headers: {}, body: '' };

/**
 * The journal record of a request.
 * @param heldMs for how long the answer was held back
 * @param lastArrivedId the id of the last request that had arrived when the answer was sent
 */
export function toRecord(
  { id, call, route, isLimited, nowMs, key, isStrike, rate, refusal, fault, storedId }: Exchange,
  { status, headers, body }: Sent,
  answeredAtMs: number,
  heldMs: number,
  lastArrivedId: number,
): RequestRecord {
  const authorization = call.header('authorization');
  return {
    id,
    arrivedAtMs: nowMs,
    answeredAtMs,
    finishedAtMs: answeredAtMs,
    isAbandoned: false,
    lastArrivedId,
    heldMs,
    token: key?.key ?? authorization?.slice(authorization.lastIndexOf(' ') + 1),
    plan: key?.plan,
    operation: route.operation,
    method: call.method,
    baseUrl: call.baseUrl,
    path: call.path,
    query: call.query,
    status,
    requestBody: call.body,
    responseBody: call.method === 'HEAD' ? '' : body,
    headers,
    window: rate?.window,
    rate,
    refusal,
    promisedAtMs: refusal && rate && rate.resetAtSeconds * 1000,
    strikes: key?.strikes ?? 0,
    isStrike,
    isLimited: key !== undefined && isLimited,
    episode: key?.episodes ?? 0,
    storedId,
    fault: fault?.rule?.name,
    isUnreadable: status === 0 || (hasRule(fault) && makesUnreadable(fault.rule)),
    connection: call.connection,
    client: call.header('user-agent'),
    call: call.header('x-sim-call'),
  };
}

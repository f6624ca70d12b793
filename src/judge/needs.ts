import { rowOf, targetOf } from '../requests/operation-table.js';
import type { OperationRows } from '../requests/service.js';
import type { FindingCode } from '../scenario/finding-codes.js';
import { listGroups } from '../values/group-by.js';
import { pluralize } from '../values/pluralize.js';
import { type JudgedRequest, toleranceOf } from './judged-request.js';
import { isServed } from './request-kind.js';

/** Requirements of a scenario on its client: the scenario's field `client`. */
export interface ClientNeeds {
  /** The API key. */
  readonly key?: string | undefined;
  readonly operation?: string | undefined;
  /** Number of calls that the client must make. Retries do not count. */
  readonly calls?: number | undefined;
  /** Number of calls that the client must make concurrently. A call is one request with its retries. Default 1. */
  readonly parallel?: number | undefined;
}

/** Behavior that a scenario expects of its client: its field `expect`. */
export interface Expectation {
  /**
   * Whether every call of the client must end with a successful response. If so, the client fails when it gives up,
   * even with an error for its caller.
   */
  served?: boolean | undefined;
  /**
   * Rules whose findings fail the client in this scenario instead of warning. The run is conclusive only if it
   * exercised one of them.
   */
  fail?: readonly FindingCode[] | undefined;
  /**
   * Statuses, besides 429, with which a backend, a handler or a fault rule refuses a request by a limit, unless the
   * response denies it.
   */
  refused?: readonly number[] | undefined;
  /** Maximum number of requests per call, of all calls together. */
  amplification?: number | undefined;
}

/**
 * Describes the scenario's requirement that the client did not meet; `undefined` if all are met or undecided.
 * @param operations operations of the simulated APIs, whose methods and paths the description contains
 */
export function unmetNeed(
  requests: readonly JudgedRequest[],
  { key, operation, calls = 1, parallel = 1 }: ClientNeeds,
  operations: OperationRows = {},
): string | undefined {
  if (requests.length === 0) return undefined;
  const withKey = key === undefined ? requests : requests.filter(({ token }) => token === key);
  if (withKey.length === 0) return "requests with the scenario's API key";
  const wanted = operation === undefined ? withKey : withKey.filter((request) => request.operation === operation);
  if (operation !== undefined && wanted.length === 0) {
    const row = rowOf(operations, operation);
    return row === undefined ? `a request for ${operation}` : `a ${targetOf(row)}`;
  }
  if (calls === 1) return undefined;
  const made = callsIn(wanted);
  // A client whose last request failed may have given up its further calls.
  if ((wanted.length < calls || made === 1) && wanted.slice(-1).some(isServed)) {
    return `${pluralize(calls, 'call')}, got ${made}`;
  }
  const concurrent = Math.min(calls, parallel);
  if (isOneAfterAnother(wanted, concurrent)) return `${pluralize(concurrent, 'concurrent call')}, got sequential calls`;
  return undefined;
}

/**
 * Counts the client's calls without retries. Equal requests without the header `X-Sim-Call` count as one call per
 * success or unrefused write, but at least one.
 */
const callsIn = (requests: readonly JudgedRequest[]) =>
  listGroups(requests, ({ fingerprint }) => fingerprint).reduce((sum, attempts) => {
    const isOwn = (request: JudgedRequest) => isServed(request) || (request.isWrite && !request.isRefused);
    return sum + Math.max(1, attempts[0]?.call === undefined ? attempts.filter(isOwn).length : 1);
  }, 0);

/**
 * Whether the client certainly made one call after the other, although the scenario requires concurrent calls. Certain
 * only if the client had to wait before it had started enough calls.
 */
function isOneAfterAnother(requests: readonly JudgedRequest[], concurrent: number): boolean {
  const firstWait = requests.findIndex(
    (request, index) => request.deadlineMs !== undefined && index < requests.length - 1,
  );
  return (
    firstWait >= 0 &&
    firstWait + 1 < concurrent &&
    requests.every((request, index) => index === 0 || isAfter(requests[index - 1] as JudgedRequest, request))
  );
}

const isAfter = (previousRequest: JudgedRequest, request: JudgedRequest) =>
  request.id > previousRequest.lastArrivedId &&
  request.arrivedAtMs >=
    (previousRequest.deadlineMs ?? previousRequest.answeredAtMs) - toleranceOf(previousRequest, request);

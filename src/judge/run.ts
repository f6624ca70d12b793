import type { UnrecordedRequests } from '../journal/unrecorded.js';
import { targetOf } from '../requests/operation-table.js';
import type { ReportedOutcome, RequestRecord, WindowName } from '../requests/request-record.js';
import type { Deprecation, Deprecations, OperationRows, Service } from '../requests/service.js';
import { findLowest } from '../values/find-lowest.js';
import { groupByNumber } from '../values/group-by.js';
import { runToEnd, type Steps } from '../values/steps.js';
import { assignSessions } from './assign-sessions.js';
import type { RunPosition } from './client-session.js';
import type { Gaps } from './gaps.js';
import { type JudgedRequest, KnownRequest, type RequestFacts, toleranceMs, toleranceOf } from './judged-request.js';
import { markOutageRetries, markReadRefusals } from './knowledge.js';
import type { ClientNeeds, Expectation } from './needs.js';
import { isAdmitted, isAnswered, isUnknown } from './request-kind.js';

export {
  type JudgedRequest,
  type KnownRequest,
  receiptMs,
  toleranceMs,
  toleranceOf,
  waitedMs,
} from './judged-request.js';
export { isAdmitted, isAnswered, isServed, isUnknown } from './request-kind.js';

/** A refusal episode of one API key: from the first refusal to the next accepted request, or the end of the run. */
export interface RefusalEpisode<Request extends JudgedRequest = JudgedRequest> {
  /**
   * Requests with the API key in this episode: the refused requests, requests with a 5xx or an early redirect, then the
   * accepted request that ended the episode. Without an accepted request, the episode lasts until the end of the run.
   */
  readonly requests: readonly Request[];
  readonly refusals: readonly Request[];
}

/** End of the client's process. */
export interface ClientEnd {
  /** Whether the client's process was stopped from outside, so that a retry may be missing. */
  readonly isInterrupted?: boolean | undefined;
  /** Whether the client's process reported a failure by an exit code other than 0; `undefined` if unknown. */
  readonly hasFailed?: boolean | undefined;
}

/** Properties of a client's run that are known before its first request, such as its scenario. */
export interface RunScenario extends RequestFacts {
  readonly expect?: Expectation | undefined;
  /** Name of the run's scenario. */
  readonly scenario: string;
  /** Requirements of the scenario on its client. */
  readonly needs?: ClientNeeds | undefined;
  /** Deprecated operations of the simulated APIs. Default: none. */
  readonly deprecations?: Deprecations | undefined;
  /**
   * Name of the shortest window of each plan, by plan name; `undefined` if unknown, as in a recording. The judge then
   * assumes that `minute` is the shortest.
   */
  readonly shortestWindows?: Readonly<Record<string, WindowName>> | undefined;
}

/** Facts about the operations of services, for the judge. */
export function operationFacts(
  services: readonly Pick<Service, 'rows' | 'deprecations'>[],
): Pick<RunScenario, 'deprecations' | 'operations'> {
  const operations: OperationRows = Object.assign({}, ...services.map(({ rows }) => rows));
  const ofRows = Object.entries(operations).flatMap(([name, row]): [string, Deprecation][] =>
    row.deprecation === undefined ? [] : [[name, { target: targetOf(row), ...row.deprecation }]],
  );
  return {
    operations,
    deprecations: Object.assign(Object.fromEntries(ofRows), ...services.map((s) => s.deprecations)),
  };
}

/**
 * Facts about a client's run that the judge needs for a verdict. The facts change during the run, such as the number of
 * pending requests.
 */
export interface RunProgress {
  /** Current time, by the simulator's clock. */
  readonly nowMs: number;
  /** Number of records that the journal dropped to limit memory. A run with dropped records cannot pass. Default 0. */
  readonly dropped?: number | undefined;
  /** Counts of requests to paths outside the API, which have no journal entries. Default: none of these requests. */
  readonly unrecorded?: readonly UnrecordedRequests[] | undefined;
  /** Sentence about a part of the scenario that had no effect so far; `undefined` without such a part. */
  readonly idle?: string | undefined;
  /** Number of the client's requests that the simulator has not answered yet. Default: 0. */
  readonly pending?: number | undefined;
  /** Whether the client has ended, so that no retry can follow. Default `false`: the client may still be waiting. */
  readonly isOver?: boolean | undefined;
  /** Whether the requests are of a recording that ends in the middle of the run. Default `false`. */
  readonly isCut?: boolean | undefined;
  /** End of the client's process, if known. */
  readonly end?: ClientEnd | undefined;
  /** For each control operation that changed keys, limits or the clock's past: id of the request before it. Default: none. */
  readonly changedAfter?: readonly number[] | undefined;
  /** Returns the time at which a key expires; `undefined` for a key without one. */
  readonly expiresAtMs?: ((token: string | undefined) => number | undefined) | undefined;
  /** Outcomes that the client reported for its calls. Default: none. */
  readonly outcomes?: readonly ReportedOutcome[] | undefined;
  /** Host of the service, if it is another API than the Petstore. */
  readonly service?: string | undefined;
}

/** Facts about a run besides its requests: its scenario, and circumstances such as the client's end. */
export type RunFacts = RunScenario & RunProgress;

/**
 * A run of a client: its requests and circumstances. Rules of the judge for recorded traffic accept
 * any run. Rules that use the simulator's internal state, such as strikes, accept only a `Run<KnownRequest>`.
 */
export interface Run<Request extends JudgedRequest = JudgedRequest> extends RunScenario, RunProgress {
  readonly dropped: number;
  readonly unrecorded: readonly UnrecordedRequests[];
  readonly pending: number;
  readonly isOver: boolean;
  readonly expect: Expectation;
  readonly requests: readonly Request[];
  readonly episodes: readonly RefusalEpisode<Request>[];
  /** Gaps between the requests, if a recording is incomplete. */
  readonly gaps: Gaps | undefined;
  /** Requests grouped by fingerprint: each group has equal requests, which are probably attempts of one call. */
  readonly calls: readonly (readonly Request[])[];
}

/**
 * Results of analyzing a run's requests. `requests` contains the requests with values that the judge derives.
 * `episodes` contains the periods from an API key's refusal to the key's next success, and `calls` the groups of equal
 * requests.
 */
type AnalyzedRequests<Request extends JudgedRequest> = Pick<Run<Request>, 'requests' | 'episodes' | 'calls'>;

/**
 * Facts about a run that affect how the judge groups its requests. These are the calls that the scenario requires, and
 * whether the client can read rate-limit headers.
 */
type AnalysisFacts = Pick<RunScenario, 'needs'> & RequestFacts;

/**
 * Converts journal records to the judge's requests, without relations such as retries.
 * @param entries journal records in order of arrival
 */
export const readRequests = (entries: readonly RequestRecord[]): KnownRequest[] =>
  runToEnd(assignSessions(entries, 1, (entry, position) => new KnownRequest(entry, position, {})));

/**
 * Creates the run that the judge examines, from journal records and other facts. Works in steps, between
 * which a server handles other requests.
 * @param entries journal records in order of arrival
 * @param Kind class of the requests: `JudgedRequest`, or `KnownRequest` with information that only the simulator has
 */
export function* createRun<Request extends JudgedRequest>(
  entries: readonly RequestRecord[],
  facts: RunFacts,
  Kind: RequestClass<Request>,
  gaps?: Gaps,
): Steps<Run<Request>> {
  const { dropped = 0, unrecorded = [], pending = 0, isOver = false, expect = {} } = facts;
  const read = yield* analyze(entries, facts, Kind, gaps);
  return { ...facts, dropped, unrecorded, pending, isOver, expect, gaps, ...read };
}

/** Class of the requests of a run: `JudgedRequest`, or `KnownRequest` for those of the simulator. */
export type RequestClass<Request> = new (entry: RequestRecord, position: RunPosition, facts: RequestFacts) => Request;

function* analyze<Request extends JudgedRequest>(
  entries: readonly RequestRecord[],
  facts: AnalysisFacts,
  Kind: RequestClass<Request>,
  gaps?: Gaps,
): Steps<AnalyzedRequests<Request>> {
  const { parallel: callers = 1, calls: known = Number.POSITIVE_INFINITY } = facts.needs ?? {};
  const requests = yield* assignSessions(entries, callers, (entry, position) => new Kind(entry, position, facts));
  const ofKeys = groupByNumber(requests, ({ session }) => session.series);
  yield;
  const episodes = ofKeys.flatMap((same) => episodesOf(same, gaps));
  yield;
  const calls = groupByNumber(requests, ({ fingerprint }) => fingerprint);
  yield;
  const shared = callers > 1 ? sharedByCalls(calls) : new Set<number>();
  const answered = shared.size > 0 ? requests.filter(isAnswered) : [];
  for (const { requests: ofEpisode } of episodes) {
    const firstId = ofEpisode[0]?.id ?? 0;
    const before = findLowest(answered.length, (at) => (answered[at] as Request).id > firstId);
    markReadRefusals(ofEpisode, { shared, open: known - before });
  }
  yield;
  markOutageRetries(requests);
  if (gaps !== undefined)
    for (const request of requests) {
      const outage = request.retryOfOutage;
      if (outage !== undefined && gaps.mayEnd(outage, request)) request.retryOfOutage = undefined;
    }
  return { requests, episodes, calls };
}

/**
 * Returns the fingerprints (numbers that equal requests share) under which the client made several calls, not only
 * retries. Such a fingerprint is the run's only one, or several of its requests got a usable response.
 */
const sharedByCalls = (calls: readonly (readonly JudgedRequest[])[]): Set<number> =>
  new Set(
    calls.flatMap((tries) =>
      calls.length === 1 || tries.filter(isAnswered).length > 1 ? [(tries[0] as JudgedRequest).fingerprint] : [],
    ),
  );

/** Whether a request stores or changes data, as a POST does. */
export const isWrite = (request: JudgedRequest) => request.isWrite;

/** Whether the scenario requires a writing operation of its client, and the client called this operation. */
export const asksForWrites = ({ requests, needs }: Run) =>
  needs?.operation !== undefined &&
  requests.some((request) => request.isWrite && request.operation === needs.operation);

/** Selects a run's calls of writing operations, such as `createPet`, each as a list of attempts. */
export const writesOf = <Request extends JudgedRequest>({ calls }: Run<Request>) =>
  calls.filter(([first]) => first !== undefined && isWrite(first));

/**
 * Time by which a request was too early after a refusal. Negative if punctual, `undefined` if the response named no
 * time.
 */
export const earlyMs = (refusal: JudgedRequest, request: JudgedRequest) =>
  refusal.deadlineMs === undefined ? undefined : refusal.deadlineMs - request.arrivedAtMs;

/**
 * Earliest recorded time of a retry after the wait that a refusal required. A recorder that rounds times down moves the
 * retry to the step before.
 */
export function endOfWaitMs({ deadlineMs, clockStepMs }: JudgedRequest): number | undefined {
  if (deadlineMs === undefined) return undefined;
  return clockStepMs === 0 ? deadlineMs - toleranceMs : Math.floor(deadlineMs / clockStepMs) * clockStepMs;
}

/**
 * Whether a request arrived before the end of the wait that a refusal required, by more than 50 ms plus the resolution
 * of the times. A smaller difference counts as an imprecise timer.
 */
export const isEarly = (refusal: JudgedRequest, request: JudgedRequest) =>
  (earlyMs(refusal, request) ?? 0) > toleranceOf(refusal, request);

/**
 * Divides the requests of one key into episodes. A gap of a recording that may have ended an episode ends it, so that
 * no rule compares requests before and after the gap.
 */
function episodesOf<Request extends JudgedRequest>(
  requests: readonly Request[],
  gaps: Gaps | undefined,
): RefusalEpisode<Request>[] {
  const episodes: RefusalEpisode<Request>[] = [];
  let current: Request[] = [];
  let hasLimit = false;
  const close = () => {
    if (current.length === 0) return;
    episodes.push({ requests: current, refusals: current.filter(({ isRefused }) => isRefused) });
    current = [];
    hasLimit = false;
  };
  for (const request of requests) {
    const last = current.at(-1);
    if (last !== undefined && gaps?.mayEnd(last, request)) close();
    if (request.isRefused) {
      current.push(request);
      hasLimit ||= request.isByLimit;
    } else if (current.length > 0 && (request.isLimited || !hasLimit) && request.status !== 401) {
      current.push(request);
      if (isClosing(request, current)) close();
    }
  }
  close();
  return episodes;
}

/**
 * Whether a request ends the episode of the refusals before it: an admitted one, one whose response was lost, and a
 * redirect after the wait, which may be the service's usual response.
 */
function isClosing(request: JudgedRequest, episode: readonly JudgedRequest[]): boolean {
  if (isAdmitted(request)) return true;
  const isServerError = request.status >= 500 && !request.isUnreadable && !request.isAbandoned;
  if (isUnknown(request)) return !isServerError;
  const refusal = episode.findLast(({ isRefused }) => isRefused);
  return refusal === undefined || !isEarly(refusal, request);
}

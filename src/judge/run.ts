import type { ReportedOutcome, RequestRecord } from '../requests/request-record.js';
import type { Deprecations } from '../requests/service.js';
import { findLowest } from '../values/find-lowest.js';
import { groupByNumber } from '../values/group-by.js';
import { runToEnd, type Steps } from '../values/steps.js';
import { assignSessions } from './assign-sessions.js';
import type { RunPosition } from './client-session.js';
import { JudgedRequest, KnownRequest } from './judged-request.js';
import { markOutageRetries, markReadRefusals } from './knowledge.js';
import type { ClientNeeds } from './needs.js';
import { isAnswered } from './request-kind.js';

export { type JudgedRequest, type KnownRequest, receiptMs, toleranceMs } from './judged-request.js';
export { isAnswered, isServed, isUnknown } from './request-kind.js';

/** A refusal episode of one API key: from the first refusal to the next accepted request, or the end of the run. */
export interface RefusalEpisode<Request extends JudgedRequest = JudgedRequest> {
  /**
   * Requests of the API key from the first refusal on: refused requests, then the accepted request that ended this
   * series, if any.
   */
  readonly requests: readonly Request[];
  readonly refusals: readonly Request[];
}

/** How the client's process ended. */
export interface ClientEnd {
  /** Whether the client's process was stopped from outside, so that a retry may be missing. */
  readonly isInterrupted?: boolean | undefined;
  /** Whether the client's process reported a failure by an exit code other than 0; `undefined` if unknown. */
  readonly hasFailed?: boolean | undefined;
}

/** Facts about a run besides its requests. */
export interface RunCircumstances {
  /** Time of the verdict, in Unix milliseconds of the simulator's clock. */
  readonly endMs: number;
  /** Whether the client has ended, so that no retry can follow. */
  readonly isOver: boolean;
  /** Number of requests that have no response yet, and so no journal record. */
  readonly pending: number;
  readonly end?: ClientEnd | undefined;
  /** Number of records that the journal dropped to limit memory. Default 0. */
  readonly dropped?: number | undefined;
  readonly outcomes?: readonly ReportedOutcome[] | undefined;
  /** Host of the service, if it is another API than the Petstore. */
  readonly service?: string | undefined;
  /** Sentence about a part of the scenario that had no effect; `undefined` without such a part. */
  readonly idle?: string | undefined;
  /** Requirements of the scenario on its client. */
  readonly needs?: ClientNeeds | undefined;
  /** Deprecated operations of the judged service, and of others that the simulator serves. Default: none. */
  readonly deprecations?: Deprecations | undefined;
}

/**
 * A run of a client: its requests, and circumstances such as outages. Rules that need the simulator's internal state
 * require `Run<KnownRequest>`; other rules accept any run.
 */
export interface Run<Request extends JudgedRequest = JudgedRequest> extends RunCircumstances {
  readonly requests: readonly Request[];
  readonly episodes: readonly RefusalEpisode<Request>[];
  /** Requests grouped by fingerprint: each group has equal requests, which are probably attempts of one call. */
  readonly calls: readonly (readonly Request[])[];
}

/** The part of a run that depends only on its requests, so that it can be cached. */
export type AnalyzedRequests<Request extends JudgedRequest> = Pick<Run<Request>, 'requests' | 'episodes' | 'calls'>;

/** Options for the analysis of a run's requests. */
export interface AnalysisOptions {
  /** Known number of concurrent callers. Default 1: the judge detects concurrency by overlapping requests. */
  readonly callers?: number | undefined;
  /** Known number of the client's calls. Retries do not count. */
  readonly calls?: number | undefined;
  /** Whether the client is a page of another origin that cannot read the rate-limit headers. */
  readonly areHeadersHidden?: boolean | undefined;
}

/**
 * Analyzes journal records for the judge.
 * @param entries in order of arrival
 */
export const analyzeRequests = (
  entries: readonly RequestRecord[],
  options: AnalysisOptions = {},
): AnalyzedRequests<KnownRequest> => runToEnd(analyzeInSteps(entries, options));

/** Analyzes journal records for the judge, in steps. */
export const analyzeInSteps = (
  entries: readonly RequestRecord[],
  options: AnalysisOptions = {},
): Steps<AnalyzedRequests<KnownRequest>> => read(entries, options, KnownRequest);

/** Analyzes requests of recorded traffic for the judge, without the simulator's internal knowledge. */
export const analyzeObserved = (
  entries: readonly RequestRecord[],
  options: AnalysisOptions = {},
): AnalyzedRequests<JudgedRequest> => runToEnd(read(entries, options, JudgedRequest));

function* read<Request extends JudgedRequest>(
  entries: readonly RequestRecord[],
  { callers = 1, calls: known = Number.POSITIVE_INFINITY, areHeadersHidden = false }: AnalysisOptions,
  Kind: new (entry: RequestRecord, position: RunPosition, areHeadersHidden: boolean) => Request,
): Steps<AnalyzedRequests<Request>> {
  const requests = yield* assignSessions(
    entries,
    callers,
    (entry, position) => new Kind(entry, position, areHeadersHidden),
  );
  const ofKeys = groupByNumber(requests, ({ session }) => session.series);
  yield;
  const episodes = ofKeys.flatMap((same) => episodesOf(same));
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
  return { requests, episodes, calls };
}

/**
 * Returns the fingerprints of requests that several calls of the client share: the client's requests are all equal, or
 * more than one of the equal requests got an answer that ends a call.
 */
const sharedByCalls = (calls: readonly (readonly JudgedRequest[])[]): Set<number> =>
  new Set(
    calls.flatMap((tries) =>
      calls.length === 1 || tries.filter(isAnswered).length > 1 ? [(tries[0] as JudgedRequest).fingerprint] : [],
    ),
  );

/** Whether a request stores or changes data, as a POST does. */
export const isWrite = (request: JudgedRequest) => request.isWrite;

/**
 * Whether the scenario requires its client to write. `false` if the client never called the required operation, because
 * the journal then does not show whether it writes.
 */
export const asksForWrites = ({ requests, needs }: Run) =>
  needs?.operation !== undefined &&
  requests.some((request) => request.isWrite && request.operation === needs.operation);

/** Selects the calls that write, each as the list of its attempts. */
export const writesOf = <Request extends JudgedRequest>({ calls }: Run<Request>) =>
  calls.filter(([first]) => first !== undefined && isWrite(first));

/**
 * Time by which a request was too early after a refusal, in milliseconds. Negative if punctual, `undefined` if the
 * response named no time.
 */
export const earlyMs = (refusal: JudgedRequest, request: JudgedRequest) =>
  refusal.deadlineMs === undefined ? undefined : refusal.deadlineMs - request.arrivedAtMs;

function episodesOf<Request extends JudgedRequest>(requests: readonly Request[]): RefusalEpisode<Request>[] {
  const episodes: RefusalEpisode<Request>[] = [];
  let current: Request[] = [];
  let hasLimit = false;
  const close = (refusals: readonly Request[]) => {
    if (current.length === 0) return;
    episodes.push({ requests: current, refusals });
    current = [];
    hasLimit = false;
  };
  for (const request of requests) {
    if (request.isRefused) {
      current.push(request);
      hasLimit ||= request.isByLimit;
    } else if (current.length > 0 && isAdmitted(request, hasLimit)) {
      const refusals = [...current];
      current.push(request);
      close(refusals);
    }
  }
  close(current);
  return episodes;
}

/**
 * Whether a request after a refusal proves that the API key is accepted again. A 401 does not, nor a request of an
 * operation to which no limit applies.
 */
const isAdmitted = ({ status, isLimited }: JudgedRequest, hasLimit: boolean) =>
  status !== 401 && (isLimited || !hasLimit);

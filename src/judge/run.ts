import type { ReportedOutcome, RequestRecord } from '../requests/request-record.js';
import { groupByNumber } from '../values/group-by.js';
import { runToEnd, type Steps } from '../values/steps.js';
import { JudgedRequest, KnownRequest } from './judged-request.js';
import { markOutageRetries, markReadRefusals } from './knowledge.js';
import { placeInLanes } from './lanes.js';
import type { ClientNeeds } from './needs.js';
import type { Place } from './place.js';

export { graceMs, type JudgedRequest, type KnownRequest, toleranceMs } from './judged-request.js';
export { isAnswered, isServed, isUnknown } from './request-kind.js';

/** A refusal episode of one key, from its first refusal to its next accepted request or the end of the run. */
export interface Episode<Request extends JudgedRequest = JudgedRequest> {
  /** All requests of the key in the episode: refusals, then the accepted request that ends the episode, if any. */
  readonly requests: readonly Request[];
  readonly refusals: readonly Request[];
}

/** End of the client's process, if known. */
export interface ClientEnd {
  /** Whether the process was stopped from outside, possibly before a retry. */
  readonly isInterrupted?: boolean | undefined;
  /** Whether the process reported a failure by an exit code other than 0. */
  readonly hasFailed?: boolean | undefined;
}

/** Information about a run besides its requests. */
export interface RunCircumstances {
  /** Time of the judgment, in Unix milliseconds of the simulator's clock. */
  readonly endMs: number;
  /** Whether the client is known to send no further requests. */
  readonly isOver: boolean;
  /** Number of requests without a response, which are not in the journal yet. */
  readonly pending: number;
  readonly end?: ClientEnd | undefined;
  /** Number of entries dropped from the journal. Default 0. */
  readonly dropped?: number | undefined;
  readonly outcomes?: readonly ReportedOutcome[] | undefined;
  /** Host of the service, if it is another than the API of the interface document. */
  readonly service?: string | undefined;
  /** Part of the scenario that had no effect, if known, in one sentence. */
  readonly idle?: string | undefined;
  /** Requirements of the scenario on its client. */
  readonly needs?: ClientNeeds | undefined;
}

/** Input of the rules. Rules about observable behavior accept any run, others need a `Run<KnownRequest>`. */
export interface Run<Request extends JudgedRequest = JudgedRequest> extends RunCircumstances {
  readonly requests: readonly Request[];
  readonly episodes: readonly Episode<Request>[];
  /** Requests with equal fingerprints, which are probably attempts of one call. Indexed by fingerprint. */
  readonly calls: readonly (readonly Request[])[];
}

/** Part of a run that follows from its requests alone, so can be cached. */
export type ReadRequests<Request extends JudgedRequest> = Pick<Run<Request>, 'requests' | 'episodes' | 'calls'>;

/** Options for reading requests. */
export interface Reading {
  /** Known number of concurrent callers. If 1 (the default), concurrency is inferred from overlapping requests. */
  readonly callers?: number | undefined;
  /** Whether the client is a page of another origin that cannot read the rate-limit headers. */
  readonly areHeadersHidden?: boolean | undefined;
}

/**
 * Reads the entries of a journal.
 * @param entries in order of arrival
 */
export const readRequests = (entries: readonly RequestRecord[], reading: Reading = {}): ReadRequests<KnownRequest> =>
  runToEnd(readInSteps(entries, reading));

/** Reads the entries of a journal, in steps. */
export const readInSteps = (
  entries: readonly RequestRecord[],
  reading: Reading = {},
): Steps<ReadRequests<KnownRequest>> => read(entries, reading, KnownRequest);

/** Reads requests that were only observed, without the simulator's internal knowledge. */
export const readObserved = (entries: readonly RequestRecord[], reading: Reading = {}): ReadRequests<JudgedRequest> =>
  runToEnd(read(entries, reading, JudgedRequest));

function* read<Request extends JudgedRequest>(
  entries: readonly RequestRecord[],
  { callers = 1, areHeadersHidden = false }: Reading,
  Kind: new (entry: RequestRecord, place: Place, areHeadersHidden: boolean) => Request,
): Steps<ReadRequests<Request>> {
  const requests = yield* placeInLanes(entries, callers, (entry, place) => new Kind(entry, place, areHeadersHidden));
  const ofKeys = groupByNumber(requests, ({ lane }) => lane.series);
  yield;
  const episodes = ofKeys.flatMap((same) => episodesOf(same));
  yield;
  for (const episode of episodes) markReadRefusals(episode.requests);
  yield;
  markOutageRetries(requests);
  yield;
  const calls = groupByNumber(requests, ({ fingerprint }) => fingerprint);
  return { requests, episodes, calls };
}

/** Whether the request is a write. */
export const isWrite = (request: JudgedRequest) => request.isWrite;

/** Whether the scenario asks for an operation that writes; `false` if no request called the operation. */
export const asksForWrites = ({ requests, needs }: Run) =>
  needs?.operation !== undefined && requests.some((each) => each.isWrite && each.operation === needs.operation);

/** Attempts per call, for calls that write. */
export const writesOf = <Request extends JudgedRequest>({ calls }: Run<Request>) =>
  calls.filter(([first]) => first !== undefined && isWrite(first));

/**
 * Time by which a request was early, in milliseconds; negative if on time, `undefined` if the response named no time.
 */
export const earlyMs = (refusal: JudgedRequest, request: JudgedRequest) =>
  refusal.deadlineMs === undefined ? undefined : refusal.deadlineMs - request.arrivedAtMs;

function episodesOf<Request extends JudgedRequest>(requests: readonly Request[]): Episode<Request>[] {
  const episodes: Episode<Request>[] = [];
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
 * Whether a request ends an episode. A 401 does not, and a request without limits does not end an episode of rate
 * limiting.
 */
const isAdmitted = ({ status, isLimited }: JudgedRequest, hasLimit: boolean) =>
  status !== 401 && (isLimited || !hasLimit);

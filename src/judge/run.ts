import type { ReportedOutcome, RequestRecord } from '../requests/request-record.js';
import { groupByNumber } from '../values/group-by.js';
import { inOneGo, type Steps } from '../values/steps.js';
import { JudgedRequest, KnownRequest } from './judged-request.js';
import { markKnowledge, markOutages } from './knowledge.js';
import { placeInLanes } from './lanes.js';
import type { ClientNeeds } from './needs.js';
import type { Place } from './place.js';

export { graceMs, type JudgedRequest, type KnownRequest, toleranceMs } from './judged-request.js';
export { isAnswered, isServed, isUnknown } from './request-kind.js';

/** From the first refusal of a key to its next admitted request, or to the end of the run. */
export interface Episode<Request extends JudgedRequest = JudgedRequest> {
  /** Every request of the key in the episode, refused ones first; the last may be the admitted one that ends it. */
  readonly requests: readonly Request[];
  readonly refusals: readonly Request[];
}

/** What became of the client's process, where somebody waited for it. */
export interface ClientEnd {
  /** Whether it was stopped from outside, so that it may have been about to go on. */
  readonly isInterrupted?: boolean | undefined;
  /** Whether it told its caller that it failed: an exit code other than 0. */
  readonly hasFailed?: boolean | undefined;
}

/** What is known of a run apart from its requests. */
export interface RunCircumstances {
  /** The instant at which the run is judged. */
  readonly endMs: number;
  /** Whether the client is known to send nothing any more. */
  readonly isOver: boolean;
  /** How many requests wait for their answer, and are in no journal yet. */
  readonly pending: number;
  readonly end?: ClientEnd | undefined;
  /** How many entries the journal has lost. Default 0. */
  readonly dropped?: number | undefined;
  readonly outcomes?: readonly ReportedOutcome[] | undefined;
  /** What in the scenario had no effect, where that is known: one sentence. */
  readonly idle?: string | undefined;
  /** What the scenario needs of a client so that it is met. */
  readonly needs?: ClientNeeds | undefined;
}

/** What the rules look at. A rule that reads only what can be observed takes any run, one that needs more a `Run<KnownRequest>`. */
export interface Run<Request extends JudgedRequest = JudgedRequest> extends RunCircumstances {
  readonly requests: readonly Request[];
  readonly episodes: readonly Episode<Request>[];
  /** The tries of each call, as far as can be known: what one key sent with one fingerprint, which is its place here. */
  readonly calls: readonly (readonly Request[])[];
}

/** What is read of the requests alone, whenever the run is judged. */
export type ReadRequests<Request extends JudgedRequest> = Pick<Run<Request>, 'requests' | 'episodes' | 'calls'>;

/** How the requests are to be read. */
export interface Reading {
  /** How many callers the client is known to have side by side. Default 1: their times say. */
  readonly callers?: number | undefined;
  /** Whether the client is a page of another origin that is shown no header of the limits. */
  readonly areHeadersHidden?: boolean | undefined;
}

/**
 * Reads a journal once.
 * @param entries in the order of arrival
 */
export const readRequests = (entries: readonly RequestRecord[], reading: Reading = {}): ReadRequests<KnownRequest> =>
  inOneGo(readInSteps(entries, reading));

/** The same in steps. */
export const readInSteps = (
  entries: readonly RequestRecord[],
  reading: Reading = {},
): Steps<ReadRequests<KnownRequest>> => read(entries, reading, KnownRequest);

/** The same for requests that were only observed, so that nobody knows what the service thought of them. */
export const readObserved = (entries: readonly RequestRecord[], reading: Reading = {}): ReadRequests<JudgedRequest> =>
  inOneGo(read(entries, reading, JudgedRequest));

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
  for (const episode of episodes) markKnowledge(episode.requests);
  yield;
  markOutages(requests);
  yield;
  const calls = groupByNumber(requests, ({ fingerprint }) => fingerprint);
  return { requests, episodes, calls };
}

/** Whether a request tries to store something. */
export const isWrite = (request: JudgedRequest) => request.isWrite;

/** Whether the scenario asks for an operation that writes; `false` if no request called the operation. */
export const asksForWrites = ({ requests, needs }: Run) =>
  needs?.operation !== undefined && requests.some((each) => each.isWrite && each.operation === needs.operation);

/** The tries of each call that writes. */
export const writesOf = <Request extends JudgedRequest>({ calls }: Run<Request>) =>
  calls.filter(([first]) => first !== undefined && isWrite(first));

/** How much too early a request came after what it was told; negative when on time, `undefined` without a promise. */
export const earlyMs = (told: JudgedRequest, request: JudgedRequest) =>
  told.deadlineMs === undefined ? undefined : told.deadlineMs - request.arrivedAtMs;

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

/** A 401 says nothing about limits, and an operation without limits is served whatever they say. */
const isAdmitted = ({ status, isLimited }: JudgedRequest, hasLimit: boolean) =>
  status !== 401 && (isLimited || !hasLimit);

import type { ReportedOutcome, RequestRecord } from '../state/request-record.js';
import { type JudgedRequest, judgedRequests } from './judged-request.js';
import { markKnowledge, markOutages } from './knowledge.js';

export { graceMs, type JudgedRequest, toleranceMs } from './judged-request.js';

/** From the first refusal of a key to its next served request, or to the end of the run. */
export interface Episode {
  /** Every request of the key in the episode, refused ones first; the last may be the served one that ends it. */
  readonly requests: readonly JudgedRequest[];
  readonly refusals: readonly JudgedRequest[];
  readonly served: JudgedRequest | undefined;
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
  readonly outcomes?: readonly ReportedOutcome[] | undefined;
}

/** What the rules look at. */
export interface Run extends RunCircumstances {
  readonly requests: readonly JudgedRequest[];
  readonly episodes: readonly Episode[];
}

/**
 * Reads a journal once.
 * @param entries in the order of arrival
 * @param isParallel whether the client is known to send requests side by side; else their times say
 */
export function prepareRun(
  entries: readonly RequestRecord[],
  circumstances: RunCircumstances,
  isParallel = false,
): Run {
  const requests = judgedRequests(entries, isParallel);
  const episodes = [...groupBy(requests, ({ era, token }) => `${era} ${token}`).values()].flatMap(episodesOf);
  for (const episode of episodes) markKnowledge(episode.requests);
  markOutages(requests);
  return { ...circumstances, requests, episodes };
}

export function groupBy<Item, Key>(items: readonly Item[], keyOf: (item: Item) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}

/** All tries of one call, in every call of the run: what one key sent with one fingerprint. */
export const callsOf = (requests: readonly JudgedRequest[]): JudgedRequest[][] => [
  ...groupBy(requests, ({ token, fingerprint }) => `${token} ${fingerprint}`).values(),
];

/** The requests that try to store a pet. */
export const writesOf = ({ requests }: Run): JudgedRequest[] =>
  requests.filter(({ operation }) => operation === 'createPet');

/** Whether the client could not tell what became of its request: cut, unreadable, given up, or a 5xx. */
export const isUnknown = ({ isUnreadable, isAbandoned, status }: JudgedRequest) =>
  isUnreadable || isAbandoned || status === 0 || status >= 500;

/** How much too early a request came after what it was told; negative when on time, `undefined` without a promise. */
export const earlyMs = (told: JudgedRequest, request: JudgedRequest) =>
  told.deadlineMs === undefined ? undefined : told.deadlineMs - request.arrivedAtMs;

function episodesOf(requests: readonly JudgedRequest[]): Episode[] {
  const episodes: Episode[] = [];
  let current: JudgedRequest[] = [];
  let hasLimit = false;
  const close = (served: JudgedRequest | undefined) => {
    if (current.length === 0) return;
    episodes.push({ requests: current, refusals: current.filter(({ isRefused }) => isRefused), served });
    current = [];
    hasLimit = false;
  };
  for (const request of requests) {
    if (request.isRefused) {
      current.push(request);
      hasLimit ||= request.refusal === 'limit';
    } else if (current.length > 0 && isAccepted(request, hasLimit)) {
      current.push(request);
      close(request);
    }
  }
  close(undefined);
  return episodes;
}

/** A 401 says nothing about limits, and an operation without limits is served whatever they say. */
const isAccepted = ({ status, isLimited }: JudgedRequest, hasLimit: boolean) =>
  status !== 401 && (isLimited || !hasLimit);

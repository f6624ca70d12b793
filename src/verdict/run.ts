import type { RequestRecord } from '../state/journal.js';
import { readReset, readRetryAfter } from './promises.js';

/** One request of the client, with what the judge derives from its entry in the journal. */
export interface JudgedRequest extends RequestRecord {
  /** The same for requests that may be one call tried again: method, path, query, body and `X-Sim-Call`. */
  readonly fingerprint: string;
  /** Whether the client was told to wait: 429, or a ban under any status. */
  readonly isRefused: boolean;
  /** The earliest instant that the answer named for coming back; `undefined` where it named none that can be read. */
  readonly deadlineMs: number | undefined;
  /** The wait that Retry-After asked for; `undefined` where it was missing or cannot be read. */
  readonly retryAfterMs: number | undefined;
  /** Counted up each time the clock was set back; instants of two eras cannot be compared. */
  readonly era: number;
  /** Whether the key had requests on other connections right before or after it, so that it may have been sent blindly. */
  readonly isOverlapped: boolean;
}

/** From the first refusal of a key to its next served request, or to the end of the run. */
export interface Episode {
  /** Every request of the key in the episode, refused ones first; the last may be the served one that ends it. */
  readonly requests: readonly JudgedRequest[];
  readonly refusals: readonly JudgedRequest[];
  readonly served: JudgedRequest | undefined;
}

/** What the rules look at. */
export interface Run {
  readonly requests: readonly JudgedRequest[];
  readonly episodes: readonly Episode[];
  /** The instant at which the run is judged. */
  readonly endMs: number;
  /** Whether the client is known to send nothing any more. */
  readonly isOver: boolean;
  /** How many requests wait for their answer, and are in no journal yet. */
  readonly pending: number;
}

/** A request that comes less than this too early is on time: timers are that exact. */
export const toleranceMs = 50;
/** A request that comes this long after an answer has seen it, whatever the connection; a parallel burst is over. */
export const graceMs = 1_000;
/** Requests on two connections this close together may have been sent side by side; a pool alternates between the two. */
const besideMs = 100;
/** A clock that was set back by less than this was corrected, and the run goes on. */
const correctionMs = 1_000;

export function prepareRun(entries: readonly RequestRecord[], state: Omit<Run, 'requests' | 'episodes'>): Run {
  const requests = judged(entries);
  const groups = groupBy(requests, ({ era, token }) => `${era} ${token}`);
  return { ...state, requests, episodes: [...groups.values()].flatMap(episodesOf) };
}

/**
 * Whether the client must have had the answer to `earlier` when it sent `later`: a second lies in between, both are of
 * one named call, or one connection brought both and there was no other. A parallel burst proves nothing: what waits in
 * the client for a free connection was sent blindly.
 */
export function hasRead(earlier: JudgedRequest, later: JudgedRequest): boolean {
  if (later.id <= earlier.id || later.arrivedAtMs < earlier.answeredAtMs) return false;
  if (later.arrivedAtMs - earlier.answeredAtMs > graceMs) return true;
  if (later.call !== undefined && later.call === earlier.call) return true;
  return later.connection !== undefined && later.connection === earlier.connection && !later.isOverlapped;
}

/** Those of the requests, which are in the order of their arrival, that came after the answer to an earlier one. */
export function retriesOf(requests: readonly JudgedRequest[]): JudgedRequest[] {
  return requests.filter((request, index) => {
    for (let at = 0; at < index; at++) if (hasRead(requests[at] as JudgedRequest, request)) return true;
    return false;
  });
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

function judged(entries: readonly RequestRecord[]): JudgedRequest[] {
  let era = 0;
  let lastMs = Number.NEGATIVE_INFINITY;
  const requests = entries.map((entry) => {
    if (entry.arrivedAtMs < lastMs - correctionMs) era++;
    lastMs = entry.arrivedAtMs;
    const isRefused = entry.refusal !== undefined || entry.status === 429;
    return { ...entry, fingerprint: fingerprintOf(entry), isRefused, ...promiseOf(entry, isRefused), era };
  });
  const overlapped = new Set(
    [...groupBy(requests, ({ era, token }) => `${era} ${token}`).values()].flatMap(overlappedOf),
  );
  return requests.map((request) => ({ ...request, isOverlapped: overlapped.has(request.id) }));
}

function fingerprintOf({ call, method, path, query, requestBody }: RequestRecord): string {
  const body = requestBody === undefined ? '' : new TextDecoder().decode(requestBody);
  return [call, method, path, query, body].join(' ');
}

/** Both headers are promises, and the earlier one counts; but none asks for less than the other by lying in the past. */
function promiseOf(entry: RequestRecord, isRefused: boolean): Pick<JudgedRequest, 'deadlineMs' | 'retryAfterMs'> {
  if (!isRefused) return { deadlineMs: undefined, retryAfterMs: undefined };
  const retryAfterMs = readRetryAfter(entry);
  const resetMs = readReset(entry);
  if (retryAfterMs === undefined) return { deadlineMs: resetMs, retryAfterMs };
  const untilMs = entry.answeredAtMs + retryAfterMs;
  const isAhead = resetMs !== undefined && resetMs > entry.answeredAtMs;
  return { deadlineMs: isAhead ? Math.min(untilMs, resetMs) : untilMs, retryAfterMs };
}

/** The ids of the requests of one key that had others of it on another connection right before or after. */
function overlappedOf(requests: readonly Pick<JudgedRequest, 'id' | 'arrivedAtMs' | 'connection'>[]): number[] {
  const near = new Map<number | undefined, number>();
  const overlapped: number[] = [];
  let first = 0;
  let next = 0;
  for (const { id, arrivedAtMs } of requests) {
    for (; next < requests.length && (requests[next]?.arrivedAtMs ?? 0) <= arrivedAtMs + besideMs; next++) {
      const { connection } = requests[next] ?? {};
      near.set(connection, (near.get(connection) ?? 0) + 1);
    }
    for (; (requests[first]?.arrivedAtMs ?? arrivedAtMs) < arrivedAtMs - besideMs; first++) {
      const { connection } = requests[first] ?? {};
      const count = (near.get(connection) ?? 0) - 1;
      if (count > 0) near.set(connection, count);
      else near.delete(connection);
    }
    if (near.size > 1) overlapped.push(id);
  }
  return overlapped;
}

function episodesOf(requests: readonly JudgedRequest[]): Episode[] {
  const episodes: Episode[] = [];
  let current: JudgedRequest[] = [];
  const close = (served: JudgedRequest | undefined) => {
    if (current.length === 0) return;
    episodes.push({ requests: current, refusals: current.filter(({ isRefused }) => isRefused), served });
    current = [];
  };
  for (const request of requests) {
    if (request.isRefused) current.push(request);
    else if (current.length > 0 && isAccepted(request, current)) {
      current.push(request);
      close(request);
    }
  }
  close(undefined);
  return episodes;
}

/** A 401 says nothing about limits, and an operation without limits is served whatever they say. */
const isAccepted = ({ status, isLimited }: JudgedRequest, refused: readonly JudgedRequest[]) =>
  status !== 401 && (isLimited || !refused.some(({ refusal }) => refusal === 'limit'));

import type { ObservedRequest } from '../state/request-record.js';
import type { Steps } from '../values/steps.js';
import { graceMs, type JudgedRequest } from './judged-request.js';
import type { Lane, Place } from './place.js';

/** Where refusals are not held back, requests on two connections this close together may have been sent side by side. */
const besideMs = 100;
/** A clock that was set back by less than this was corrected, and the run goes on. */
const correctionMs = 1_000;

const entriesOfStep = 500;

/**
 * The entries with what can be said of each by itself and by its neighbours in time.
 * @param entries in the order of arrival
 * @param callers how many callers the client is known to have; 1: their times say
 * @param toRequest makes a request of an entry
 */
export function* placeInLanes<Entry extends ObservedRequest, Request extends JudgedRequest>(
  entries: readonly Entry[],
  callers: number,
  toRequest: (entry: Entry, place: Place) => Request,
): Steps<Request[]> {
  const lanes = new Map<string, Lane>();
  const fingerprints = new Map<string, number>();
  let era = 0;
  let lastMs = Number.NEGATIVE_INFINITY;
  const requests: Request[] = [];
  for (const entry of entries) {
    if (entry.arrivedAtMs < lastMs - correctionMs) era++;
    lastMs = entry.arrivedAtMs;
    const lane = laneOf(lanes, entry, era, callers);
    requests.push(toRequest(entry, { lane, era, fingerprint: fingerprintOf(fingerprints, entry) }));
    if (requests.length % entriesOfStep === 0) yield;
  }
  markOverlaps(
    requests,
    entries.some(({ heldMs }) => heldMs > 0),
  );
  if (callers > 1) markQueues(requests);
  return requests;
}

/**
 * Notes for each request since when it may have waited in the client: since the first of those that came one soon after
 * the other, because callers queue for connections, and a busy machine takes its time. But of so many callers one has come
 * back when more requests than callers have come.
 */
function markQueues(requests: readonly JudgedRequest[]): void {
  const queues = new Map<Lane, JudgedRequest[]>();
  for (const request of requests) {
    const { lane, arrivedAtMs } = request;
    const queue = queues.get(lane);
    const last = queue?.at(-1);
    if (queue === undefined || last === undefined || arrivedAtMs - last.answeredAtMs > graceMs) {
      queues.set(lane, [request]);
      continue;
    }
    queue.push(request);
    const cameBack = queue[queue.length - 1 - lane.callers];
    request.queuedAtMs = cameBack === undefined ? (queue[0] as JudgedRequest).arrivedAtMs : cameBack.answeredAtMs;
  }
}

function laneOf(lanes: Map<string, Lane>, { token, client }: ObservedRequest, era: number, callers: number): Lane {
  const name = `${era} ${token} ${client}`;
  let lane = lanes.get(name);
  if (lane === undefined) {
    lane = { token, isOneThread: callers === 1, callers };
    lanes.set(name, lane);
  }
  return lane;
}

const decoder = new TextDecoder();

/** A number, because rules group by it again and again. */
function fingerprintOf(
  known: Map<string, number>,
  { token, call, method, path, query, requestBody }: ObservedRequest,
): number {
  const body = requestBody === undefined ? '' : decoder.decode(requestBody);
  const text = `${token} ${call} ${method} ${path} ${query} ${body}`;
  let fingerprint = known.get(text);
  if (fingerprint === undefined) {
    fingerprint = known.size;
    known.set(text, fingerprint);
  }
  return fingerprint;
}

/** Notes for each request whether others of its lane were on their way with it, and so whether the lane is one thread. */
function markOverlaps(requests: readonly JudgedRequest[], isHeld: boolean): void {
  const before = new Map<Lane, { open: JudgedRequest | undefined; recent: JudgedRequest[] }>();
  for (const request of requests) {
    const { lane } = request;
    const seen = before.get(lane) ?? { open: undefined, recent: [] };
    before.set(lane, seen);
    const { open } = seen;
    // What arrived before an answer was sent did not wait for it, wherever its id was given.
    const isBeside =
      open !== undefined && (open.lastArrivedId >= request.id || open.answeredAtMs > request.arrivedAtMs);
    if (isBeside) overlap(open, request);
    if (!isHeld) {
      const near = request.arrivedAtMs - besideMs;
      const { recent } = seen;
      for (let at = recent.length - 1; at >= Math.max(0, recent.length - mostBeside); at--) {
        const beside = recent[at] as JudgedRequest;
        if (beside.answeredAtMs < near) break;
        if (beside.connection !== request.connection) overlap(beside, request);
      }
      recent.push(request);
    }
    // A client that went away from an answer no longer waits for it.
    const isWaitedFor = request.status !== 0;
    if (isWaitedFor && (open === undefined || request.lastArrivedId > open.lastArrivedId)) seen.open = request;
  }
}

/** More neighbours are not looked at: one is enough to know. */
const mostBeside = 8;

function overlap(one: JudgedRequest, other: JudgedRequest): void {
  one.isOverlapped = true;
  other.isOverlapped = true;
  one.lane.isOneThread = false;
}

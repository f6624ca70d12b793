import type { RequestRecord } from '../requests/request-record.js';
import { textOfBytes } from '../values/json-bytes.js';
import type { Steps } from '../values/steps.js';
import { Fingerprints } from './fingerprints.js';
import { besideMs, graceMs, type JudgedRequest } from './judged-request.js';
import { ByLane, type Lane, type Place } from './place.js';

/** A clock that was set back by less than this was corrected, and the run goes on. */
const correctionMs = 1_000;

const entriesOfStep = 500;

/**
 * The entries with what can be said of each by itself and by its neighbours in time.
 * @param entries in the order of arrival
 * @param callers how many callers the client is known to have; 1: their times say
 * @param toRequest makes a request of an entry
 */
export function* placeInLanes<Request extends JudgedRequest>(
  entries: readonly RequestRecord[],
  callers: number,
  toRequest: (entry: RequestRecord, place: Place) => Request,
): Steps<Request[]> {
  const places = new Places(callers);
  const requests: Request[] = [];
  for (let at = 0; at < entries.length; at += entriesOfStep) {
    for (const entry of entries.slice(at, at + entriesOfStep)) requests.push(toRequest(entry, places.of(entry)));
    yield;
  }
  markOverlaps(
    requests,
    entries.some(({ heldMs }) => heldMs > 0),
  );
  if (callers > 1) markQueues(requests);
  return requests;
}

/** Says where entries belong; they come in the order of arrival. */
class Places {
  readonly #callers: number;
  readonly #fingerprints = new Fingerprints();
  readonly #lanes = new Map<string, Lane>();
  readonly #series = new Map<string, number>();
  #era = 0;
  #lastMs = Number.NEGATIVE_INFINITY;
  #last: ({ lane: Lane } & Pick<RequestRecord, 'client' | 'connection'>) | undefined;

  constructor(callers: number) {
    this.#callers = callers;
  }

  of(entry: RequestRecord): Place {
    const { arrivedAtMs, requestBody } = entry;
    if (arrivedAtMs < this.#lastMs - correctionMs) this.#era++;
    this.#lastMs = arrivedAtMs;
    const requestText = requestBody === undefined ? '' : textOfBytes(requestBody);
    const lane = this.#laneOf(entry);
    return { lane, fingerprint: this.#fingerprints.of(entry, lane.client, requestText), requestText };
  }

  #laneOf({ token, client, connection }: RequestRecord): Lane {
    const era = this.#era;
    const last = this.#last;
    if (
      last !== undefined &&
      last.lane.token === token &&
      last.lane.era === era &&
      last.client === client &&
      last.connection === connection
    )
      return last.lane;
    const key = `${era} ${token}`;
    const series = this.#series.get(key) ?? this.#series.size;
    this.#series.set(key, series);
    const byClient = `${key} ${client}`;
    // One connection is of one client, also where that changes its User-Agent.
    const byConnection = connection === undefined ? byClient : `${key}\n${connection}`;
    const lane = this.#lanes.get(byConnection) ??
      this.#lanes.get(byClient) ?? {
        ...{ token, era, series, client, callers: this.#callers },
        isOneThread: this.#callers === 1,
      };
    this.#lanes.set(byConnection, lane);
    if (!this.#lanes.has(byClient)) this.#lanes.set(byClient, lane);
    this.#last = { lane, client, connection };
    return lane;
  }
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

/** What is on its way in a lane. */
interface Traffic {
  /** Of the answers that are waited for, the one that most requests came before. */
  open: JudgedRequest | undefined;
  recent: JudgedRequest[];
  /** Whether all came on the same connection. */
  isOneConnection: boolean;
}

/** Notes for each request whether others of its lane were on their way with it, and so whether the lane is one thread. */
function markOverlaps(requests: readonly JudgedRequest[], isHeld: boolean): void {
  const lanes = new ByLane((): Traffic => ({ open: undefined, recent: [], isOneConnection: true }));
  for (const request of requests) {
    const traffic = lanes.of(request.lane);
    const { open } = traffic;
    // What arrived before an answer was sent did not wait for it, wherever its id was given.
    const isBeside =
      open !== undefined && (open.lastArrivedId >= request.id || open.answeredAtMs > request.arrivedAtMs);
    if (isBeside) overlap(open, request);
    if (!isHeld) markNeighbours(request, traffic);
    // A client that went away from an answer no longer waits for it.
    const isWaitedFor = request.status !== 0;
    if (isWaitedFor && (open === undefined || request.lastArrivedId > open.lastArrivedId)) traffic.open = request;
  }
}

function markNeighbours(request: JudgedRequest, traffic: Traffic): void {
  const { recent } = traffic;
  traffic.isOneConnection &&= recent.length === 0 || recent.at(-1)?.connection === request.connection;
  const near = request.arrivedAtMs - besideMs;
  const oldest = traffic.isOneConnection ? recent.length : Math.max(0, recent.length - mostBeside);
  for (let at = recent.length - 1; at >= oldest; at--) {
    const beside = recent[at] as JudgedRequest;
    if (beside.answeredAtMs < near) break;
    if (beside.connection !== request.connection) overlap(beside, request);
  }
  recent.push(request);
}

/** More neighbours are not looked at: one is enough to know. */
const mostBeside = 8;

function overlap(one: JudgedRequest, other: JudgedRequest): void {
  one.isOverlapped = true;
  other.isOverlapped = true;
  one.lane.isOneThread = false;
}

import { besideMs, graceMs, type JudgedRequest } from './judged-request.js';
import { ByLane, type Lane } from './place.js';

/**
 * Sets on every request of a series the last refusal that the client had certainly read (`lastRefusalRead`), and the one
 * that it retries (`retryOf`). One pass in the order of arrival.
 */
export function markKnowledge(requests: readonly JudgedRequest[]): void {
  const lanes = new ByLane(() => new LaneKnowledge());
  for (const request of requests) {
    const lane = lanes.of(request.lane);
    request.lastRefusalRead = lane.lastRefusalRead(request);
    request.retryOf = lane.retryOf(request);
    if (request.isRefused) lane.add(request);
  }
}

/** Sets on every request the 503 that it retries, if that named a wait and the call is not served yet. */
export function markOutages(requests: readonly JudgedRequest[]): void {
  const lanes = new Map<Lane, LaneKnowledge>();
  for (const request of requests) {
    const { status, isUnreadable, retryAfterMs } = request;
    let lane = lanes.get(request.lane);
    const isOutage = status === 503 && retryAfterMs !== undefined;
    if (lane === undefined) {
      if (!isOutage) continue;
      lane = new LaneKnowledge();
      lanes.set(request.lane, lane);
    }
    // Unlike a 429 it says nothing to other calls; of equal ones side by side nobody can tell which it was.
    if (request.lane.isOneThread || request.call !== undefined) request.retryOfOutage = lane.retryOf(request);
    if (isOutage) lane.add(request);
    else if (status > 0 && status < 500 && !isUnreadable) lane.forget(request);
  }
}

/** What one client has read of its refusals, as far as times prove it. */
class LaneKnowledge {
  readonly #all = new Refusals();
  readonly #byFingerprint = new Map<number, Refusals>();
  readonly #ofCalls = new Map<string, Refusals>();

  add(refusal: JudgedRequest): void {
    this.#all.add(refusal);
    refusalsUnder(this.#byFingerprint, refusal.fingerprint).add(refusal);
    if (refusal.call !== undefined) refusalsUnder(this.#ofCalls, refusal.call).add(refusal);
  }

  /** The call is served: its refusals say nothing of what follows. */
  forget({ fingerprint }: JudgedRequest): void {
    this.#byFingerprint.delete(fingerprint);
  }

  /** The last refusal of any call; of a call with another name only where the two are known to follow one another. */
  lastRefusalRead(request: JudgedRequest): JudgedRequest | undefined {
    const ofCall = request.call === undefined ? undefined : this.#ofCalls.get(request.call)?.lastBefore(request);
    if (request.lane.isOneThread) {
      // Without a connection another call this soon may be of another caller, that has read nothing of it.
      const mayBeBeside = request.connection === undefined && request.call === undefined;
      if (!mayBeBeside) return later(ofCall, this.#all.lastBefore(request));
      const own = this.#byFingerprint.get(request.fingerprint)?.lastBefore(request);
      return later(own, this.#all.lastBefore(request, besideMs));
    }
    return later(ofCall, later(this.#all.lastOnConnection(request), this.#all.lastAged(request)));
  }

  /**
   * The refusal of the same call. Where equal calls wait side by side, nobody can tell which of them comes back; it is
   * taken for the one that had the least to wait, so that no call is blamed for the promise that another was given.
   */
  retryOf(request: JudgedRequest): JudgedRequest | undefined {
    const same = this.#byFingerprint.get(request.fingerprint);
    if (request.lane.isOneThread || request.call !== undefined) return same?.lastBefore(request);
    return same?.takeLeastToWait(request);
  }
}

function refusalsUnder<Name>(map: Map<Name, Refusals>, name: Name): Refusals {
  let refusals = map.get(name);
  if (refusals === undefined) {
    refusals = new Refusals();
    map.set(name, refusals);
  }
  return refusals;
}

function later(one: JudgedRequest | undefined, other: JudgedRequest | undefined): JudgedRequest | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return one.id > other.id ? one : other;
}

/** Refusals in the order of their arrival, each looked at a bounded number of times. */
class Refusals {
  readonly #list: JudgedRequest[] = [];
  /** Both made when they are needed: a client of one thread needs none. */
  #onConnection: Map<number, JudgedRequest> | undefined;
  #taken: Set<JudgedRequest> | undefined;
  /** How many at the front are older than the grace; those that wait for their next try, the least to wait first. */
  #aged = 0;
  readonly #waiting: JudgedRequest[] = [];
  #firstWaiting = 0;

  add(refusal: JudgedRequest): void {
    this.#list.push(refusal);
    if (refusal.lane.isOneThread || refusal.connection === undefined) return;
    this.#onConnection ??= new Map();
    this.#onConnection.set(refusal.connection, refusal);
  }

  /** The last one that was answered before the request arrived, by so much. */
  lastBefore(request: JudgedRequest, byMs = 0): JudgedRequest | undefined {
    const oldest = Math.max(0, this.#list.length - mostOnTheirWay);
    for (let at = this.#list.length - 1; at >= oldest; at--) {
      const refusal = this.#list[at] as JudgedRequest;
      if (isAnswered(refusal, request) && request.arrivedAtMs - refusal.answeredAtMs >= byMs) return refusal;
    }
    return this.lastAged(request);
  }

  /** The one that the connection of the request brought last, where nothing else of the client was on its way then. */
  lastOnConnection(request: JudgedRequest): JudgedRequest | undefined {
    if (request.connection === undefined || request.isOverlapped || request.lane.callers > 1) return undefined;
    const refusal = this.#onConnection?.get(request.connection);
    return refusal !== undefined && isAnswered(refusal, request) ? refusal : undefined;
  }

  /** The last one that is older than the grace. */
  lastAged(request: JudgedRequest): JudgedRequest | undefined {
    this.#age(request);
    return this.#list[this.#aged - 1];
  }

  /** Of those that the client had read and that wait for their next try, the one with the earliest deadline. */
  takeLeastToWait(request: JudgedRequest): JudgedRequest | undefined {
    this.#age(request);
    while (this.#isTaken(this.#waiting[this.#firstWaiting])) this.#firstWaiting++;
    const aged = this.#waiting[this.#firstWaiting];
    const own = this.lastOnConnection(request);
    const candidate = own === undefined || this.#isTaken(own) ? undefined : own;
    const least =
      aged !== undefined && candidate !== undefined
        ? [aged, candidate].sort((a, b) => deadlineOf(a) - deadlineOf(b))[0]
        : (aged ?? candidate);
    if (least !== undefined) {
      this.#taken ??= new Set();
      this.#taken.add(least);
    }
    return least;
  }

  #isTaken(refusal: JudgedRequest | undefined): boolean {
    return refusal !== undefined && this.#taken?.has(refusal) === true;
  }

  #age({ queuedAtMs }: JudgedRequest): void {
    for (; this.#aged < this.#list.length; this.#aged++) {
      const refusal = this.#list[this.#aged] as JudgedRequest;
      if (refusal.answeredAtMs >= queuedAtMs - graceMs) return;
      if (!this.#isTaken(refusal)) this.#insert(refusal);
    }
  }

  #insert(refusal: JudgedRequest): void {
    let at = this.#waiting.length;
    while (at > this.#firstWaiting && deadlineOf(this.#waiting[at - 1] as JudgedRequest) > deadlineOf(refusal)) at--;
    this.#waiting.splice(at, 0, refusal);
  }
}

/** Further back than this nobody looks for the last refusal that was answered; a client has fewer requests on their way. */
const mostOnTheirWay = 256;

const isAnswered = (refusal: JudgedRequest, request: JudgedRequest) =>
  request.id > refusal.lastArrivedId && request.arrivedAtMs >= refusal.answeredAtMs;

const deadlineOf = ({ deadlineMs }: JudgedRequest) => deadlineMs ?? Number.NEGATIVE_INFINITY;

import { getOrCreate } from '../values/get-or-create.js';
import { PerSession } from './client-session.js';
import { concurrentMs, type JudgedRequest, receiptMs, toleranceMs, waitedMs } from './judged-request.js';

/**
 * Facts about calls with equal requests. They decide whether a repeated request is a retry, or the next call of another
 * parallel caller.
 */
export interface EqualCalls {
  /**
   * Fingerprints (one number per kind of equal requests) that several calls of the client share. Equal requests with
   * such a fingerprint may be different calls instead of retries.
   */
  readonly shared: ReadonlySet<number>;
  /** Number of calls that have no usable response yet; infinite if the number of calls is unknown. */
  readonly open: number;
}

/**
 * Sets three properties on requests in order of arrival: `lastRefusalRead`, the latest refusal that the client must
 * have received; `retryOf`, the refused request that this one repeats; and `mayBeNextCall`, true if the request can
 * also be the client's next call.
 */
export function markReadRefusals(requests: readonly JudgedRequest[], equal: EqualCalls): void {
  const sessions = new PerSession(() => new SessionKnowledge());
  for (const request of requests) {
    const session = sessions.of(request.session);
    request.lastRefusalRead = session.lastRefusalRead(request);
    request.mayBeNextCall = session.mayBeNextCall(request, equal);
    if (!request.mayBeNextCall) request.retryOf = session.retryOf(request);
    if (request.isRefused) session.add(request);
  }
}

/** Sets `retryOfOutage` on each retry of a 503 with Retry-After, to the request that got the 503. */
export function markOutageRetries(requests: readonly JudgedRequest[]): void {
  const sessions = new PerSession(() => new SessionKnowledge());
  for (const request of requests) {
    const { status, isUnreadable, retryAfterMs } = request;
    const session = sessions.of(request.session);
    const isOutage = status === 503 && retryAfterMs !== undefined;
    // A request counts as the retry after a 503 only if the client sends one request at a time, or names its calls.
    // Otherwise, the request may belong to another call that got no 503.
    if (request.session.isSequential || request.call !== undefined) request.retryOfOutage = session.retryOf(request);
    if (isOutage) session.add(request);
    else if (status > 0 && status < 500 && !isUnreadable) session.forget(request);
  }
}

/** Refusals that a client must have received, as far as times and connections prove it. */
class SessionKnowledge {
  readonly #all = new Refusals();
  readonly #byFingerprint = new Map<number, Refusals>();
  readonly #ofCalls = new Map<string, Refusals>();
  /** Number of refused requests without a known retry. At least this number of the client's calls are waiting. */
  #waiting = 0;

  add(refusal: JudgedRequest): void {
    this.#waiting++;
    this.#all.add(refusal);
    getOrCreate(this.#byFingerprint, refusal.fingerprint, createRefusals).add(refusal);
    if (refusal.call !== undefined) getOrCreate(this.#ofCalls, refusal.call, createRefusals).add(refusal);
  }

  /** Removes the refusals of a call from this session's list, because the call has succeeded. */
  forget({ fingerprint }: JudgedRequest): void {
    this.#byFingerprint.delete(fingerprint);
  }

  /**
   * Finds the latest refusal that the client must have received before it sent a request. For parallel requests,
   * considers only refusals of the same call, of the same connection, or received long before.
   */
  lastRefusalRead(request: JudgedRequest): JudgedRequest | undefined {
    const ofCall = request.call === undefined ? undefined : this.#ofCalls.get(request.call)?.lastBefore(request);
    if (request.session.isSequential) {
      // Two requests within 100 ms and without known connections may come from two callers. The second
      // caller then had not received the refusal of the first request.
      const mayBeBeside = request.connection === undefined && request.call === undefined;
      if (!mayBeBeside) return later(ofCall, this.#all.lastBefore(request));
      const own = this.#byFingerprint.get(request.fingerprint)?.lastBefore(request);
      return later(own, this.#all.lastBefore(request, concurrentMs));
    }
    return later(ofCall, later(this.#all.lastOnConnection(request), this.#all.lastAged(request)));
  }

  /**
   * Finds the refused request that a request retries. For concurrent equal calls, assumes the refusal that allows the
   * earliest retry, so that no call is blamed for another call's wait.
   */
  retryOf(request: JudgedRequest): JudgedRequest | undefined {
    const same = this.#byFingerprint.get(request.fingerprint);
    if (request.session.isSequential || request.call !== undefined) return same?.lastBefore(request);
    const retried = same?.takeLeastToWait(request);
    if (retried !== undefined) this.#waiting--;
    return retried;
  }

  /**
   * Whether a request that looks like an early retry of a refused call may be an equal call of another concurrent
   * caller. Returns `false` if every caller is waiting after a refusal, or if the scenario requires no further equal
   * calls.
   */
  mayBeNextCall(request: JudgedRequest, { shared, open }: EqualCalls): boolean {
    const { session, call, fingerprint, arrivedAtMs } = request;
    if (call !== undefined || !shared.has(fingerprint) || this.#waiting >= Math.min(session.callers, open))
      return false;
    const refusal = this.#byFingerprint.get(fingerprint)?.leastToWait(request);
    return refusal !== undefined && deadlineOf(refusal) - arrivedAtMs > toleranceMs;
  }
}

const createRefusals = () => new Refusals();

function later(one: JudgedRequest | undefined, other: JudgedRequest | undefined): JudgedRequest | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return one.id > other.id ? one : other;
}

/**
 * List of a client's refused requests (429 by a limit or a ban), in order of arrival. A lookup inspects only a limited
 * number of refusals, so its time does not grow with the run.
 */
class Refusals {
  readonly #list: JudgedRequest[] = [];
  /**
   * Last refused request per connection number, and the refused requests that were already retried. Both are created
   * when first needed, because most clients send no concurrent requests.
   */
  #onConnection: Map<number, JudgedRequest> | undefined;
  #taken: Set<JudgedRequest> | undefined;
  /**
   * Number of refusals at the start of the list that are so old that the client has certainly received them. The
   * refusals among them without a retry are in `#waiting`, ordered by the end of their waits.
   */
  #aged = 0;
  readonly #waiting: JudgedRequest[] = [];
  #firstWaiting = 0;

  add(refusal: JudgedRequest): void {
    this.#list.push(refusal);
    if (refusal.session.isSequential || refusal.connection === undefined) return;
    this.#onConnection ??= new Map();
    this.#onConnection.set(refusal.connection, refusal);
  }

  /** Finds the latest refusal whose response was sent at least `byMs` before the request arrived. */
  lastBefore(request: JudgedRequest, byMs = 0): JudgedRequest | undefined {
    const oldest = Math.max(0, this.#list.length - maximumInTransit);
    for (let index = this.#list.length - 1; index >= oldest; index--) {
      const refusal = this.#list[index] as JudgedRequest;
      if (isAnswered(refusal, request) && waitedMs(refusal, request) >= byMs) return refusal;
    }
    return this.lastAged(request);
  }

  /** Finds the latest refusal on the request's own connection, if the client had no concurrent request. */
  lastOnConnection(request: JudgedRequest): JudgedRequest | undefined {
    if (request.connection === undefined || request.isOverlapped || request.session.callers > 1) return undefined;
    const refusal = this.#onConnection?.get(request.connection);
    return refusal !== undefined && isAnswered(refusal, request) ? refusal : undefined;
  }

  /** Finds the latest refusal that is old enough for the client to have received it on any connection. */
  lastAged(request: JudgedRequest): JudgedRequest | undefined {
    this.#age(request);
    return this.#list[this.#aged - 1];
  }

  /** Finds the received refusal that allows the earliest retry and has no retry yet. Marks this refusal as retried. */
  takeLeastToWait(request: JudgedRequest): JudgedRequest | undefined {
    const least = this.leastToWait(request);
    if (least !== undefined) {
      this.#taken ??= new Set();
      this.#taken.add(least);
    }
    return least;
  }

  /** Finds the received refusal that allows the earliest retry and has no retry yet. */
  leastToWait(request: JudgedRequest): JudgedRequest | undefined {
    this.#age(request);
    while (this.#isTaken(this.#waiting[this.#firstWaiting])) this.#firstWaiting++;
    const aged = this.#waiting[this.#firstWaiting];
    return [aged, this.lastOnConnection(request)]
      .filter((refusal) => refusal !== undefined)
      .filter((refusal) => !this.#isTaken(refusal))
      .sort((a, b) => deadlineOf(a) - deadlineOf(b))[0];
  }

  #isTaken(refusal: JudgedRequest | undefined): boolean {
    return refusal !== undefined && this.#taken?.has(refusal) === true;
  }

  #age({ queuedAtMs }: JudgedRequest): void {
    for (; this.#aged < this.#list.length; this.#aged++) {
      const refusal = this.#list[this.#aged] as JudgedRequest;
      if (refusal.answeredAtMs >= queuedAtMs - receiptMs) return;
      if (!this.#isTaken(refusal)) this.#insert(refusal);
    }
  }

  #insert(refusal: JudgedRequest): void {
    let index = this.#waiting.length;
    while (index > this.#firstWaiting && deadlineOf(this.#waiting[index - 1] as JudgedRequest) > deadlineOf(refusal))
      index--;
    this.#waiting.splice(index, 0, refusal);
  }
}

/**
 * Maximum number of recent refusals that are searched for the latest one that the client had received. The number is
 * enough, because clients have fewer requests in flight.
 */
const maximumInTransit = 256;

const isAnswered = (refusal: JudgedRequest, request: JudgedRequest) =>
  request.id > refusal.lastArrivedId && request.arrivedAtMs >= refusal.answeredAtMs;

const deadlineOf = ({ deadlineMs }: JudgedRequest) => deadlineMs ?? Number.NEGATIVE_INFINITY;

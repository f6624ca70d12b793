import { getOrCreate } from '../values/get-or-create.js';
import { PerSession } from './client-session.js';
import { concurrentMs, type JudgedRequest, receiptMs, toleranceOf, waitedMs } from './judged-request.js';

/**
 * Facts about calls with equal requests. They decide whether a repeated request is a retry, or the next call of another
 * parallel caller.
 */
export interface EqualCalls {
  /**
   * Fingerprints (numbers that equal requests have in common) of requests that the client sends for several calls. A
   * repeated request with one of these fingerprints may be a new call instead of a retry.
   */
  readonly shared: ReadonlySet<number>;
  /**
   * Number of the client's calls (requests with their retries) that have no usable response yet. Infinite if the
   * scenario does not state the number of calls.
   */
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
    request.lastRefusalRead = session.bindingRefusal(request);
    request.mayBeNextCall = session.mayBeNextCall(request, equal);
    if (!request.mayBeNextCall) request.retryOf = session.retryOf(request);
    if (request.isRefused) session.add(request);
  }
}

/** Sets `retryOfOutage` on each retry of a 503 with Retry-After, to the request that got the 503. */
export function markOutageRetries(requests: readonly JudgedRequest[]): void {
  const sessions = new PerSession(() => new SessionKnowledge());
  for (const request of requests) {
    const { status, isUnreadable, retryAfterMs, unsure } = request;
    const session = sessions.of(request.session);
    const isOutage = status === 503 && (retryAfterMs ?? unsure) !== undefined;
    // Among parallel requests, only the header `X-Sim-Call` shows which request is the retry after a 503.
    if (request.session.isSequential || request.call !== undefined) request.retryOfOutage = session.retryOf(request);
    if (isOutage) session.add(request);
    else if (status > 0 && status < 500 && !isUnreadable) session.forget(request);
  }
}

/** Collects a client's refused requests and finds the refused request that a later request retries. */
class SessionKnowledge {
  readonly #all = new Refusals();
  readonly #byFingerprint = new Map<number, Refusals>();
  readonly #ofCalls = new Map<string, Refusals>();
  /** Number of the client's refused requests without a known retry. Excludes calls with a name (`X-Sim-Call`). */
  #waiting = 0;
  /** Names of the calls whose last request was refused. */
  readonly #waitingCalls = new Set<string>();

  add(refusal: JudgedRequest): void {
    if (refusal.call === undefined) this.#waiting++;
    else this.#waitingCalls.add(refusal.call);
    this.#all.add(refusal);
    getOrCreate(this.#byFingerprint, refusal.fingerprint, createRefusals).add(refusal);
    if (refusal.call !== undefined) getOrCreate(this.#ofCalls, refusal.call, createRefusals).add(refusal);
  }

  /**
   * Forgets earlier failed requests that are equal to a request, because this request got a usable response. Later
   * equal requests then count as new calls instead of retries.
   */
  forget({ fingerprint }: JudgedRequest): void {
    this.#byFingerprint.delete(fingerprint);
  }

  /**
   * Finds the latest refusal that binds a request. The refusal of a dearer request may leave enough for this one, and then
   * binds only repetitions.
   */
  bindingRefusal(request: JudgedRequest): JudgedRequest | undefined {
    const read = this.lastRefusalRead(request);
    if (read === undefined || read.isBan || read.cost <= request.cost) return read;
    return this.#byFingerprint.get(request.fingerprint)?.lastBefore(request);
  }

  /** Finds the latest refusal (429 or ban) that the client must have received before it sent a request. */
  lastRefusalRead(request: JudgedRequest): JudgedRequest | undefined {
    const ofCall = request.call === undefined ? undefined : this.#ofCalls.get(request.call)?.lastBefore(request);
    if (request.session.isSequential) {
      // A different request within 100 ms after a refusal may come from a parallel caller.
      const mayBeBeside = request.connection === undefined && request.call === undefined;
      if (!mayBeBeside) return later(ofCall, this.#all.lastBefore(request));
      const own = this.#byFingerprint.get(request.fingerprint)?.lastBefore(request);
      return later(own, this.#all.lastBefore(request, concurrentMs));
    }
    return later(ofCall, later(this.#all.lastOnConnection(request), this.#all.lastAged(request)));
  }

  /**
   * Finds the refused request that a request retries: the latest one for a sequential client or a named call. Among
   * other concurrent calls, the earliest retry time decides, so that no call is blamed for another call's wait.
   */
  retryOf(request: JudgedRequest): JudgedRequest | undefined {
    const same = this.#byFingerprint.get(request.fingerprint);
    if (request.call !== undefined) this.#waitingCalls.delete(request.call);
    if (request.session.isSequential || request.call !== undefined) return same?.lastBefore(request);
    const retried = same?.takeLeastToWait(request);
    if (retried?.call !== undefined) this.#waitingCalls.delete(retried.call);
    else if (retried !== undefined) this.#waiting--;
    return retried;
  }

  /**
   * Whether a request that looks like an early retry may instead belong to another concurrent call of the client.
   * Returns `false` if every caller, or every unfinished call, is already waiting after a refusal.
   */
  mayBeNextCall(request: JudgedRequest, { shared, open }: EqualCalls): boolean {
    const { session, call, fingerprint, arrivedAtMs } = request;
    const waiting = this.#waiting + this.#waitingCalls.size;
    if (call !== undefined || !shared.has(fingerprint) || waiting >= Math.min(session.callers, open)) return false;
    const refusal = this.#byFingerprint.get(fingerprint)?.leastToWait(request);
    return refusal !== undefined && deadlineOf(refusal) - arrivedAtMs > toleranceOf(refusal, request);
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
  /** Map from each connection's number to the connection's last refused request. */
  #onConnection: Map<number, JudgedRequest> | undefined;
  /** Refused requests that were already retried. Created at the first use. */
  #taken: Set<JudgedRequest> | undefined;
  /**
   * Number of refusals at the start of `#list` that the client must have received, because they were sent more than a
   * second before the client's latest request.
   */
  #aged = 0;
  /** Refusals that the client must have received but has not retried, ordered by the end of their required waits. */
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

  /**
   * Finds the latest refusal that the client certainly received on the request's connection before it sent the request.
   */
  lastOnConnection(request: JudgedRequest): JudgedRequest | undefined {
    if (request.connection === undefined || request.isOverlapped || request.session.callers > 1) return undefined;
    const refusal = this.#onConnection?.get(request.connection);
    return refusal !== undefined && isAnswered(refusal, request) ? refusal : undefined;
  }

  /**
   * Finds the latest refusal that was sent so long before a request that the client must have received the refusal,
   * even if the request arrived over another connection.
   */
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

  /**
   * Finds the 429 response whose required wait ends first, among those that the client must have received and has not
   * retried.
   */
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

/** Assumed maximum number of refusals (429 or ban responses) that were sent to a client but not yet received. */
const maximumInTransit = 256;

const isAnswered = (refusal: JudgedRequest, request: JudgedRequest) =>
  request.id > refusal.lastArrivedId && request.arrivedAtMs >= refusal.answeredAtMs;

const deadlineOf = ({ deadlineMs }: JudgedRequest) => deadlineMs ?? Number.NEGATIVE_INFINITY;

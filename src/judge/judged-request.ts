import type { ObservedRequest, RequestKnowledge, RequestRecord } from '../requests/request-record.js';
import type { Lane, Place } from './place.js';
import { noPromises, promisesOf, readRetryAfter } from './promises.js';
import { resourceIn } from './same-pet.js';

/**
 * An observed request with values derived by the judge. References its entry, because copying the fields of 10,000
 * entries made garbage collection a third of the judge's time.
 */
export class JudgedRequest implements ObservedRequest, Place {
  readonly #entry: ObservedRequest;
  #pet: string | undefined;
  declare readonly lane: Lane;
  declare readonly fingerprint: number;
  declare readonly requestText: string;
  /** Whether the key must wait: status 429, or a ban with any status. */
  declare readonly isRefused: boolean;
  /** Whether the refusal was due to a ban, or to a limit of the plan; `false` if unknown. */
  declare readonly isBan: boolean;
  declare readonly isByLimit: boolean;
  /** Whether the plan's limits applied; `true` if unknown. */
  declare readonly isLimited: boolean;
  /** Whether the client could not read the response, because of a fault; `false` if unknown. */
  declare readonly isUnreadable: boolean;
  /** Wait in Retry-After, in milliseconds; `undefined` if missing or unreadable. */
  declare readonly retryAfterMs: number | undefined;
  /** X-RateLimit-Reset of a refusal, in Unix milliseconds, if in the future or without Retry-After. */
  declare readonly resetMs: number | undefined;
  /** Earliest promised time for a retry, in Unix milliseconds; `undefined` if missing or unreadable. */
  declare readonly deadlineMs: number | undefined;
  /** Earliest time at which the client can have sent the request, in Unix milliseconds. Earlier than the arrival if callers queue for a connection. */
  declare queuedAtMs: number;
  /** Whether another request of the lane was in flight shortly before or after. */
  isOverlapped = false;
  /** Latest refusal of the key that the client must have received before it sent this request. */
  declare lastRefusalRead: JudgedRequest | undefined;
  /** Refusal that this request retries, as an attempt of the same call, if known. */
  declare retryOf: JudgedRequest | undefined;
  /** 503 with a promised time that this request retries, if known. */
  declare retryOfOutage: JudgedRequest | undefined;

  /**
   * Derives the judge's values from an entry.
   * @param areHeadersHidden whether the client is a page that cannot read Retry-After and X-RateLimit-*
   * @param isKnown whether the simulator recorded the request, and so the refusal
   */
  constructor(entry: RequestRecord, place: Place, areHeadersHidden: boolean, isKnown = false) {
    this.#entry = entry;
    this.queuedAtMs = entry.arrivedAtMs;
    this.lane = place.lane;
    this.fingerprint = place.fingerprint;
    this.requestText = place.requestText;
    this.isBan = entry.refusal === 'ban';
    this.isByLimit = entry.refusal === 'limit';
    this.isRefused = entry.refusal !== undefined || entry.status === 429 || (!isKnown && asksToWait(entry));
    this.isLimited = entry.isLimited;
    this.isUnreadable = entry.isUnreadable || entry.isLost === true;
    const { deadlineMs, retryAfterMs, resetMs } = areHeadersHidden ? noPromises : promisesOf(entry, this.isRefused);
    this.retryAfterMs = retryAfterMs;
    this.resetMs = resetMs;
    this.deadlineMs = deadlineMs;
    this.isOverlapped = false;
    this.lastRefusalRead = undefined;
    this.retryOf = undefined;
    this.retryOfOutage = undefined;
  }

  /** Pet or other resource of a write. Parsed on demand, because parsing JSON takes as long as all other work. */
  get pet() {
    this.#pet ??= resourceIn(this, this.requestText);
    return this.#pet;
  }
  get id() {
    return this.#entry.id;
  }
  get arrivedAtMs() {
    return this.#entry.arrivedAtMs;
  }
  get answeredAtMs() {
    return this.#entry.answeredAtMs;
  }
  get finishedAtMs() {
    return this.#entry.finishedAtMs;
  }
  get isAbandoned() {
    return this.#entry.isAbandoned;
  }
  get lastArrivedId() {
    return this.#entry.lastArrivedId;
  }
  get heldMs() {
    return this.#entry.heldMs;
  }
  get token() {
    return this.#entry.token;
  }
  get operation() {
    return this.#entry.operation;
  }
  get isWrite() {
    return this.#entry.isWrite;
  }
  get method() {
    return this.#entry.method;
  }
  get baseUrl() {
    return this.#entry.baseUrl;
  }
  get path() {
    return this.#entry.path;
  }
  get query() {
    return this.#entry.query;
  }
  get status() {
    return this.#entry.status;
  }
  get requestBody() {
    return this.#entry.requestBody;
  }
  get responseBody() {
    return this.#entry.responseBody;
  }
  get headers() {
    return this.#entry.headers;
  }
  get connection() {
    return this.#entry.connection;
  }
  /** First `User-Agent` of the client. */
  get client() {
    return this.lane.client;
  }
  get call() {
    return this.#entry.call;
  }
}

/** A request with the simulator's internal knowledge. */
export class KnownRequest extends JudgedRequest {
  declare lastRefusalRead: KnownRequest | undefined;
  declare retryOf: KnownRequest | undefined;
  declare retryOfOutage: KnownRequest | undefined;
  declare readonly known: RequestKnowledge;

  constructor(entry: RequestRecord, place: Place, areHeadersHidden: boolean) {
    super(entry, place, areHeadersHidden, true);
    this.known = entry;
  }
}

/** Maximum earliness that still counts as on time, in milliseconds, for the precision of timers. */
export const toleranceMs = 50;
/**
 * Maximum distance of requests on two connections that may be concurrent, in milliseconds, if refusals are not held
 * back.
 */
export const concurrentMs = 100;
/** Time after a response from which the client must have received it on any connection, in milliseconds. */
export const graceMs = 1_000;

/** Whether an observed response is a refusal with another status than 429. A ban is then recognized by its wait. */
const asksToWait = (entry: ObservedRequest) =>
  entry.status >= 400 && entry.status < 500 && readRetryAfter(entry) !== undefined;

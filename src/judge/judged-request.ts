import type { ObservedRequest, RequestKnowledge, RequestRecord } from '../requests/request-record.js';
import type { Lane, Place } from './place.js';
import { noPromises, promisesOf, readRetryAfter } from './promises.js';
import { petIn } from './same-pet.js';

/**
 * One request of the client as it was observed, with what the judge derives from it. It reads its entry in place: of
 * 10,000 copies of so many fields the clearing up alone took a third of the judge's time.
 */
export class JudgedRequest implements ObservedRequest, Place {
  readonly #entry: ObservedRequest;
  #pet: string | undefined;
  declare readonly lane: Lane;
  declare readonly fingerprint: number;
  declare readonly requestText: string;
  /** Whether the key had to wait: 429, or a ban under any status. */
  declare readonly isRefused: boolean;
  /** Whether that was during a ban, or over a limit of the plan; `false` where nobody knows. */
  declare readonly isBan: boolean;
  declare readonly isByLimit: boolean;
  /** Whether the limits of the plan applied to it; `true` where nobody knows. */
  declare readonly isLimited: boolean;
  /** Whether the client could not read the answer, by a fault or because it got another; `false` where nobody knows. */
  declare readonly isUnreadable: boolean;
  /** The wait that Retry-After asked for; `undefined` where it was missing or cannot be read. */
  declare readonly retryAfterMs: number | undefined;
  /** X-RateLimit-Reset of a refusal as an instant, where it lies ahead or is all there is. */
  declare readonly resetMs: number | undefined;
  /** The earliest instant that the answer named for coming back; `undefined` where it named none that can be read. */
  declare readonly deadlineMs: number | undefined;
  /** Since when it may have been on its way: earlier than its arrival where callers queue for a connection. */
  declare queuedAtMs: number;
  /** Whether the lane had other requests on their way right before or after it. */
  isOverlapped = false;
  /** The last refusal of its key that the client had certainly read when it sent this. */
  declare lastRefusalRead: JudgedRequest | undefined;
  /** The refusal that this is another try after: of the same call, as far as that can be known. */
  declare retryOf: JudgedRequest | undefined;
  /** The same for a 503 that named a wait. */
  declare retryOfOutage: JudgedRequest | undefined;

  /**
   * @param areHeadersHidden whether the client is a page that sees neither Retry-After nor X-RateLimit-*
   * @param isKnown whether the simulator recorded the request, so that only it says what was refused
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

  /** The pet that a write asks to store. Read when a rule first asks for it: to read JSON takes as long as all the rest. */
  get pet() {
    this.#pet ??= petIn(this.requestText);
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
  /** The first `User-Agent` of its client. */
  get client() {
    return this.lane.client;
  }
  get call() {
    return this.#entry.call;
  }
}

/** A request with what only the simulator knows of it. */
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

/** A request that comes less than this too early is on time: timers are that exact. */
export const toleranceMs = 50;
/** Where refusals are not held back, requests on two connections this close together may have been sent side by side. */
export const besideMs = 100;
/** A request that comes this long after an answer has seen it, whatever the connection; a parallel burst is over. */
export const graceMs = 1_000;

/** A ban may be told by another status: who only observes knows it by the wait that it names. */
const asksToWait = (entry: ObservedRequest) =>
  entry.status >= 400 && entry.status < 500 && readRetryAfter(entry) !== undefined;

import type { ObservedRequest, RequestKnowledge, RequestRecord } from '../requests/request-record.js';
import type { Exchange, Missing } from '../traffic-files/exchange.js';
import type { ClientSession, RunPosition } from './client-session.js';
import { isRefusal, noPromises, promisesOf, readRetryAfter, unreadWaitMs } from './promises.js';
import { resourceIn } from './same-pet.js';

/** Information about a request that only a recording has. */
type Recorded = Partial<Pick<Exchange, 'missing' | 'file'>>;

/**
 * A request with values that the judge derives. Refers to the journal record instead of copying its fields: for 10,000
 * records, copies made garbage collection a third of the judge's time.
 */
export class JudgedRequest implements Omit<ObservedRequest, 'heldMs' | 'baseUrl' | 'requestHeaders'>, RunPosition {
  readonly #entry: ObservedRequest & Recorded;
  #pet: string | undefined;
  declare readonly session: ClientSession;
  declare readonly fingerprint: number;
  declare readonly requestText: string;
  /** Whether the response refused the request and asked the client to wait: a 429, or a ban with any status. */
  declare readonly isRefused: boolean;
  /**
   * Reason for the refusal of the request: a ban (`isBan`) or a rate limit (`isByLimit`). Both are `false` if the
   * request was not refused, or the reason is unknown.
   */
  declare readonly isBan: boolean;
  declare readonly isByLimit: boolean;
  /** Whether a backend responded with a 401 to a request from which the simulator had removed the API key. */
  declare readonly isKeyWithheld: boolean;
  /** Whether rate limits applied to the request; `true` if unknown. */
  declare readonly isLimited: boolean;
  /** Whether a fault made the response unreadable for the client; `false` if unknown. */
  declare readonly isUnreadable: boolean;
  /** Wait that the response's Retry-After requires; `undefined` if the header is missing or unreadable. */
  declare readonly retryAfterMs: number | undefined;
  /**
   * Reset time that a refused response names. `undefined` if missing, or if it is in the past and the response has a
   * Retry-After.
   */
  declare readonly resetMs: number | undefined;
  /** Earliest time for a retry according to the response; `undefined` if the response names no time. */
  declare readonly deadlineMs: number | undefined;
  /**
   * Longest wait that a Retry-After in another form than the judge can read may mean. `undefined` for other responses,
   * and for those of the simulator, whose scenarios say what a client does then.
   */
  declare readonly unreadWaitMs: number | undefined;
  /**
   * Earliest time at which the client can have made the request. Earlier than the arrival if the request may have
   * waited in the client for a free connection.
   */
  declare queuedAtMs: number;
  /** Whether another request of the client was in flight during this request, or shortly before or after it. */
  isOverlapped = false;
  /**
   * Latest request with the same API key that was refused, and whose refusal the client must have received before it
   * sent this request.
   */
  declare lastRefusalRead: JudgedRequest | undefined;
  /** Refused request that this request retries as an attempt of the same call; `undefined` if none or unknown. */
  declare retryOf: JudgedRequest | undefined;
  /** Whether the judge cannot decide if this request is an early retry or the next call of another parallel caller. */
  mayBeNextCall = false;
  /** Earlier request that got a 503 with Retry-After and that this request retries; `undefined` if none or unknown. */
  declare retryOfOutage: JudgedRequest | undefined;

  /**
   * Creates the judge's view of a request from its journal record.
   * @param areHeadersHidden whether the client is a web page that cannot read Retry-After and X-RateLimit-*
   * @param isKnown whether the simulator itself recorded the request; if not, any response that asks for a wait counts
   * as a refusal
   */
  constructor(entry: RequestRecord & Recorded, position: RunPosition, areHeadersHidden: boolean, isKnown = false) {
    this.#entry = entry;
    this.queuedAtMs = entry.arrivedAtMs;
    this.session = position.session;
    this.fingerprint = position.fingerprint;
    this.requestText = position.requestText;
    this.isBan = entry.refusal === 'ban';
    this.isByLimit = entry.refusal === 'limit';
    this.isKeyWithheld = entry.refusedBy === 'backend-without-key';
    this.isRefused = isRefusal(entry) || (!isKnown && asksToWait(entry));
    this.isLimited = entry.isLimited;
    this.isUnreadable = entry.isUnreadable || entry.isLost === true;
    const { deadlineMs, retryAfterMs, resetMs } = areHeadersHidden ? noPromises : promisesOf(entry, this.isRefused);
    this.retryAfterMs = retryAfterMs;
    this.resetMs = resetMs;
    this.deadlineMs = deadlineMs;
    const isAsking = this.isRefused || entry.status === 503;
    this.unreadWaitMs = isKnown || areHeadersHidden || !isAsking ? undefined : unreadWaitMs(entry);
    this.lastRefusalRead = undefined;
    this.retryOf = undefined;
    this.retryOfOutage = undefined;
  }

  /**
   * Text that identifies the pet or other resource of a write. Computed at the first use, because parsing JSON takes as
   * long as the rest of the judge's work.
   */
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
  /** Name of the client that sent the request: the first `User-Agent` of its connection. */
  get client() {
    return this.session.client;
  }
  get call() {
    return this.#entry.call;
  }
  /** Parts of the request and its response that the recording does not contain. */
  get missing(): readonly Missing[] {
    return this.#entry.missing ?? [];
  }
  /** Whether the recording that contains this request also contains API keys. */
  get hasKeysInFile() {
    return this.#entry.file?.hasKeys === true;
  }
  /** Program that wrote the recording; `undefined` if unknown. */
  get program() {
    return this.#entry.file?.program;
  }
  /** Resolution of the recorded times; 0 for a millisecond or better. */
  get clockStepMs() {
    return this.#entry.file?.clockStepMs ?? 0;
  }
}

/** A request that the simulator itself recorded, with internal knowledge such as strikes. */
export class KnownRequest extends JudgedRequest {
  declare lastRefusalRead: KnownRequest | undefined;
  declare retryOf: KnownRequest | undefined;
  declare retryOfOutage: KnownRequest | undefined;
  declare readonly known: RequestKnowledge;

  constructor(entry: RequestRecord, position: RunPosition, areHeadersHidden: boolean) {
    super(entry, position, areHeadersHidden, true);
    this.known = entry;
  }
}

/** Maximum time by which a retry may be too early and still count as punctual. Timers are imprecise. */
export const toleranceMs = 50;
/** Tolerance for the time between two requests, in milliseconds. Larger if a recording has only coarse times. */
export const toleranceOf = (...requests: readonly JudgedRequest[]) =>
  toleranceMs + Math.max(...requests.map(({ clockStepMs }) => clockStepMs));

/**
 * Maximum pause between two requests of a client on different connections that count as concurrent. If the server
 * delays refusals, concurrent requests are recognized by their overlap instead.
 */
export const concurrentMs = 100;
/**
 * Assumed maximum time until a client has received a sent response. Within this time, a request on another connection
 * does not prove the receipt.
 */
export const receiptMs = 1_000;

/** Computes the time from the response to one request to the arrival of a later request. */
export const waitedMs = (
  { answeredAtMs }: Pick<ObservedRequest, 'answeredAtMs'>,
  { arrivedAtMs }: Pick<ObservedRequest, 'arrivedAtMs'>,
) => arrivedAtMs - answeredAtMs;

/** Whether a recorded 4xx response has a Retry-After. If so, it counts as a refusal, such as a ban with status 403. */
const asksToWait = (entry: ObservedRequest) =>
  entry.status >= 400 && entry.status < 500 && (readRetryAfter(entry) ?? unreadWaitMs(entry)) !== undefined;

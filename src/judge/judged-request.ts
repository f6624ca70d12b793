import { rowOf } from '../requests/operation-table.js';
import {
  isRefusedByOther,
  type ObservedRequest,
  type RequestKnowledge,
  type RequestRecord,
} from '../requests/request-record.js';
import type { OperationRows, StoredResource } from '../requests/service.js';
import type { Exchange, Missing } from '../traffic-files/exchange.js';
import { type JsonValue, parseJson, stringifyJson } from '../values/json.js';
import { readTold, type Told, type ToldWait } from '../values/told-waits.js';
import { unsignedQuery } from '../values/unsigned-query.js';
import type { ClientSession, RunPosition } from './client-session.js';
import { isNamedRefusal, isRefusal, looksRefused, noPromises, permanentReasonIn, promisesOf } from './promises.js';

/** Information about a request that only a recording has. */
type Recorded = Partial<Pick<Exchange, 'missing' | 'file' | 'isKeyMasked' | 'isClockUnknown' | 'clockDoubtMs'>>;

/** Facts about a run that decide how the judge reads a single request. */
export interface RequestFacts {
  /** Expectation of the scenario, with the statuses that the user named as refusals. */
  readonly expect?: { refused?: readonly number[] | undefined } | undefined;
  /** Whether the client is a page of another origin that cannot read the rate-limit headers. */
  readonly areHeadersHidden?: boolean | undefined;
  /** Operations of the simulated APIs, also for messages. Default: unknown. */
  readonly operations?: OperationRows | undefined;
}

/** Whether the simulator wrote a response. A backend or handler writes those of operations that no simulated API has. */
const isOfSimulator = ({ refusedBy, operation }: RequestRecord, { operations }: RequestFacts): boolean =>
  !isRefusedByOther({ refusedBy }) && (operation === undefined || operations === undefined || operation in operations);

/**
 * A request with values that the judge derives. Refers to the journal record instead of copying its fields: for 10,000
 * records, copies made garbage collection a third of the judge's time.
 */
export class JudgedRequest implements Omit<ObservedRequest, 'heldMs' | 'baseUrl' | 'wholeBody'>, RunPosition {
  readonly #entry: RequestRecord & Recorded;
  #pet: string | undefined;
  readonly #isOwn: boolean;
  readonly #operations: OperationRows;
  #told: Told | undefined;
  #permanentReason: string | undefined;
  declare readonly session: ClientSession;
  declare readonly fingerprint: number;
  declare readonly requestText: string;
  declare readonly call: string | undefined;
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
  /** Wait that the response states explicitly, as in Retry-After; `undefined` if missing or unreadable. */
  declare readonly retryAfterMs: number | undefined;
  /**
   * Reset time that a refused response names; `undefined` if missing or in the past.
   */
  declare readonly resetMs: number | undefined;
  /** Earliest time for a retry according to the response; `undefined` if the response names no time. */
  declare readonly deadlineMs: number | undefined;
  /**
   * Wait that the response may mean, in a form that the judge cannot read or in a field that is no promise. `undefined`
   * for other responses, and for those of the simulator, whose scenarios say what a client does then.
   */
  declare readonly unsure: ToldWait | undefined;
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
   * @param isKnown whether the simulator itself recorded the request; if not, any response that asks for a wait counts
   * as a refusal
   */
  constructor(entry: RequestRecord & Recorded, position: RunPosition, facts: RequestFacts, isKnown = false) {
    this.#entry = entry;
    this.#operations = facts.operations ?? {};
    this.queuedAtMs = entry.arrivedAtMs;
    this.session = position.session;
    this.fingerprint = position.fingerprint;
    this.requestText = position.requestText;
    this.call = position.call;
    this.isBan = entry.refusal === 'ban';
    this.isByLimit = entry.refusal === 'limit';
    this.isKeyWithheld = entry.refusedBy === 'backend-without-key' || entry.refusedBy === 'key-elsewhere';
    this.#isOwn = isKnown && isOfSimulator(entry, facts);
    this.isRefused = isRefusal(entry) || this.#isOtherRefusal(entry, facts);
    this.isLimited = entry.isLimited;
    this.isUnreadable = entry.isUnreadable;
    const isAsking = this.isRefused || entry.status === 503;
    const isRead = isAsking && !facts.areHeadersHidden;
    const { deadlineMs, retryAfterMs, resetMs } = isRead ? promisesOf(entry, this.told, this.isRefused) : noPromises;
    this.retryAfterMs = retryAfterMs;
    this.resetMs = resetMs;
    this.deadlineMs = deadlineMs;
    this.unsure = this.#isOwn || !isRead ? undefined : this.told.unsure;
    this.lastRefusalRead = undefined;
    this.retryOf = undefined;
    this.retryOfOutage = undefined;
  }

  /**
   * Whether another status than 429 refused the request: an error that asks for a wait, of another service or by a fault
   * rule, or a status that the user named. A 503 of the simulator is an outage.
   */
  #isOtherRefusal(entry: RequestRecord, { expect: { refused = [] } = {} }: RequestFacts): boolean {
    const { status, fault } = entry;
    const isNamed = refused.includes(status);
    if ((status < 400 && !isNamed) || (this.#isOwn && fault === undefined)) return false;
    if (status >= 400 && this.told.isAsking && !(this.#isOwn && status === 503)) return true;
    return isNamed && isNamedRefusal(entry, this.told);
  }

  /**
   * Text that identifies the pet or other resource of a write. Computed at the first use, because parsing JSON takes as
   * long as the rest of the judge's work.
   */
  get pet() {
    this.#pet ??= this.#resource() ?? [this.method, this.path, unsignedQuery(this.query), this.requestText].join('\n');
    return this.#pet;
  }
  #resource(): string | undefined {
    if (this.stores === undefined) return undefined;
    try {
      const body = parseJson(this.requestText) as Record<string, unknown>;
      const fields = Object.entries(this.stores.fields);
      return fields
        .map(([name, byDefault]) => stringifyJson((body[name] ?? byDefault ?? null) as JsonValue))
        .join('\n');
    } catch {
      return this.requestText;
    }
  }
  /** Resource that the request's operation stores, by the table of operations; `undefined` if unknown. */
  get stores(): StoredResource | undefined {
    return rowOf(this.#operations, this.operation ?? '')?.stores;
  }
  /** Noun for the resource that the request stores: `pet` or `resource`. */
  get noun(): string {
    return this.stores?.noun ?? 'resource';
  }
  /** Whether the response of a service looks like a refusal by a status that does not count as one. */
  get mayBeRefused(): boolean {
    const { status } = this;
    if (this.isRefused || status === 429 || status === 503 || (this.#isOwn && this.#entry.fault === undefined))
      return false;
    return status > 0 && looksRefused(this);
  }
  /** Sign in an error response that a repetition cannot succeed, for a message; `undefined` without one. */
  get permanentReason(): string | undefined {
    if (this.status < 400) return undefined;
    this.#permanentReason ??= permanentReasonIn(this.#entry) ?? '';
    return this.#permanentReason || undefined;
  }
  /** Waits that the response states, read at the first use: most responses state none that a rule needs. */
  get told(): Told {
    this.#told ??= readTold(this.#entry, this.#isOwn);
    return this.#told;
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
  /** Number of requests as which the request counts; 1 if unknown. */
  get cost() {
    return this.#entry.cost ?? 1;
  }
  get status() {
    return this.#entry.status;
  }
  /** Whether the client itself disconnected before the response. False if the service or the network did. */
  get isLeft() {
    const { status, wire } = this.#entry;
    return status === 0 && wire?.kind !== 'reset' && wire?.kind !== 'close';
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
  get requestHeaders() {
    return this.#entry.requestHeaders;
  }
  get connection() {
    return this.#entry.connection;
  }
  /** Name of the client that sent the request: the first `User-Agent` of its connection. */
  get client() {
    return this.session.client;
  }
  /** Parts of the request and its response that the recording does not contain. */
  get missing(): readonly Missing[] {
    return this.#entry.missing ?? [];
  }
  /** Whether the recording that contains this request also contains API keys, and no mask in place of this request's. */
  get hasKeysInFile() {
    return this.#entry.file?.hasKeys === true && this.#entry.isKeyMasked !== true;
  }
  /** Program that wrote the recording; `undefined` if unknown. */
  get program() {
    return this.#entry.file?.program;
  }
  /** Whether the service's clock is unknown, so that a time in the response is not comparable. */
  get isClockUnknown() {
    return this.#entry.isClockUnknown === true;
  }
  /** Maximum difference between the clocks of the machines that recorded the requests. */
  get clockDoubtMs() {
    return this.#entry.clockDoubtMs ?? 0;
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

  constructor(entry: RequestRecord, position: RunPosition, facts: RequestFacts) {
    super(entry, position, facts, true);
    this.known = entry;
  }
}

/** Maximum time by which a retry may be too early and still count as punctual. Timers are imprecise. */
export const toleranceMs = 50;
/**
 * Tolerance for the time between two requests, in milliseconds. Larger if a recording has only coarse times, or if its
 * machines had different clocks.
 */
export const toleranceOf = (one: JudgedRequest, other: JudgedRequest = one) =>
  toleranceMs + Math.max(one.clockStepMs + one.clockDoubtMs, other.clockStepMs + other.clockDoubtMs);

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

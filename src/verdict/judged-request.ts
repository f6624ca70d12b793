import type { ObservedRequest, RequestKnowledge, RequestRecord } from '../state/request-record.js';
import type { Lane, Place } from './place.js';
import { readReset, readRetryAfter } from './promises.js';

/**
 * One request of the client as it was observed, with what the judge derives from it. A class, because an object of so many
 * fields that is spread together takes V8 thirty times as long, and a journal holds 10,000.
 */
export class JudgedRequest implements ObservedRequest, Place {
  readonly id: ObservedRequest['id'];
  readonly arrivedAtMs: ObservedRequest['arrivedAtMs'];
  readonly answeredAtMs: ObservedRequest['answeredAtMs'];
  readonly finishedAtMs: ObservedRequest['finishedAtMs'];
  readonly isAbandoned: ObservedRequest['isAbandoned'];
  readonly lastArrivedId: ObservedRequest['lastArrivedId'];
  readonly heldMs: ObservedRequest['heldMs'];
  readonly token: ObservedRequest['token'];
  readonly operation: ObservedRequest['operation'];
  readonly method: ObservedRequest['method'];
  readonly baseUrl: ObservedRequest['baseUrl'];
  readonly path: ObservedRequest['path'];
  readonly query: ObservedRequest['query'];
  readonly status: ObservedRequest['status'];
  readonly requestBody: ObservedRequest['requestBody'];
  readonly responseBody: ObservedRequest['responseBody'];
  readonly headers: ObservedRequest['headers'];
  readonly connection: ObservedRequest['connection'];
  readonly client: ObservedRequest['client'];
  readonly call: ObservedRequest['call'];
  readonly lane: Lane;
  readonly era: number;
  readonly fingerprint: number;
  /** Whether the key had to wait: 429, or a ban under any status. */
  readonly isRefused: boolean;
  /** Whether that was during a ban, or over a limit of the plan; `false` where nobody knows. */
  readonly isBan: boolean;
  readonly isByLimit: boolean;
  /** Whether the limits of the plan applied to it; `true` where nobody knows. */
  readonly isLimited: boolean;
  /** Whether a fault kept the client from reading the answer; `false` where nobody knows. */
  readonly isUnreadable: boolean;
  /** The wait that Retry-After asked for; `undefined` where it was missing or cannot be read. */
  readonly retryAfterMs: number | undefined;
  /** X-RateLimit-Reset of a refusal as an instant, where it lies ahead or is all there is. */
  readonly resetMs: number | undefined;
  /** The earliest instant that the answer named for coming back; `undefined` where it named none that can be read. */
  readonly deadlineMs: number | undefined;
  /** Whether the lane had other requests on their way right before or after it. */
  isOverlapped = false;
  /** The last refusal of its key that the client had certainly read when it sent this. */
  told: JudgedRequest | undefined = undefined;
  /** The refusal that this is another try after: of the same call, as far as that can be known. */
  triedAfter: JudgedRequest | undefined = undefined;
  /** The same for a 503 that named a wait. */
  triedAfterOutage: JudgedRequest | undefined = undefined;

  /** @param areHeadersHidden whether the client is a page that sees neither Retry-After nor X-RateLimit-* */
  constructor(entry: ObservedRequest & Partial<RequestKnowledge>, place: Place, areHeadersHidden: boolean) {
    this.id = entry.id;
    this.arrivedAtMs = entry.arrivedAtMs;
    this.answeredAtMs = entry.answeredAtMs;
    this.finishedAtMs = entry.finishedAtMs;
    this.isAbandoned = entry.isAbandoned;
    this.lastArrivedId = entry.lastArrivedId;
    this.heldMs = entry.heldMs;
    this.token = entry.token;
    this.operation = entry.operation;
    this.method = entry.method;
    this.baseUrl = entry.baseUrl;
    this.path = entry.path;
    this.query = entry.query;
    this.status = entry.status;
    this.requestBody = entry.requestBody;
    this.responseBody = entry.responseBody;
    this.headers = entry.headers;
    this.connection = entry.connection;
    this.client = entry.client;
    this.call = entry.call;
    this.lane = place.lane;
    this.era = place.era;
    this.fingerprint = place.fingerprint;
    this.isBan = entry.refusal === 'ban';
    this.isByLimit = entry.refusal === 'limit';
    this.isRefused =
      entry.refusal !== undefined || entry.status === 429 || (!('refusal' in entry) && asksToWait(entry));
    this.isLimited = entry.isLimited ?? true;
    this.isUnreadable = entry.isUnreadable ?? false;
    const { deadlineMs, retryAfterMs, resetMs } = areHeadersHidden ? noPromises : promisesOf(entry, this.isRefused);
    this.retryAfterMs = retryAfterMs;
    this.resetMs = resetMs;
    this.deadlineMs = deadlineMs;
  }
}

/** A request with what only the simulator knows of it. */
export class KnownRequest extends JudgedRequest {
  declare told: KnownRequest | undefined;
  declare triedAfter: KnownRequest | undefined;
  declare triedAfterOutage: KnownRequest | undefined;
  readonly known: RequestKnowledge;

  constructor(entry: RequestRecord, place: Place, areHeadersHidden: boolean) {
    super(entry, place, areHeadersHidden);
    this.known = entry;
  }
}

/** A request that comes less than this too early is on time: timers are that exact. */
export const toleranceMs = 50;
/** A request that comes this long after an answer has seen it, whatever the connection; a parallel burst is over. */
export const graceMs = 1_000;

/** A ban may be told by another status: who only observes knows it by the wait that it names. */
const asksToWait = (entry: ObservedRequest) =>
  entry.status >= 400 && entry.status < 500 && readRetryAfter(entry) !== undefined;

type Promises = Pick<JudgedRequest, 'deadlineMs' | 'retryAfterMs' | 'resetMs'>;

const noPromises: Promises = { deadlineMs: undefined, retryAfterMs: undefined, resetMs: undefined };

/** Both headers are promises, and the earlier one counts; but none asks for less than the other by lying in the past. */
function promisesOf(entry: ObservedRequest, isRefused: boolean): Promises {
  // A server that is away names a wait, too; when its limits reset is no matter then.
  const retryAfterMs = isRefused || entry.status === 503 ? readRetryAfter(entry) : undefined;
  const resetMs = isRefused ? readReset(entry) : undefined;
  if (retryAfterMs === undefined)
    return resetMs === undefined ? noPromises : { deadlineMs: resetMs, retryAfterMs, resetMs };
  const untilMs = entry.answeredAtMs + retryAfterMs;
  const isAhead = resetMs !== undefined && resetMs > entry.answeredAtMs;
  return isAhead
    ? { deadlineMs: Math.min(untilMs, resetMs), retryAfterMs, resetMs }
    : { deadlineMs: untilMs, retryAfterMs, resetMs: undefined };
}

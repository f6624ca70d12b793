import type { RequestRecord } from '../state/request-record.js';
import { readReset, readRetryAfter } from './promises.js';

/** What one client does with one API key: the requests whose order can be compared. */
export interface Lane {
  readonly token: string | undefined;
  /**
   * Whether its requests never overlapped in time, so that each follows from the answer before it, on whatever
   * connection.
   */
  isOneThread: boolean;
  /** Whether the scenario says that calls run side by side: then those on one connection may have queued for it. */
  readonly isParallel: boolean;
}

/**
 * One request of the client, with what the judge derives from its entry in the journal. A class, because an object of so
 * many fields that is spread together takes V8 thirty times as long, and a journal holds 10,000.
 */
export class JudgedRequest implements RequestRecord {
  readonly id: RequestRecord['id'];
  readonly arrivedAtMs: RequestRecord['arrivedAtMs'];
  readonly answeredAtMs: RequestRecord['answeredAtMs'];
  readonly finishedAtMs: RequestRecord['finishedAtMs'];
  readonly isAbandoned: RequestRecord['isAbandoned'];
  readonly lastArrivedId: RequestRecord['lastArrivedId'];
  readonly heldMs: RequestRecord['heldMs'];
  readonly token: RequestRecord['token'];
  readonly operation: RequestRecord['operation'];
  readonly method: RequestRecord['method'];
  readonly baseUrl: RequestRecord['baseUrl'];
  readonly path: RequestRecord['path'];
  readonly query: RequestRecord['query'];
  readonly status: RequestRecord['status'];
  readonly requestBody: RequestRecord['requestBody'];
  readonly responseBody: RequestRecord['responseBody'];
  readonly headers: RequestRecord['headers'];
  readonly connection: RequestRecord['connection'];
  readonly client: RequestRecord['client'];
  readonly call: RequestRecord['call'];
  readonly plan: RequestRecord['plan'];
  readonly window: RequestRecord['window'];
  readonly refusal: RequestRecord['refusal'];
  readonly promisedAtMs: RequestRecord['promisedAtMs'];
  readonly strikes: RequestRecord['strikes'];
  readonly isStrike: RequestRecord['isStrike'];
  readonly isLimited: RequestRecord['isLimited'];
  readonly episode: RequestRecord['episode'];
  readonly storedId: RequestRecord['storedId'];
  readonly fault: RequestRecord['fault'];
  readonly isUnreadable: RequestRecord['isUnreadable'];
  readonly lane: Lane;
  /** Counted up each time the clock was set back; instants of two eras cannot be compared. */
  readonly era: number;
  /** The same for requests that may be one call tried again: method, path, query, body and `X-Sim-Call`. */
  readonly fingerprint: string;
  /** Whether the key had to wait: 429, or a ban under any status. */
  readonly isRefused: boolean;
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

  constructor(entry: RequestRecord, lane: Lane, era: number) {
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
    this.plan = entry.plan;
    this.window = entry.window;
    this.refusal = entry.refusal;
    this.promisedAtMs = entry.promisedAtMs;
    this.strikes = entry.strikes;
    this.isStrike = entry.isStrike;
    this.isLimited = entry.isLimited;
    this.episode = entry.episode;
    this.storedId = entry.storedId;
    this.fault = entry.fault;
    this.isUnreadable = entry.isUnreadable;
    this.lane = lane;
    this.era = era;
    this.fingerprint = fingerprintOf(entry);
    this.isRefused = entry.refusal !== undefined || entry.status === 429;
    const { deadlineMs, retryAfterMs, resetMs } = promisesOf(entry, this.isRefused);
    this.retryAfterMs = retryAfterMs;
    this.resetMs = resetMs;
    this.deadlineMs = deadlineMs;
  }
}

/** A request that comes less than this too early is on time: timers are that exact. */
export const toleranceMs = 50;
/** A request that comes this long after an answer has seen it, whatever the connection; a parallel burst is over. */
export const graceMs = 1_000;
/** Where refusals are not held back, requests on two connections this close together may have been sent side by side. */
const besideMs = 100;
/** A clock that was set back by less than this was corrected, and the run goes on. */
const correctionMs = 1_000;

/**
 * The entries with what can be said of each by itself and by its neighbours in time.
 * @param entries in the order of arrival
 * @param isParallel whether the client is known to send requests side by side
 */
export function judgedRequests(entries: readonly RequestRecord[], isParallel: boolean): JudgedRequest[] {
  const lanes = new Map<string, Lane>();
  let era = 0;
  let lastMs = Number.NEGATIVE_INFINITY;
  const requests = entries.map((entry) => {
    if (entry.arrivedAtMs < lastMs - correctionMs) era++;
    lastMs = entry.arrivedAtMs;
    return new JudgedRequest(entry, laneOf(lanes, entry, era, isParallel), era);
  });
  markOverlaps(
    requests,
    entries.some(({ heldMs }) => heldMs > 0),
  );
  return requests;
}

function laneOf(lanes: Map<string, Lane>, { token, client }: RequestRecord, era: number, isParallel: boolean): Lane {
  const name = `${era} ${token} ${client}`;
  let lane = lanes.get(name);
  if (lane === undefined) {
    lane = { token, isOneThread: !isParallel, isParallel };
    lanes.set(name, lane);
  }
  return lane;
}

const decoder = new TextDecoder();

function fingerprintOf({ call, method, path, query, requestBody }: RequestRecord): string {
  const body = requestBody === undefined ? '' : decoder.decode(requestBody);
  return `${call} ${method} ${path} ${query} ${body}`;
}

/** Both headers are promises, and the earlier one counts; but none asks for less than the other by lying in the past. */
function promisesOf(
  entry: RequestRecord,
  isRefused: boolean,
): Pick<JudgedRequest, 'deadlineMs' | 'retryAfterMs' | 'resetMs'> {
  // A server that is away names a wait, too; when its limits reset is no matter then.
  const retryAfterMs = isRefused || entry.status === 503 ? readRetryAfter(entry) : undefined;
  const resetMs = isRefused ? readReset(entry) : undefined;
  if (retryAfterMs === undefined) return { deadlineMs: resetMs, retryAfterMs, resetMs };
  const untilMs = entry.answeredAtMs + retryAfterMs;
  const isAhead = resetMs !== undefined && resetMs > entry.answeredAtMs;
  return isAhead
    ? { deadlineMs: Math.min(untilMs, resetMs), retryAfterMs, resetMs }
    : { deadlineMs: untilMs, retryAfterMs, resetMs: undefined };
}

/** Notes for each request whether others of its lane were on their way with it, and so whether the lane is one thread. */
function markOverlaps(requests: readonly JudgedRequest[], isHeld: boolean): void {
  const before = new Map<Lane, { open: JudgedRequest | undefined; recent: JudgedRequest[] }>();
  for (const request of requests) {
    const { lane } = request;
    const seen = before.get(lane) ?? { open: undefined, recent: [] };
    before.set(lane, seen);
    const { open } = seen;
    if (open !== undefined && open.lastArrivedId >= request.id) overlap(open, request);
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

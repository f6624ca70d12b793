import type { RequestRecord } from '../requests/request-record.js';
import { getOrCreate } from '../values/get-or-create.js';
import { listGroups } from '../values/group-by.js';
import { textOfBytes } from '../values/json-bytes.js';
import { pathWithQuery } from '../values/request-target.js';
import type { Steps } from '../values/steps.js';
import { unsignedQuery } from '../values/unsigned-query.js';
import { type ClientSession, PerSession, type RunPosition } from './client-session.js';
import { concurrentMs, type JudgedRequest, receiptMs } from './judged-request.js';

/**
 * Maximum time by which the clock may be set back within one session. After a larger step back, a new session starts,
 * because times before and after the step are not comparable.
 */
const correctionMs = 1_000;

const entriesOfStep = 500;

/**
 * Converts journal records to the requests that the judge examines. Assigns each request to a session (the requests of
 * one client with one API key), and marks concurrent and equal requests.
 * @param entries journal records in order of arrival
 * @param callers number of concurrent callers that the scenario declares; if 1, overlapping requests show concurrency
 * @param toRequest creates the judge's request from a record and the position in its session
 */
export function* assignSessions<Request extends JudgedRequest>(
  entries: readonly RequestRecord[],
  callers: number,
  toRequest: (entry: RequestRecord, position: RunPosition) => Request,
): Steps<Request[]> {
  const positionOf = createSessionAssigner(callers, nameCountedCalls(entries));
  const requests: Request[] = [];
  for (let index = 0; index < entries.length; index += entriesOfStep) {
    for (const entry of entries.slice(index, index + entriesOfStep)) requests.push(toRequest(entry, positionOf(entry)));
    yield;
  }
  markOverlaps(
    requests,
    entries.some(({ heldMs }) => heldMs > 0),
  );
  if (callers > 1) markQueues(requests);
  return requests;
}

/**
 * Creates a function that assigns records to sessions, in order of arrival. A session has the requests of one client
 * with one API key.
 */
function createSessionAssigner(
  callers: number,
  counted: ReadonlyMap<RequestRecord, string>,
): (entry: RequestRecord) => RunPosition {
  const fingerprints = new Fingerprints();
  const sessions = new Map<string, ClientSession>();
  const seriesOf = new Map<string, number>();
  let clockSetBacks = 0;
  let lastMs = Number.NEGATIVE_INFINITY;
  let last: ({ session: ClientSession } & Pick<RequestRecord, 'client' | 'connection'>) | undefined;

  function sessionOf({ token, client, connection }: RequestRecord): ClientSession {
    if (
      last !== undefined &&
      last.session.token === token &&
      last.session.clockSetBacks === clockSetBacks &&
      last.client === client &&
      last.connection === connection
    )
      return last.session;
    const key = `${clockSetBacks} ${token}`;
    const series = getOrCreate(seriesOf, key, () => seriesOf.size);
    const byClient = `${key} ${client}`;
    // A connection belongs to one client, even if the User-Agent changes between its requests.
    const byConnection = connection === undefined ? byClient : `${key}\n${connection}`;
    const session = sessions.get(byConnection) ??
      sessions.get(byClient) ?? { token, clockSetBacks, series, client, callers, isSequential: callers === 1 };
    sessions.set(byConnection, session);
    if (!sessions.has(byClient)) sessions.set(byClient, session);
    last = { session, client, connection };
    return session;
  }

  return (entry) => {
    const { arrivedAtMs, requestBody, wholeBody } = entry;
    if (arrivedAtMs < lastMs - correctionMs) clockSetBacks++;
    lastMs = arrivedAtMs;
    const start = requestBody === undefined ? '' : textOfBytes(requestBody);
    const requestText = wholeBody === undefined ? start : `${start}\n${wholeBody}`;
    const session = sessionOf(entry);
    const call = entry.call ?? entry.requestHeaders?.[invocationHeader] ?? counted.get(entry);
    return { session, fingerprint: fingerprints.of(entry, session.client, call, requestText), requestText, call };
  };
}

/**
 * Sets `queuedAtMs`, the earliest time at which the client may have created a request that waited for a free
 * connection. With n callers, the client creates a queued request only after the response to the request n places
 * earlier.
 */
function markQueues(requests: readonly JudgedRequest[]): void {
  const queues = new Map<ClientSession, JudgedRequest[]>();
  for (const request of requests) {
    const { session, arrivedAtMs } = request;
    const queue = queues.get(session);
    const last = queue?.at(-1);
    if (queue === undefined || last === undefined || arrivedAtMs - last.answeredAtMs > receiptMs) {
      queues.set(session, [request]);
      continue;
    }
    queue.push(request);
    const hasRetried = queue[queue.length - 1 - session.callers];
    request.queuedAtMs = hasRetried === undefined ? (queue[0] as JudgedRequest).arrivedAtMs : hasRetried.answeredAtMs;
  }
}

/** Header with which AWS SDKs name a call in all of its attempts. */
const invocationHeader = 'amz-sdk-invocation-id';

/** Header in which SDKs by Stainless, such as those of OpenAI and Anthropic, count the retries of a call from 0. */
const retryCountHeader = 'x-stainless-retry-count';

/**
 * Names the calls of SDKs that count their retries, by record. Equal requests stay without names if two of them may be the
 * earlier attempt of one retry, as in concurrent equal calls. If none counts a retry, the SDK's own retries may be off,
 * and a `fetch` of the user retries with the same headers. Then only writes without a refusal are calls of their own.
 */
function nameCountedCalls(entries: readonly RequestRecord[]): ReadonlyMap<RequestRecord, string> {
  const counted = entries.filter(({ requestHeaders }) => requestHeaders?.[retryCountHeader] !== undefined);
  const names = new Map<RequestRecord, string>();
  const equal = listGroups(counted, ({ token, client, method, wholeBody, requestBody, ...request }) =>
    JSON.stringify([token, client, method, pathWithQuery(request), wholeBody, requestBody]),
  );
  for (const group of equal) {
    const calls: RequestRecord[][] = [];
    const countOf = ({ requestHeaders }: RequestRecord) => Number(requestHeaders?.[retryCountHeader]);
    const isClear = group.every((request) => {
      const count = countOf(request);
      const open = calls.filter(
        (attempts) => attempts.length === count && (attempts.at(-1)?.lastArrivedId ?? 0) < request.id,
      );
      if (count === 0) calls.push([request]);
      else open[0]?.push(request);
      return count === 0 || open.length === 1;
    });
    const mayBeRetried = ({ method, status }: RequestRecord) =>
      method === 'GET' || method === 'HEAD' || (status >= 400 && status < 500);
    if (isClear && (group.some((request) => countOf(request) > 0) || !group.some(mayBeRetried)))
      for (const attempts of calls) for (const each of attempts) names.set(each, `counted ${attempts[0]?.id}`);
  }
  return names;
}

/** Requests of a session that are still in flight. */
interface Traffic {
  /** Request whose response was sent last in the session. */
  open: JudgedRequest | undefined;
  recent: JudgedRequest[];
  /** Whether all requests so far used one connection. */
  isOneConnection: boolean;
}

/**
 * Sets `isOverlapped` for requests that a client sent concurrently, and `isSequential = false` for this client's
 * session.
 */
function markOverlaps(requests: readonly JudgedRequest[], isHeld: boolean): void {
  const sessions = new PerSession((): Traffic => ({ open: undefined, recent: [], isOneConnection: true }));
  for (const request of requests) {
    const traffic = sessions.of(request.session);
    const { open } = traffic;
    // A request is concurrent with the previous one if it arrived before the previous response was sent, because the
    // client cannot have waited for that response.
    if (open !== undefined && isConcurrent(open, request)) overlap(open, request);
    // Coarse times do not show which requests are close together.
    if (!isHeld && request.clockStepMs === 0) markNeighbors(request, traffic);
    // Ignores a request whose client disconnected. The client did not wait for the response, so its next request is no
    // evidence of concurrent requests.
    const isWaitedFor = !request.isLeft;
    if (isWaitedFor && (open === undefined || request.lastArrivedId > open.lastArrivedId)) traffic.open = request;
  }
}

/** Whether a request certainly arrived before the response to the previous request was sent. */
function isConcurrent(open: JudgedRequest, request: JudgedRequest): boolean {
  const { clockStepMs } = request;
  if (clockStepMs > 0) return open.answeredAtMs >= request.arrivedAtMs + clockStepMs;
  if (open.lastArrivedId >= request.id) return true;
  return open.answeredAtMs > request.arrivedAtMs && !isBeforeClockSetBack(open, request);
}

/** Whether the clock was set back between two requests, so that their times say nothing of each other. */
const isBeforeClockSetBack = (earlier: JudgedRequest, later: JudgedRequest) => earlier.arrivedAtMs > later.arrivedAtMs;

function markNeighbors(request: JudgedRequest, traffic: Traffic): void {
  const { recent } = traffic;
  traffic.isOneConnection &&= recent.length === 0 || recent.at(-1)?.connection === request.connection;
  const near = request.arrivedAtMs - concurrentMs;
  const oldest = traffic.isOneConnection ? recent.length : Math.max(0, recent.length - maximumNeighbors);
  for (let index = recent.length - 1; index >= oldest; index--) {
    const neighbor = recent[index] as JudgedRequest;
    if (neighbor.answeredAtMs < near) break;
    if (neighbor.connection !== request.connection && !isBeforeClockSetBack(neighbor, request))
      overlap(neighbor, request);
  }
  recent.push(request);
}

/**
 * Maximum number of previous requests to which a request is compared. One overlap is enough to show that the client
 * sends requests in parallel.
 */
const maximumNeighbors = 8;

function overlap(one: JudgedRequest, other: JudgedRequest): void {
  one.isOverlapped = true;
  other.isOverlapped = true;
  one.session.isSequential = false;
}

/**
 * Assigns a number to each distinct request. Equal requests share a number, because they may be attempts of one call.
 * The judge's rules group requests by number.
 */
class Fingerprints {
  #count = 0;
  /**
   * Number of each distinct request. The outer map's key is the HTTP method with the API key, and the inner map's key
   * is the request's text. A single map with one long key would be slower.
   */
  readonly #kinds = new Map<string, Map<string, number>>();
  #token: string | undefined;
  #method: string | undefined;
  #kind = new Map<string, number>();

  /**
   * Returns the fingerprint of a request: a number that is the same for a request and its retries. The judge recognizes
   * retries by this number.
   * @param client name of the client, from its User-Agent
   * @param call name of the call; `undefined` without one
   * @param requestText request body as text
   */
  of(request: RequestRecord, client: string | undefined, call: string | undefined, requestText: string): number {
    const { token, method } = request;
    if (token !== this.#token || method !== this.#method) {
      this.#token = token;
      this.#method = method;
      this.#kind = getOrCreate(this.#kinds, `${method} ${token}`, () => new Map());
    }
    const text = call === undefined ? sentIn(request, requestText) : `\n${client}\n${call}`;
    return getOrCreate(this.#kind, text, () => this.#count++);
  }
}

/**
 * Returns the path, query and body of a request as one text. Requests with equal texts count as attempts of one call if
 * the client does not name its calls in the header `X-Sim-Call`.
 */
const sentIn = ({ path, query }: RequestRecord, requestText: string) => {
  const target = pathWithQuery({ path, query: unsignedQuery(query) });
  return requestText === '' ? target : `${target}\n${requestText}`;
};

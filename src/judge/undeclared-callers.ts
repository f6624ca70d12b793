import { getOrCreate } from '../values/get-or-create.js';
import { groupBy } from '../values/group-by.js';
import type { ClientSession } from './client-session.js';
import type { Finding } from './finding.js';
import { isOverdue } from './given-up.js';
import { concurrentMs } from './judged-request.js';
import { rules } from './rules.js';
import { type JudgedRequest, type Run, receiptMs, toleranceOf, waitedMs } from './run.js';

/** Delay of a retry after its required wait that always counts as prompt. */
const promptMs = 2_000;
/**
 * Maximum number of concurrent callers that the judge assumes behind requests with one API key. For more, the judge
 * assumes a single caller that ignores the required wait.
 */
const maximumCallers = 64;
/**
 * Minimum number of requests with changing User-Agent and connection that make the verdict inconclusive. Such requests
 * may come from several callers.
 */
const minimumAgents = 3;

/** Detects independent callers that use one API key and that the scenario does not declare. */
export interface UndeclaredCallers {
  /**
   * Whether a finding does not prove a fault of the client, because its requests may come from several independent
   * callers with one API key.
   */
  excuses(found: Finding): boolean;
  /**
   * Returns the reason why the verdict is inconclusive: the requests of at least one finding may come from several
   * independent callers. Returns `undefined` if no finding is uncertain for this reason.
   */
  doubtOf(findings: readonly Finding[]): string | undefined;
}

/**
 * Detects clients that may be several independent callers. The evidence: requests arrived on other connections during a
 * wait, and each refused caller retried after its own wait.
 */
export function undeclaredCallersIn(run: Run): UndeclaredCallers {
  // Indexes of the run's requests, created at the first use because most runs do not need them.
  let byId: ReadonlyMap<number, JudgedRequest> | undefined;
  let ofLanes: ReadonlyMap<ClientSession, readonly JudgedRequest[]> | undefined;
  const counts = new Map<ClientSession, number>();
  const laneOf = (id: number) => {
    byId ??= new Map(run.requests.map((request) => [request.id, request]));
    return (byId.get(id) as JudgedRequest).session;
  };
  const sentIn = (session: ClientSession) => {
    ofLanes ??= groupBy(run.requests, (request) => request.session);
    return ofLanes.get(session) ?? [];
  };
  const callersIn = (session: ClientSession) => getOrCreate(counts, session, () => countCallers(sentIn(session), run));
  const excuses = ({ code, requests }: Finding) => {
    const { blames, maximumRequestsPerCaller = Number.POSITIVE_INFINITY } = rules[code];
    const count = blames === 'refused caller' ? callersIn(laneOf(requests[0] as number)) : 1;
    return count > 1 && requests.length <= maximumRequestsPerCaller * count;
  };
  const hasChangingAgents = ({ code, requests }: Finding) =>
    rules[code].blames === 'all callers' &&
    requests.length >= minimumAgents &&
    requests.every((id) => sentIn(laneOf(id)).length === 1);
  return {
    excuses,
    doubtOf(findings) {
      if (findings.some(excuses)) return severalCallers;
      return findings.some(hasChangingAgents) ? changingAgents : undefined;
    },
  };
}

const severalCallers =
  'Requests arrived on other connections during a wait, and each refused caller retried after its own wait: these may be several independent callers. If so, declare them: client.parallel in the scenario, or X-Sim-Call.';
const changingAgents =
  'Each request had another User-Agent and another connection, so one client and several look the same. Use a constant User-Agent, or X-Sim-Call.';

/**
 * Computes the client's number of concurrent callers. Assumes that each caller whose request was refused waits and
 * retries by itself. Returns 1 if the requests contradict this assumption.
 */
function countCallers(requests: readonly JudgedRequest[], run: Run): number {
  let count = 1;
  let waiting: JudgedRequest[] = [];
  /** First refused request of the current period in which callers wait to retry. */
  let firstRefusal: JudgedRequest | undefined;
  /** Whether a caller has retried a request since the refusal `firstRefusal`. */
  let hasRetried = false;
  /** Whether the first retry after several refusals obeyed the wait that the latest refusal required. */
  let isAfterLast = false;
  let previousRequest: JudgedRequest | undefined;
  /**
   * Requests that arrived so long after the first refusal that the client must have received the refusal. The retry of
   * such a late request must use the same connection.
   */
  const late = new Set<JudgedRequest>();
  const hasReturned = new Set<JudgedRequest>();
  for (const request of requests) {
    if (!request.session.isSequential || request.call !== undefined || request.connection === undefined) return 1;
    const own = waiting.find(({ connection }) => connection === request.connection);
    const from = own ?? waiting.find((refusal) => isDue(refusal, request) && !late.has(refusal));
    if (from !== undefined) {
      if (!isDue(from, request) || !isPrompt(from, request)) return 1;
      // Assumes one caller if the first retry was after all required waits and this request follows directly. A single
      // client that waits once and then continues sends its requests in this way.
      if (hasRetried && isAfterLast && request.arrivedAtMs - (previousRequest?.answeredAtMs ?? 0) <= concurrentMs)
        return 1;
      if (!hasRetried) isAfterLast = isAfterLastWait(waiting, request);
      waiting = waiting.filter((refusal) => refusal !== from);
      hasRetried = true;
      if (request.isRefused) hasReturned.add(request);
    } else if (firstRefusal !== undefined && waiting.length > 0) {
      if (hasRetried || count === maximumCallers) return 1;
      count++;
      if (waitedMs(firstRefusal, request) > receiptMs) late.add(request);
    }
    if (request.isRefused) {
      if (waiting.length === 0) {
        firstRefusal = request;
        hasRetried = false;
      }
      waiting.push(request);
    }
    previousRequest = request;
  }
  const mayReturn = (refusal: JudgedRequest) => !late.has(refusal) && !isOverdue(refusal, run);
  return waiting.every((refusal) => hasReturned.has(refusal) || mayReturn(refusal)) ? count : 1;
}

const isDue = (refusal: JudgedRequest, request: JudgedRequest) =>
  request.arrivedAtMs >= (refusal.deadlineMs ?? refusal.answeredAtMs) - toleranceOf(refusal, request);

/**
 * Whether a request arrived after the wait that the last refusal required. Always `false` if all refusals are
 * concurrent.
 */
function isAfterLastWait(waiting: readonly JudgedRequest[], request: JudgedRequest): boolean {
  const [first, last] = [waiting[0], waiting.at(-1)];
  if (first === undefined || last === undefined || waitedMs(first, last) <= concurrentMs) return false;
  const dueMs = last.retryAfterMs === undefined ? last.deadlineMs : last.answeredAtMs + last.retryAfterMs;
  return request.arrivedAtMs >= (dueMs ?? 0) - toleranceOf(last, request);
}

function isPrompt({ deadlineMs, answeredAtMs }: JudgedRequest, { arrivedAtMs }: JudgedRequest): boolean {
  const dueMs = deadlineMs ?? answeredAtMs;
  return arrivedAtMs - dueMs <= Math.max(promptMs, dueMs - answeredAtMs);
}

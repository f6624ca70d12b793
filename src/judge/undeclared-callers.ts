import type { FindingCode } from '../scenario/finding-codes.js';
import { getOrCreate } from '../values/get-or-create.js';
import { groupBy } from '../values/group-by.js';
import type { ClientSession } from './client-session.js';
import type { Finding } from './finding.js';
import { isOverdue } from './given-up.js';
import { concurrentMs } from './judged-request.js';
import { type JudgedRequest, type Run, receiptMs, toleranceMs, waitedMs } from './run.js';

/** Rules that blame a client for ignoring a refusal. Such a finding is wrong if another caller received the refusal. */
const blaming: ReadonlySet<FindingCode> = new Set<FindingCode>([
  'early-retry',
  'ban-tripped',
  'ban-hammered',
  'ignored-day-window',
  'retry-storm',
]);

/**
 * Maximum number of requests per assumed caller in a finding `retry-storm`. With more requests, several callers do not
 * explain the finding.
 */
const maximumAttempts = 6;
/**
 * Maximum delay, in milliseconds, between the end of a required wait and a request that counts as the waiting caller's
 * retry. After a required wait of more than two seconds, the length of that wait is the maximum delay instead.
 */
const promptMs = 2_000;
/**
 * Maximum number of parallel callers that the judge assumes after one refusal. More requests count as one client in a
 * loop.
 */
const maximumCallers = 64;
/**
 * Minimum number of requests, all with different User-Agents, that may come from one client. The verdict on such a
 * client is inconclusive.
 */
const minimumAgents = 3;

/** Decides whether requests with one API key may come from several callers that the scenario does not declare. */
export interface UndeclaredCallers {
  /** Whether a finding is no evidence, because its requests may come from several callers. */
  excuses(found: Finding): boolean;
  /**
   * Reason for an inconclusive verdict, if any finding's requests may come from several callers; otherwise `undefined`.
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
    const count = blaming.has(code) ? callersIn(laneOf(requests[0] as number)) : 1;
    return count > 1 && (code !== 'retry-storm' || requests.length <= maximumAttempts * count);
  };
  const hasChangingAgents = ({ code, requests }: Finding) =>
    code === 'no-shared-gate' &&
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
 * Computes how many concurrent callers the client must have if each caller waits after its own refusals. Returns 1 if
 * no number of callers explains the requests.
 */
function countCallers(requests: readonly JudgedRequest[], run: Run): number {
  let count = 1;
  let waiting: JudgedRequest[] = [];
  /** First refusal of the current series. A series begins with a refusal at which no other caller is waiting. */
  let first: JudgedRequest | undefined;
  /**
   * `hasRetried`: a refused caller has retried. `isAfterLast`: the first such retry also came after the wait of the
   * latest refusal, so a single client could have sent it.
   */
  let hasRetried = false;
  let isAfterLast = false;
  let previousRequest: JudgedRequest | undefined;
  /**
   * Requests that arrived so long after the first refusal that the client must have received the refusal. Only a later
   * request on the same connection counts as the retry of such a request.
   */
  const late = new Set<JudgedRequest>();
  const hasReturned = new Set<JudgedRequest>();
  for (const request of requests) {
    if (!request.session.isSequential || request.call !== undefined || request.connection === undefined) return 1;
    const own = waiting.find(({ connection }) => connection === request.connection);
    const from = own ?? waiting.find((refusal) => isDue(refusal, request) && !late.has(refusal));
    if (from !== undefined) {
      if (!isDue(from, request) || !isPrompt(from, request)) return 1;
      // Assumes a single client if the request directly follows the response to a retry that came after all required
      // waits. A single client waits once, then makes its next call.
      if (hasRetried && isAfterLast && request.arrivedAtMs - (previousRequest?.answeredAtMs ?? 0) <= concurrentMs)
        return 1;
      if (!hasRetried) isAfterLast = isAfterAll(waiting, request);
      waiting = waiting.filter((refusal) => refusal !== from);
      hasRetried = true;
      if (request.isRefused) hasReturned.add(request);
    } else if (first !== undefined && waiting.length > 0) {
      if (hasRetried || count === maximumCallers) return 1;
      count++;
      if (waitedMs(first, request) > receiptMs) late.add(request);
    }
    if (request.isRefused) {
      if (waiting.length === 0) {
        first = request;
        hasRetried = false;
      }
      waiting.push(request);
    }
    previousRequest = request;
  }
  const mayReturn = (refusal: JudgedRequest) => !late.has(refusal) && !isOverdue(refusal, run);
  return waiting.every((refusal) => hasReturned.has(refusal) || mayReturn(refusal)) ? count : 1;
}

const isDue = ({ deadlineMs, answeredAtMs }: JudgedRequest, { arrivedAtMs }: JudgedRequest) =>
  arrivedAtMs >= (deadlineMs ?? answeredAtMs) - toleranceMs;

/**
 * Whether a request arrived after the wait that the latest of several refusals requires. Returns `false` if the latest
 * refused request arrived within 100 ms of the first refusal.
 */
function isAfterAll(waiting: readonly JudgedRequest[], { arrivedAtMs }: JudgedRequest): boolean {
  const [first, last] = [waiting[0], waiting.at(-1)];
  if (first === undefined || last === undefined || waitedMs(first, last) <= concurrentMs) return false;
  const dueMs = last.retryAfterMs === undefined ? last.deadlineMs : last.answeredAtMs + last.retryAfterMs;
  return arrivedAtMs >= (dueMs ?? 0) - toleranceMs;
}

function isPrompt({ deadlineMs, answeredAtMs }: JudgedRequest, { arrivedAtMs }: JudgedRequest): boolean {
  const dueMs = deadlineMs ?? answeredAtMs;
  return arrivedAtMs - dueMs <= Math.max(promptMs, dueMs - answeredAtMs);
}

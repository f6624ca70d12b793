import type { FindingCode } from '../scenario/finding-codes.js';
import { formatDuration } from '../values/format-duration.js';
import { joinWords } from '../values/join-words.js';
import { textOfBytes } from '../values/json-bytes.js';
import { pluralize } from '../values/pluralize.js';
import { requestTarget } from '../values/request-target.js';
import { failureReason } from './failure-reason.js';
import { codesOf, type Finding, type Judgement, type Severity } from './finding.js';
import { isOverdue, orError } from './given-up.js';
import type { Expectation } from './needs.js';
import { describeUnread } from './rules/early-retry.js';
import { showsGrowth } from './rules/no-backoff-growth.js';
import { patienceMs } from './rules/overslept.js';
import { rules } from './rules.js';
import { isAnswered, isServed, isUnknown, isWrite, type JudgedRequest, type Run, receiptMs } from './run.js';
import { describeOutside } from './unrecorded.js';

/** Maximum extension that the judge advises for a run stopped during the client's wait. */
const testableMs = 600_000;

/**
 * Sets a finding's severity to `fail` if the scenario requires that. A call that the client gave up and reported as an
 * error fails only if the scenario requires a successful response.
 */
export function escalated(found: Finding, { served = false, fail = [] }: Expectation): Finding {
  const ending = rules[found.code].endingIfServed;
  const isAskedFor = served && ending !== undefined;
  const fails = isAskedFor || (fail.includes(found.code) && (ending === undefined || found.severity !== 'info'));
  if (!fails || found.severity === 'praise') return found;
  const allowed = isAskedFor ? found.allowed.replace(orError, ending) : found.allowed;
  return { ...found, severity: 'fail', allowed };
}

/** Results of all rules of the judge. */
interface Results {
  findings: readonly Finding[];
  exercised: readonly FindingCode[];
  /** Reason to suspect that several callers share the API key; `undefined` without suspicion. */
  callers: string | undefined;
  judgements: ReadonlyMap<FindingCode, Judgement>;
  unmet: string | undefined;
}

interface Conclusion {
  outcome: 'pass' | 'fail' | 'inconclusive';
  /** Reason for the outcome, in one or two sentences. */
  reason: string;
}

/**
 * Determines the outcome of a run from its findings. A run that exercised no relevant rule is inconclusive, never a
 * pass.
 */
export function conclude(run: Run, results: Results): Conclusion {
  const { outcome, reason } = decide(run, results);
  const notes = [describeUnread(run.requests), describeDeadBackend(run.requests), describeLookalikes(run.requests)];
  const others = notes.filter((note) => note !== undefined && !reason.startsWith(note));
  return { outcome, reason: [reason, ...others].join(' ') };
}

function decide(run: Run, { findings, exercised, callers, judgements, unmet }: Results): Conclusion {
  const { dropped, expect } = run;
  const inconclusive = (reason: string) => ({ outcome: 'inconclusive' as const, reason });
  const codesWith = (severity: Severity) => codesOf(findings.filter((finding) => finding.severity === severity));
  const failed = codesWith('fail');
  if (failed.length > 0) return { outcome: 'fail', reason: failureReason(failed) };
  if (dropped > 0)
    return inconclusive(`The journal has dropped ${pluralize(dropped, 'request')}, so the run is incomplete.`);
  const lost = describeUnusable(run);
  if (lost !== undefined) return inconclusive(lost);
  if (unmet !== undefined) return inconclusive(`The client did not do what the scenario needs: ${unmet}.`);
  const waiting = stillWaiting(run);
  if (waiting !== undefined) return inconclusive(waiting);
  const doubted: readonly FindingCode[] = [...rulesOf(expect), 'early-retry', 'duplicate-write'];
  const doubt = [callers, ...doubted.map((code) => judgements.get(code)?.doubt)].find((each) => each !== undefined);
  if (doubt !== undefined) return inconclusive(doubt);
  const dependsOnGrowth = rulesOf(expect).length === 0 && isUntold(run);
  if (!isConclusive(exercised, expect) && !(dependsOnGrowth && run.isOver && run.requests.some(isRetry)))
    return inconclusive(whyInconclusive(run));
  const warned = codesWith('warn');
  if (dependsOnGrowth && !showsGrowth(run))
    return inconclusive(
      'No refusal told how long to wait, and the waits show no growth, so it is unknown whether the client waited long enough.',
    );
  if (isKeyTrial(run, exercised))
    return inconclusive('Each key got only 401s or none, and no request was refused, so nothing was put to the test.');
  const but = warned.length > 0 ? `, but see ${warned.join(', ')}` : '';
  // An early retry is no remark, but the opposite of what a response asked for.
  const did = warned.includes('early-retry') ? 'passed' : `did what ${run.service ?? 'the service'} asked`;
  const reason = `The client ${did}${but}.`;
  const served = unserved(run.requests);
  if (served !== '') return inconclusive(`${served.trim()} Check the base URL and the paths of the client.`);
  return { outcome: 'pass', reason };
}

/** Whether a client only tried keys: the rule about 401s is all that was tested, and no key got a 401 and a success. */
function isKeyTrial({ requests, expect }: Run, exercised: readonly FindingCode[]): boolean {
  if (rulesOf(expect).length > 0 || exercised.some((code) => rules[code].isConclusive && code !== 'retried-401'))
    return false;
  const tokens = (isRejected: boolean) =>
    new Set(requests.filter(({ status }) => (status === 401) === isRejected).map(({ token }) => token));
  const others = tokens(false);
  return requests.some(isServed) && [...tokens(true)].every((token) => !others.has(token));
}

/** Names the flag for responses that look like refusals by another status; `undefined` without such responses. */
function describeLookalikes(requests: readonly JudgedRequest[]): string | undefined {
  const alike = requests.filter((request) => request.mayBeRefused);
  const statuses = [...new Set(alike.map(({ status }) => status))];
  if (statuses.length === 0) return undefined;
  const flags = statuses.map((status) => `--refused ${status}`).join(' ');
  const are = alike.length === 1 ? 'looks like a refusal' : 'look like refusals';
  return `${pluralize(alike.length, 'response')} with status ${joinWords(statuses.map(String))} ${are}: ${flags} counts them as such.`;
}

/** Whether the client retried refused requests, and no refusal stated a wait, not even one that may be meant. */
function isUntold({ requests }: Run): boolean {
  const refusals = requests.filter(({ isRefused }) => isRefused);
  return (
    requests.some((request) => isRetry(request) || request.lastRefusalRead !== undefined) &&
    refusals.every(({ deadlineMs, unsure }) => (deadlineMs ?? unsure) === undefined)
  );
}

const isRetry = ({ retryOf }: JudgedRequest) => retryOf !== undefined;

/**
 * Whether the run tested a relevant rule of the judge: one named in the scenario's field `expect`, otherwise a
 * conclusive one.
 */
function isConclusive(exercised: readonly FindingCode[], expect: Expectation): boolean {
  const about = rulesOf(expect);
  // A client that pauses before the rate limit is never rejected, and so tests only the rule `proactive`.
  if (about.length > 0) return [...about, 'proactive' as const].some((code) => exercised.includes(code));
  return exercised.some((code) => rules[code].isConclusive);
}

/**
 * Returns the rules of the judge that a scenario's field `expect` names: those in `fail`, `gave-up` for `served: true`,
 * and `amplification` for its maximum.
 */
const rulesOf = ({ fail = [], served = false, amplification }: Expectation): FindingCode[] => [
  ...fail,
  ...(amplification === undefined ? [] : (['amplification'] as const)),
  ...(served ? (['gave-up'] as const) : []),
];

/** Reason why no request reached an operation with a valid key; `undefined` if one did. */
function describeUnusable(run: Run): string | undefined {
  const { requests, service } = run;
  if (requests.length === 0) return undefined;
  if (requests.every(({ isKeyWithheld }) => isKeyWithheld)) return `Every request got a 401${withheldBy(requests)}`;
  if (isWrongKey(run)) {
    return requests.every(isUnknownKey)
      ? 'Every request got a 401, because the scenario has no such API key: add --set keys.KEY.plan=free, or send a key of the scenario.'
      : "Every request got a 401: check the client's API key.";
  }
  const isNowhere = ({ status, operation }: JudgedRequest) => status === 404 && operation === undefined;
  const accepted = requests.filter(({ isRefused }) => !isRefused);
  if (service !== undefined || accepted.length === 0 || !accepted.every(isNowhere)) return undefined;
  return `${pluralize(accepted.length, 'request')} got 404: no such path; pass --upstream URL for a backend.`;
}

/**
 * Reason why a backend behind the simulator served nothing, in a sentence; `undefined` if it responded, or if there are
 * no requests that reached it.
 */
function describeDeadBackend(requests: readonly JudgedRequest[]): string | undefined {
  if (requests.some(({ isRefused, status }) => !isRefused && status !== 502)) return undefined;
  const causes = requests.filter(({ isRefused }) => !isRefused).map(causeOfDeadBackend);
  const [cause] = causes;
  if (!cause || causes.includes(null)) return undefined;
  const [, origin, code] = cause;
  return `The backend ${origin} did not answer ${pluralize(causes.length, 'request')} (${code}): start it, or correct --upstream.`;
}

/** Origin and cause in the body of a 502 of the simulator, such as `http://127.0.0.1:3000` and `ECONNREFUSED`. */
const causeOfDeadBackend = ({ responseBody }: JudgedRequest) =>
  /"The upstream (\S+) did not respond: ([^"]+)\."/.exec(textOfBytes(responseBody));

/** End of a sentence about requests whose key the simulator did not read, or withheld from the backend. */
function withheldBy(requests: readonly JudgedRequest[]): string {
  for (const { isKeyWithheld, responseBody } of requests) {
    const [text] = (isKeyWithheld && /There is no [^"]*--key-from [^"]*/.exec(textOfBytes(responseBody))) || [];
    if (text !== undefined) return `: ${text}`;
  }
  return ' from the backend, which gets no key: use --upstream-key same or --upstream-key NAME.';
}

/** Whether the simulator rejected a request because its scenario lacks the API key. */
const isUnknownKey = ({ token, responseBody }: JudgedRequest) =>
  token !== undefined && textOfBytes(responseBody).includes('The API key is unknown.');

/** Whether the client probably uses a wrong API key: every response was a 401, and the scenario does not test a 401. */
function isWrongKey({ requests, expect: { fail = [] }, needs }: Run): boolean {
  const key = needs?.key;
  if (requests.length === 0 || !requests.every(({ status, isRefused }) => status === 401 && !isRefused)) return false;
  return (
    !fail.includes('retried-401') || requests.every(({ token }) => token === undefined || (key ?? token) !== token)
  );
}

/**
 * Reason for an inconclusive outcome if the run was stopped during a required wait or soon after; otherwise
 * `undefined`.
 */
function stillWaiting(run: Run): string | undefined {
  const { requests, end, nowMs } = run;
  const last = requests.at(-1);
  // A run that was stopped while a write waited for its response is inconclusive, because the client could not react to
  // the missing response any more.
  if (end?.isInterrupted && last !== undefined && isDisconnectedBy(last, nowMs) && isWrite(last))
    return 'The run was stopped while the client waited for a response: allow more time.';
  if (!end?.isInterrupted || !last?.isRefused || isOverdue(last, run)) return undefined;
  const more = 'allow more time.';
  const { deadlineMs } = last;
  if (deadlineMs === undefined) return `The run was stopped before the client retried a refused request: ${more}`;
  const leftMs = deadlineMs - nowMs;
  if (leftMs > testableMs) {
    return `The run was stopped during the required wait, ${formatDuration(leftMs)} before its end: limit the client's wait, and fail with an error instead.`;
  }
  if (-leftMs > patienceMs(last)) {
    return `The run was stopped ${formatDuration(-leftMs)} after the required wait, before the client retried: ${more}`;
  }
  return `The run was stopped ${leftMs > 0 ? `during the required wait, ${formatDuration(leftMs)} before its end` : 'soon after the required wait'}: ${more}`;
}

/**
 * Whether the client's connection ended without the complete response when the client was stopped, or shortly before.
 */
const isDisconnectedBy = ({ status, isAbandoned, finishedAtMs }: JudgedRequest, nowMs: number) =>
  (status === 0 || isAbandoned) && nowMs - finishedAtMs <= receiptMs;

/** Sentence that says that no request succeeded and that some were rejected, as with a wrong URL; otherwise empty. */
function unserved(requests: readonly JudgedRequest[]): string {
  const rejected = requests.filter((request) => isAnswered(request) && request.status !== 401);
  if (rejected.length === 0 || requests.some(isServed)) return '';
  const statuses = [...new Set(rejected.map(({ status }) => status))];
  return ` No request was served: ${rejected.length} got ${joinWords(statuses.map(String))}.`;
}

function whyInconclusive(run: Run): string {
  const { requests, isOver, isCut, end, idle, service, unrecorded, expect } = run;
  const { fail = [] } = expect;
  if (requests.length === 0) return describeOutside(unrecorded) ?? 'No requests received.';
  if (requests.some(isUnknown)) {
    const dead = describeDeadBackend(requests.filter(isUnknown));
    if (dead !== undefined) return dead;
    const reaction = describeReaction(requests);
    if (reaction !== undefined) return reaction;
    const hangs = requests.some(({ isUnreadable }) => isUnreadable);
    const when = end?.isInterrupted ? ' before it was stopped' : isOver ? '' : ' yet';
    const how =
      end?.isInterrupted && hangs ? `${when}: if the client was still waiting, it needs a timeout of its own` : when;
    return `Responses were lost, and no request shows the client's reaction${how}.`;
  }
  if (!requests.some(({ isRefused }) => isRefused)) {
    const next =
      (isCut ? `${afterCut}.` : idle) ??
      (service === undefined
        ? '"npx petstore-sim exec --scenario minute-wall -- COMMAND" tests a client in ten seconds.'
        : `Record the client while ${service} refuses its requests.`);
    const unkeyed = requests.filter(({ isKeyWithheld }) => isKeyWithheld).length;
    if (unkeyed > 0) return `${pluralize(unkeyed, 'request')} got a 401${withheldBy(requests)}`;
    return `No request was refused and no response was lost, so nothing was put to the test.${unserved(requests)} ${next}`;
  }
  if (fail.length > 0) {
    const how = fail.includes('late-request')
      ? ' Report when a caller gives up: POST /__sim/outcome with the result "aborted".'
      : '';
    return `The client was refused, but nothing put the scenario's rules to the test: ${fail.join(', ')}.${how}`;
  }
  const advice = isCut ? afterCut : 'Let it run longer, or name each of its calls in the request header X-Sim-Call';
  const retries = requests.some(isRetry) ? 'none of its retries was served' : 'no request shows whether it retried';
  return `The client was refused, and ${retries}. ${advice}.`;
}

/** Describes a client's requests after a lost response that prove nothing; `undefined` if it sent none. */
function describeReaction(requests: readonly JudgedRequest[]): string | undefined {
  const lastOfClients = new Map(requests.map((request) => [request.session, request]));
  const lastOfEqual = new Map(requests.map((request) => [request.fingerprint, request]));
  const isBefore = (lost: JudgedRequest, last: JudgedRequest | undefined) => (last?.id ?? 0) > lost.lastArrivedId;
  const lost = requests.filter(isUnknown);
  if (!lost.some((request) => isBefore(request, lastOfClients.get(request.session)))) return undefined;
  const repeated = lost.find((request) => isBefore(request, lastOfEqual.get(request.fingerprint)));
  if (repeated === undefined) return 'Responses were lost, and the client sent none of these requests again.';
  const { status, isUnreadable } = repeated;
  const target = requestTarget(repeated);
  if (!isWrite(repeated))
    return `${target} was sent again after a lost response, but got none that the client could use.`;
  return `${target} ${status === 0 || isUnreadable ? 'lost its response' : `got ${status}`} and was sent again. That is right only if the first attempt stored nothing, which its response does not show.`;
}

/** Advice for a recording whose file ends too early. */
export const afterCut = 'The recording breaks off, and later requests are missing: save it again, as a whole';

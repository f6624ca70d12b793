import { lowest } from '../../values/extremes.js';
import { findLowest } from '../../values/find-lowest.js';
import { formatDuration } from '../../values/format-duration.js';
import { listGroups } from '../../values/group-by.js';
import { requestTarget } from '../../values/request-target.js';
import { PerSession } from '../client-session.js';
import { divideIntoRows, hasWaits, splitIntoCalls } from '../equal-calls.js';
import { finding, type RuleFinding, type WireRule } from '../finding.js';
import { isFlat, isPeriodic, keepsGrowing } from '../growth.js';
import { isAnswered, isUnknown, type JudgedRequest, type Run, toleranceOf, waitedMs } from '../run.js';

const maximumAttempts = 6;
/** Pause after which further attempts of the same request count as a new series. */
const pauseMs = 45_000;
/**
 * Minimum interval between a client's equal requests that never counts as a retry storm. Circuit breakers probe at
 * intervals of this length.
 */
const probeMs = 25_000;
/** Minimum required wait, on average, that excuses many attempts. A service that asks for 0 s excuses no loop. */
const minimumPromiseMs = 1_000;
/** Maximum variation of a constant polling interval, as a share. Timers and response times cause variation. */
const rhythmShare = 0.2;
/** Minimum interval of attempts that counts as polling. */
const minimumPollMs = 2_500;

/** Rule of the judge: finds API calls with too many attempts by the client. The usual cause is nested retry loops. */
export const retryStorm: WireRule = {
  needs: 'wire',
  restsOn: ['key', 'timings', 'answer headers', 'request body'],
  words: 'retried too often',
  blames: 'refused caller',
  maximumRequestsPerCaller: 6,
  judge(run) {
    // Attempts are grouped by client, because no client retries another client's requests.
    const refused = run.episodes
      .flatMap((episode) => listGroups(episode.requests, ({ session }) => session))
      .flatMap((ofClient) => listGroups(ofClient, ({ fingerprint }) => fingerprint))
      .flatMap(splitAtPauses);
    const failed = failedCalls(run.requests).flatMap(splitAtPauses);
    const ofRefused = refused.flatMap((attempts) => findingsIn(attempts, run));
    // A 5xx among refusals of one call is an attempt of this call, and counts once.
    const blamed = new Set(ofRefused.flatMap(({ requests }) => requests));
    const others = failed.filter((attempts) => !attempts.some(({ id }) => blamed.has(id)));
    return {
      exercised: [...refused, ...failed].some((attempts) => attemptsOf(attempts) > 1),
      findings: [...ofRefused, ...others.flatMap((attempts) => findingsIn(attempts, run))],
    };
  },
};

/**
 * Judges whether a client repeated one request too often.
 * @param attempts equal requests in order of arrival; all except possibly the last were rejected or failed
 */
function findingsIn(attempts: readonly JudgedRequest[], { calls, needs }: Run): RuleFinding[] {
  const [first] = attempts;
  const attemptCount = attemptsOf(attempts);
  if (first === undefined || attemptCount <= maximumAttempts) return [];
  const same = calls[first.fingerprint] ?? [];
  if (isPoll(attempts, same)) return [];
  // Sequential requests without the header X-Sim-Call, which names a call, may be attempts of several calls. The
  // maximum number of these calls (`most`) is the scenario's number of calls minus the completed ones.
  const isShared = first.call === undefined && first.session.isSequential;
  if (!isShared) return [storm(attempts, attemptCount)];
  if (attemptCount <= maximumAttempts * (needs?.calls ?? 1) && attempts.slice(1).every(isObedient)) return [];
  const own = new Set(attempts);
  const most =
    needs && Math.max(1, (needs.calls ?? 1) - same.filter((each) => isAnswered(each) && !own.has(each)).length);
  const apart = splitIntoCalls(attempts, most);
  const tooMany = apart.filter(({ length }) => length > maximumAttempts);
  if (apart.length > 1) {
    // Attempts without waits may be separate calls instead of retries of one call. Example: a client that accepts an
    // unusable 200 response makes its next call at once.
    const left = (most ?? 1) - apart.length + 1;
    const areSeveral = (requests: readonly JudgedRequest[]) =>
      !hasWaits(requests) && requests.length <= maximumAttempts * left;
    return tooMany.map((requests) =>
      areSeveral(requests) ? mayBeSeveral(requests, requests.length) : storm(requests, requests.length),
    );
  }
  return [
    attemptCount <= maximumAttempts * (most ?? 1)
      ? mayBeSeveral(attempts, attemptCount)
      : storm(attempts, attemptCount),
  ];
}

/**
 * Creates the finding of too many attempts. It only warns if the client waited before each retry as required, a second on
 * average. If its own waits grew or varied at random as well, no scenario makes it fail: the client does all that a
 * service can ask.
 */
function storm(attempts: readonly JudgedRequest[], attemptCount: number): RuleFinding {
  const retries = attempts.slice(1);
  const promised = retries.map(promisedMs);
  const totalMs = promised.reduce((sum, ms) => sum + ms, 0);
  const isPatient = retries.every(isObedient) && totalMs >= minimumPromiseMs * retries.length;
  const ownWaits = retries.map((request, at) => ownWaitMs(request, promised[at] ?? 0));
  const isGrowing = isPatient && keepsGrowing(ownWaits);
  const isBackoff = isGrowing || (isPatient && !isFlat(ownWaits) && !isPeriodic(ownWaits));
  const advice = isBackoff
    ? `Each retry came after its required wait, and the waits ${isGrowing ? 'grew' : 'varied'}. Limit the attempts nevertheless.`
    : `${isPatient ? 'Each retry came after its required wait. Limit the attempts nevertheless' : 'Limit the attempts'}, and retry in one layer only: nested retries multiply.`;
  const found = finding(isPatient ? 'warn' : 'fail', attempts, {
    measured: `${attemptCount} attempts`,
    allowed: `${maximumAttempts} attempts`,
    text: `${triedTimes(attempts, `${attemptCount} times`)} ${advice}`,
  });
  return isBackoff ? { ...found, canFail: false } : found;
}

function mayBeSeveral(attempts: readonly JudgedRequest[], attemptCount: number) {
  const least = Math.ceil(attemptCount / maximumAttempts);
  return finding('warn', attempts, {
    measured: `${attemptCount} attempts in total, by at least ${least} calls`,
    allowed: `${maximumAttempts} attempts per call`,
    text: `${triedTimes(attempts, `${attemptCount} times in total`)} For ${least} or more calls that would be allowed, but the requests do not show their calls. Name the calls in X-Sim-Call, and limit the attempts per call.`,
  });
}

/** Describes a series of attempts: `GET /pets was tried 7 times within 6.0 s while it was refused.` */
const triedTimes = (attempts: readonly JudgedRequest[], often: string) => {
  const [first] = attempts as [JudgedRequest];
  const lastedMs = (attempts.at(-1) as JudgedRequest).arrivedAtMs - first.arrivedAtMs;
  return `${requestTarget(first)} was tried ${often} within ${formatDuration(lastedMs)} while it ${first.isRefused ? 'was refused' : 'got no usable response'}.`;
};

/**
 * Whether a retry arrived after the required wait, or after the longest that the response may mean. A wait
 * that a web page could not read may be any, and such a retry counts if it shows a wait at all.
 */
function isObedient(request: JudgedRequest): boolean {
  const response = request.retryOf ?? request.retryOfOutage;
  if (response === undefined) return false;
  const hiddenMs = isHidden(response) ? response.answeredAtMs + minimumPromiseMs : Number.POSITIVE_INFINITY;
  const untilMs = response.deadlineMs ?? response.unsure?.untilMs ?? hiddenMs;
  return untilMs - request.arrivedAtMs <= toleranceOf(response, request);
}

/** Wait that the response before a retry required, at most; 0 if it required none. */
function promisedMs(request: JudgedRequest): number {
  const response = request.retryOf ?? request.retryOfOutage;
  if (response === undefined) return 0;
  const { answeredAtMs, retryAfterMs, resetMs = answeredAtMs, unsure } = response;
  const untilMs = Math.max(resetMs, unsure?.untilMs ?? answeredAtMs);
  return retryAfterMs ?? Math.max(untilMs - answeredAtMs, isHidden(response) ? minimumPromiseMs : 0);
}

/** Wait before a retry beyond the required wait. */
function ownWaitMs(request: JudgedRequest, requiredMs: number): number {
  const response = request.retryOf ?? request.retryOfOutage;
  return response === undefined ? 0 : Math.max(0, waitedMs(response, request) - requiredMs);
}

const isHidden = ({ missing }: JudgedRequest) => missing.includes('readable headers');

/**
 * Whether the client polls at a constant interval: it sent equal requests at the same interval also when they
 * succeeded.
 * @param all all requests of the run that are equal to the attempts
 */
function isPoll(attempts: readonly JudgedRequest[], all: readonly JudgedRequest[]): boolean {
  if (gapMs(attempts[0], attempts[1]) < minimumPollMs) return false;
  const gaps = attempts.slice(1).map((request, index) => gapMs(attempts[index], request));
  const shortest = lowest(gaps);
  if (shortest >= probeMs) return true;
  const isSteady = (ms: number) => Math.abs(ms - shortest) <= shortest * rhythmShare;
  if (!gaps.every(isSteady)) return false;
  const [first, last] = [attempts[0] as JudgedRequest, attempts.at(-1) as JudgedRequest];
  const previousRequest = all[findLowest(all.length, (index) => (all[index] as JudgedRequest).id >= first.id) - 1];
  const after = all[findLowest(all.length, (index) => (all[index] as JudgedRequest).id > last.id)];
  return (
    (previousRequest !== undefined && isAnswered(previousRequest) && isSteady(gapMs(previousRequest, first))) ||
    (isAnswered(last) && isSteady(gapMs(last, after)))
  );
}

const gapMs = (one: JudgedRequest | undefined, next: JudgedRequest | undefined) =>
  (next?.arrivedAtMs ?? Number.POSITIVE_INFINITY) - (one?.arrivedAtMs ?? 0);

/**
 * Collects the attempts of each failed call: requests with a lost response or a 5xx, and the next usable response.
 * Refused requests are left out, because they are collected separately.
 */
function failedCalls(requests: readonly JudgedRequest[]): JudgedRequest[][] {
  const sessions = new PerSession(() => new Map<number, JudgedRequest[]>());
  const calls: JudgedRequest[][] = [];
  for (const request of requests) {
    const { fingerprint, isRefused, session } = request;
    if (isRefused) continue;
    const open = sessions.of(session);
    const isFailed = isUnknown(request);
    const attempts = open.get(fingerprint);
    if (attempts !== undefined) attempts.push(request);
    else if (isFailed) {
      const begun = [request];
      open.set(fingerprint, begun);
      calls.push(begun);
    }
    if (!isFailed && attempts !== undefined) open.delete(fingerprint);
  }
  return calls;
}

/**
 * Splits a series of equal requests after each long pause (`pauseMs` or more). The next request may be a new call, of a
 * client that polls every few minutes, instead of a retry.
 */
const splitAtPauses = (attempts: readonly JudgedRequest[]): JudgedRequest[][] =>
  divideIntoRows(
    attempts,
    ({ arrivedAtMs }, { answeredAtMs, deadlineMs = 0 }) =>
      !(arrivedAtMs - Math.max(answeredAtMs, deadlineMs) >= pauseMs),
  );

/**
 * Estimates the number of attempts per call, from the requests of equal calls. Retries of concurrent equal calls are
 * divided equally among these calls.
 */
function attemptsOf(attempts: readonly JudgedRequest[]): number {
  let retries = 0;
  for (const request of attempts) if (followsAnother(request, attempts[0] as JudgedRequest)) retries++;
  return 1 + Math.ceil(retries / Math.max(1, attempts.length - retries));
}

/** Whether a request arrived after the response to an earlier attempt. `false` if unknown. */
const followsAnother = (request: JudgedRequest, first: JudgedRequest) =>
  request !== first &&
  (request.retryOf !== undefined || (request.session.isSequential && request.id > first.lastArrivedId));

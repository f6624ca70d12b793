import { groupBy } from '../../values/group-by.js';
import { lowest } from '../../values/lowest.js';
import { callsOf } from '../equal-calls.js';
import { type Finding, finding, span, target, type WireRule } from '../finding.js';
import { ByLane } from '../place.js';
import { earlyMs, isAnswered, isUnknown, type JudgedRequest, type Run, toleranceMs } from '../run.js';

const mostAttempts = 6;
/** What comes this long after it might is no storm. */
const restMs = 45_000;
/** A client that never asks more often than this makes no storm, such as a circuit breaker with its probes. */
const probeMs = 25_000;
/** How much the time between polls may differ: timers, and the time of the answers. */
const rhythmShare = 0.2;
/** Nobody polls more often. */
const leastPollMs = 2_500;

/** One call is tried too often: usually a retry inside a retry. */
export const retryStorm: WireRule = {
  needs: 'wire',
  judge(run) {
    // What one client was refused another one did not try again.
    const refused = run.episodes
      .flatMap((episode) => [...groupBy(episode.requests, ({ lane }) => lane).values()])
      .flatMap((ofClient) => [...groupBy(ofClient, ({ fingerprint }) => fingerprint).values()])
      .flatMap(splitAtRests);
    const failed = failedCalls(run.requests).flatMap(splitAtRests);
    const all = [...refused, ...failed];
    return {
      exercised: all.some((tries) => attemptsOf(tries) > 1),
      findings: all.flatMap((tries) => findingsIn(tries, run)),
    };
  },
};

/** @param tries equal ones that got no answer of use, except the last */
function findingsIn(tries: readonly JudgedRequest[], { calls, needs }: Run): Finding[] {
  const [first] = tries;
  const attempts = attemptsOf(tries);
  if (first === undefined || attempts <= mostAttempts) return [];
  const same = calls[first.fingerprint] ?? [];
  if (isPoll(tries, same)) return [];
  // Without a name they may be of several calls, of which those with an answer were made apart.
  const isShared = first.call === undefined && first.lane.isOneThread;
  if (!isShared) return [storm(tries, attempts)];
  if (attempts <= mostAttempts * (needs?.calls ?? 1) && tries.slice(1).every(isObedient)) return [];
  const most =
    needs && Math.max(1, (needs.calls ?? 1) - same.filter((each) => isAnswered(each) && !tries.includes(each)).length);
  const apart = callsOf(tries, most);
  const tooMany = apart.filter(({ length }) => length > mostAttempts);
  if (apart.length > 1) return tooMany.map((each) => storm(each, each.length));
  return [attempts <= mostAttempts * (most ?? 1) ? mayBeSeveral(tries, attempts) : storm(tries, attempts)];
}

const storm = (tries: readonly JudgedRequest[], attempts: number) =>
  finding('retry-storm', 'fail', tries, {
    measured: `${attempts} attempts`,
    allowed: `${mostAttempts} attempts`,
    text: `${triedTimes(tries, `${attempts} times`)} Bound the attempts, and retry in one layer only: retries inside retries multiply.`,
  });

function mayBeSeveral(tries: readonly JudgedRequest[], attempts: number) {
  const least = Math.ceil(attempts / mostAttempts);
  return finding('retry-storm', 'warn', tries, {
    measured: `${attempts} attempts in all, by at least ${least} calls`,
    allowed: `${mostAttempts} attempts of each call`,
    text: `${triedTimes(tries, `${attempts} times in all`)} That is allowed to ${least} calls or more, and nothing tells them apart: name them in X-Sim-Call, and bound the attempts of each.`,
  });
}

/** `GET /pets was tried 7 times within 6.0 s while it was refused.` */
const triedTimes = (tries: readonly JudgedRequest[], often: string) => {
  const [first] = tries as [JudgedRequest];
  const lastedMs = (tries.at(-1) as JudgedRequest).arrivedAtMs - first.arrivedAtMs;
  return `${target(first)} was tried ${often} within ${span(lastedMs)} while it ${first.isRefused ? 'was refused' : 'got no answer of use'}.`;
};

/** Whether it came after a wait that an answer had asked for. */
function isObedient(request: JudgedRequest): boolean {
  const refusal = request.retryOf ?? request.retryOfOutage;
  return refusal !== undefined && (earlyMs(refusal, request) ?? Number.POSITIVE_INFINITY) <= toleranceMs;
}

/**
 * Whether a client polls in one rhythm whatever the answer is: it was answered before these tries, or continued after them,
 * in the same rhythm. A 404 is an answer, too.
 * @param all the requests of the same fingerprint
 */
function isPoll(tries: readonly JudgedRequest[], all: readonly JudgedRequest[]): boolean {
  if (gapMs(tries[0], tries[1]) < leastPollMs) return false;
  const gaps = tries.slice(1).map((request, index) => gapMs(tries[index], request));
  const shortest = Math.min(...gaps);
  if (shortest >= probeMs) return true;
  const isSteady = (ms: number) => Math.abs(ms - shortest) <= shortest * rhythmShare;
  if (!gaps.every(isSteady)) return false;
  const [first, last] = [tries[0] as JudgedRequest, tries.at(-1) as JudgedRequest];
  const before = all[lowest(all.length, (at) => (all[at] as JudgedRequest).id >= first.id) - 1];
  const after = all[lowest(all.length, (at) => (all[at] as JudgedRequest).id > last.id)];
  return (
    (before !== undefined && isAnswered(before) && isSteady(gapMs(before, first))) ||
    (isAnswered(last) && isSteady(gapMs(last, after)))
  );
}

const gapMs = (one: JudgedRequest | undefined, next: JudgedRequest | undefined) =>
  (next?.arrivedAtMs ?? Number.POSITIVE_INFINITY) - (one?.arrivedAtMs ?? 0);

/** The tries of a call that got no answer of use, up to the one that did. */
function failedCalls(requests: readonly JudgedRequest[]): JudgedRequest[][] {
  const lanes = new ByLane(() => new Map<number, JudgedRequest[]>());
  const calls: JudgedRequest[][] = [];
  for (const request of requests) {
    const { fingerprint, isRefused, lane } = request;
    if (isRefused) continue;
    const open = lanes.of(lane);
    const isFailed = isUnknown(request);
    const tries = open.get(fingerprint);
    if (tries !== undefined) tries.push(request);
    else if (isFailed) {
      const begun = [request];
      open.set(fingerprint, begun);
      calls.push(begun);
    }
    if (!isFailed && tries !== undefined) open.delete(fingerprint);
  }
  return calls;
}

/** What comes long after it might is no storm, and may be the next call of a client that asks every few minutes. */
function splitAtRests(tries: readonly JudgedRequest[]): JudgedRequest[][] {
  const parts: JudgedRequest[][] = [];
  for (const request of tries) {
    const last = parts.at(-1)?.at(-1);
    const mayComeMs = last && Math.max(last.answeredAtMs, last.deadlineMs ?? 0);
    if (mayComeMs === undefined || request.arrivedAtMs - mayComeMs >= restMs) parts.push([request]);
    else parts.at(-1)?.push(request);
  }
  return parts;
}

/** The tries of one call; equal calls that began side by side share the tries. */
function attemptsOf(tries: readonly JudgedRequest[]): number {
  let retries = 0;
  for (const request of tries) if (followsAnother(request, tries[0] as JudgedRequest)) retries++;
  return 1 + Math.ceil(retries / Math.max(1, tries.length - retries));
}

/** Whether a request came after the answer to an earlier one of the same tries, as far as can be known. */
const followsAnother = (request: JudgedRequest, first: JudgedRequest) =>
  request !== first &&
  (request.retryOf !== undefined || (request.lane.isOneThread && request.id > first.lastArrivedId));

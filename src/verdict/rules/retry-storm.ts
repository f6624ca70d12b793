import { finding, span, target, type WireRule } from '../finding.js';
import { groupBy, isUnknown, type JudgedRequest } from '../run.js';

const mostAttempts = 6;
const restMs = 45_000;

/** One call is tried too often: usually a retry inside a retry. */
export const retryStorm: WireRule = {
  needs: 'wire',
  judge({ episodes, requests }) {
    const refused = episodes
      .flatMap((episode) => [...groupBy(episode.requests, ({ fingerprint }) => fingerprint).values()])
      .flatMap(splitAtRests);
    let isExercised = false;
    const findings = [...refused, ...failedReads(requests).flatMap(splitAtRests)].flatMap((tries) => {
      const [first] = tries;
      const attempts = attemptsOf(tries);
      isExercised ||= attempts > 1;
      if (first === undefined || attempts <= mostAttempts) return [];
      const lastedMs = (tries.at(-1)?.arrivedAtMs ?? 0) - first.arrivedAtMs;
      return [
        finding('retry-storm', 'fail', tries, {
          measured: `${attempts} attempts`,
          allowed: `${mostAttempts} attempts`,
          text: `${target(first)} was tried ${attempts} times within ${span(lastedMs)} while it ${first.isRefused ? 'was refused' : 'got no answer of use'}. Bound the attempts, and retry in one layer only: retries inside retries multiply.`,
        }),
      ];
    });
    return { exercised: isExercised, findings };
  },
};

/** The tries of a read that got no answer of use, up to the one that did. */
function failedReads(requests: readonly JudgedRequest[]): JudgedRequest[][] {
  const open = new Map<number, JudgedRequest[]>();
  const calls: JudgedRequest[][] = [];
  for (const request of requests) {
    const { method, fingerprint, isRefused } = request;
    if (method !== 'GET' || isRefused) continue;
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
  (request.triedAfter !== undefined || (request.lane.isOneThread && request.id > first.lastArrivedId));

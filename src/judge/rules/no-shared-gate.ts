import { counted } from '../../values/counted.js';
import { finding, span, theFirst, times, type WireRule } from '../finding.js';
import { ByLane } from '../place.js';
import { type Episode, earlyMs, graceMs, type JudgedRequest, toleranceMs } from '../run.js';

/**
 * Finds calls that continue while another call with the same key waits. The limit applies to the key, so the wait must
 * as well.
 */
export const noSharedGate: WireRule = {
  needs: 'wire',
  judge({ episodes }) {
    const all = episodes.map(othersOf);
    const findings = all.flatMap((others) => {
      const early = others.filter(({ refusal, request }) => (earlyMs(refusal, request) ?? 0) > toleranceMs);
      const [first] = early;
      if (first === undefined) return [];
      return [
        finding(
          'no-shared-gate',
          'warn',
          early.map(({ request }) => request),
          {
            measured: `${counted(early.length, 'other call')} during the wait`,
            allowed: '0, after one second for requests in flight',
            text: `Another call with the same key was sent ${times(early.length)} during the wait after a ${first.refusal.status}, ${theFirst(early)}${span(earlyMs(first.refusal, first.request) ?? 0)} too early. The limit applies to the key: pause all calls with this key during the wait.`,
          },
        ),
      ];
    });
    const hasRetried = episodes.some(({ requests }) =>
      requests.some(({ lane, lastRefusalRead }) => lastRefusalRead !== undefined && !lane.isSequential),
    );
    return { exercised: hasRetried || all.some((others) => others.length > 0), findings };
  },
};

interface OtherCall {
  refusal: JudgedRequest;
  request: JudgedRequest;
}

/**
 * Calls of other threads during a wait. Excludes sequential calls and retries of refused calls, which early-retry
 * judges.
 */
function othersOf({ requests }: Episode): OtherCall[] {
  const others: OtherCall[] = [];
  const findRetry = createRetryFinder();
  let aged = 0;
  let agedRefusal: JudgedRequest | undefined;
  for (const request of requests) {
    for (; aged < requests.length; aged++) {
      const earlier = requests[aged] as JudgedRequest;
      if (earlier.answeredAtMs >= request.queuedAtMs - graceMs) break;
      if (earlier.isRefused) agedRefusal = earlier;
    }
    const mayRetry = findRetry(request);
    const { lane, call, lastRefusalRead: refusal = agedRefusal } = request;
    const isSequential =
      refusal?.lane === lane && lane.isSequential && (call === undefined || refusal.call === undefined);
    if (refusal !== undefined && !mayRetry && !isSequential) others.push({ refusal, request });
  }
  return others;
}

/**
 * @returns a function, called for requests in order of arrival, that returns whether a request may retry an equal
 * refused request
 */
function createRetryFinder(): (request: JudgedRequest) => boolean {
  const lanes = new ByLane(() => new Map<number, { refusals: JudgedRequest[]; answered: number; retried: number }>());
  return (request) => {
    const calls = lanes.of(request.lane);
    const call = calls.get(request.fingerprint) ?? { refusals: [], answered: 0, retried: 0 };
    calls.set(request.fingerprint, call);
    while (isAnswered(call.refusals[call.answered], request)) call.answered++;
    const mayRetry = request.retryOf !== undefined || call.answered > call.retried;
    if (mayRetry) call.retried++;
    if (request.isRefused) call.refusals.push(request);
    return mayRetry;
  };
}

const isAnswered = (refusal: JudgedRequest | undefined, { arrivedAtMs }: JudgedRequest) =>
  refusal !== undefined && refusal.answeredAtMs <= arrivedAtMs;

import { formatDuration } from '../../values/format-duration.js';
import { getOrCreate } from '../../values/get-or-create.js';
import { pluralize } from '../../values/pluralize.js';
import { PerSession } from '../client-session.js';
import { finding, firstPrefix, formatTimes, type WireRule } from '../finding.js';
import { earlyMs, isEarly, type JudgedRequest, type RefusalEpisode, receiptMs } from '../run.js';

/**
 * Rule: finds calls that are sent while another call with the same API key waits. The limit applies to the key, so all
 * calls with the key must wait.
 */
export const noSharedGate: WireRule = {
  needs: 'wire',
  restsOn: ['key', 'timings'],
  words: 'sent other calls during a wait',
  blames: 'all callers',
  judge({ episodes, requests }) {
    const all = episodes.map(othersOf);
    const findings = all.flatMap((otherCalls) => {
      const early = otherCalls.filter(({ refusal, request }) => isEarly(refusal, request));
      const [first] = early;
      if (first === undefined) return [];
      const unknown = early.some(({ request }) => request.mayBeNextCall)
        ? ' Or a refused call was retried early: equal calls without X-Sim-Call do not show which.'
        : '';
      return [
        finding(
          'warn',
          early.map(({ request }) => request),
          {
            measured: `${pluralize(early.length, 'other call')} during the wait`,
            allowed: '0, except for requests in flight in the first second',
            text: `Another call with the same key was sent ${formatTimes(early.length)} during the wait after a ${first.refusal.status}, ${firstPrefix(early)}${formatDuration(earlyMs(first.refusal, first.request) ?? 0)} too early. The limit applies to the key: pause all calls with this key during the wait.${unknown}`,
          },
        ),
      ];
    });
    const hasRetried = requests.some(
      ({ session, lastRefusalRead }) => lastRefusalRead !== undefined && !session.isSequential,
    );
    return { exercised: hasRetried || all.some((otherCalls) => otherCalls.length > 0), findings };
  },
};

interface OtherCall {
  refusal: JudgedRequest;
  request: JudgedRequest;
}

/**
 * Finds requests that followed a refusal of another call with the same API key. Leaves out possible retries and a
 * refused sequential client, because the rule `early-retry` judges both.
 */
function othersOf({ requests }: RefusalEpisode): OtherCall[] {
  const otherCalls: OtherCall[] = [];
  const findRetry = createRetryFinder();
  let aged = 0;
  let agedRefusal: JudgedRequest | undefined;
  for (const request of requests) {
    for (; aged < requests.length; aged++) {
      const earlier = requests[aged] as JudgedRequest;
      if (earlier.answeredAtMs >= request.queuedAtMs - receiptMs) break;
      if (earlier.isRefused) agedRefusal = earlier;
    }
    const mayRetry = findRetry(request) && !request.mayBeNextCall;
    const { session, call, lastRefusalRead: refusal = agedRefusal } = request;
    const isSequential =
      refusal?.session === session && session.isSequential && (call === undefined || refusal.call === undefined);
    if (refusal !== undefined && !mayRetry && !isSequential) otherCalls.push({ refusal, request });
  }
  return otherCalls;
}

/**
 * Creates a function that decides whether a request may be a retry: the client had received a 429 for an equal request
 * before.
 * @returns the function, to be called in order of arrival
 */
function createRetryFinder(): (request: JudgedRequest) => boolean {
  const sessions = new PerSession(
    () => new Map<number, { refusals: JudgedRequest[]; answered: number; retried: number }>(),
  );
  return (request) => {
    const calls = sessions.of(request.session);
    const call = getOrCreate(calls, request.fingerprint, () => ({ refusals: [], answered: 0, retried: 0 }));
    while (isAnswered(call.refusals[call.answered], request)) call.answered++;
    const mayRetry = request.retryOf !== undefined || call.answered > call.retried;
    if (mayRetry) call.retried++;
    if (request.isRefused) call.refusals.push(request);
    return mayRetry;
  };
}

const isAnswered = (refusal: JudgedRequest | undefined, { arrivedAtMs }: JudgedRequest) =>
  refusal !== undefined && refusal.answeredAtMs <= arrivedAtMs;

import { counted } from '../../values/counted.js';
import { finding, span, target, times, type WireRule } from '../finding.js';
import type { JudgedRequest } from '../run.js';

/** Response time after which impatient clients time out, in milliseconds. */
const longMs = 500;
/** Minimum timeout of a client, in milliseconds. */
const leastMs = 50;
const soonMs = 60_000;

/** Finds responses that the client abandons and requests again, which takes no less time and uses quota. */
export const impatient: WireRule = {
  needs: 'wire',
  judge({ calls, requests }) {
    const left: JudgedRequest[] = [];
    for (const tries of calls) {
      for (const [index, request] of tries.entries()) {
        if (isRead(request) && isLeft(request) && isAskedAgain(request, tries, index + 1)) left.push(request);
      }
    }
    const hasWaited = requests.some((request) => isRead(request) && !isLeft(request) && lasted(request) >= longMs);
    const [first] = left;
    if (first === undefined) return { exercised: hasWaited, findings: [] };
    const longest = left.reduce((most, each) => Math.max(most, lasted(each)), 0);
    return {
      exercised: true,
      findings: [
        finding('impatient', 'warn', left, {
          measured: `${counted(left.length, 'response')} abandoned after at most ${span(longest)}`,
          allowed: 'waiting for the response',
          text: `${target(first)} was abandoned before its response ${times(left.length)} and then sent again, which costs another request each time. Raise the client's timeout, or do not retry after a timeout.`,
        }),
      ],
    };
  },
};

/**
 * Whether the client waited, then abandoned the response and soon sent the request again. Excludes pages left at once
 * and hedged requests.
 */
function isAskedAgain(left: JudgedRequest, tries: readonly JudgedRequest[], from: number): boolean {
  for (let at = from; lasted(left) >= leastMs && at < tries.length; at++) {
    const { lane, arrivedAtMs } = tries[at] as JudgedRequest;
    if (arrivedAtMs - left.finishedAtMs > soonMs) return false;
    if (arrivedAtMs >= left.finishedAtMs && lane === left.lane) return true;
  }
  return false;
}

const isRead = ({ method }: JudgedRequest) => method === 'GET';

const isLeft = ({ status, isAbandoned }: JudgedRequest) => status === 0 || isAbandoned;

const lasted = ({ arrivedAtMs, finishedAtMs }: JudgedRequest) => finishedAtMs - arrivedAtMs;

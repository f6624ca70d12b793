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
    const abandoned: JudgedRequest[] = [];
    for (const tries of calls) {
      for (const [index, request] of tries.entries()) {
        if (isRead(request) && wasAbandoned(request) && isRepeated(request, tries, index + 1)) abandoned.push(request);
      }
    }
    const hasWaited = requests.some(
      (request) => isRead(request) && !wasAbandoned(request) && durationMs(request) >= longMs,
    );
    const [first] = abandoned;
    if (first === undefined) return { exercised: hasWaited, findings: [] };
    const longest = abandoned.reduce((most, each) => Math.max(most, durationMs(each)), 0);
    return {
      exercised: true,
      findings: [
        finding('impatient', 'warn', abandoned, {
          measured: `${counted(abandoned.length, 'response')} abandoned after at most ${span(longest)}`,
          allowed: 'waiting for the response',
          text: `${target(first)} was abandoned before its response ${times(abandoned.length)} and then sent again, which costs another request each time. Raise the client's timeout, or do not retry after a timeout.`,
        }),
      ],
    };
  },
};

/**
 * Whether the client waited, then abandoned the response and soon sent the request again. Excludes pages abandoned at
 * once and hedged requests.
 */
function isRepeated(abandoned: JudgedRequest, tries: readonly JudgedRequest[], from: number): boolean {
  for (let at = from; durationMs(abandoned) >= leastMs && at < tries.length; at++) {
    const { lane, arrivedAtMs } = tries[at] as JudgedRequest;
    if (arrivedAtMs - abandoned.finishedAtMs > soonMs) return false;
    if (arrivedAtMs >= abandoned.finishedAtMs && lane === abandoned.lane) return true;
  }
  return false;
}

const isRead = ({ method }: JudgedRequest) => method === 'GET';

const wasAbandoned = ({ status, isAbandoned }: JudgedRequest) => status === 0 || isAbandoned;

const durationMs = ({ arrivedAtMs, finishedAtMs }: JudgedRequest) => finishedAtMs - arrivedAtMs;

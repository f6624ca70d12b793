import { formatDuration } from '../../values/format-duration.js';
import { pluralize } from '../../values/pluralize.js';
import { requestTarget } from '../../values/request-target.js';
import { finding, formatTimes, type WireRule } from '../finding.js';
import type { JudgedRequest } from '../run.js';

/** Response time that would make an impatient client time out and retry. */
const longMs = 500;
/** Minimum time after which an abandoned response counts as a timeout of the client. */
const minimumMs = 50;
const soonMs = 60_000;

/**
 * Rule: finds responses that the client abandons after a timeout and requests again. The repetition costs quota and
 * saves no time.
 */
export const impatient: WireRule = {
  needs: 'wire',
  restsOn: ['key', 'timings'],
  words: 'abandoned requests too early',
  judge({ calls, requests }) {
    const findings = calls.flatMap((attempts) => {
      const abandoned = attempts.filter(
        (request, index) => isRead(request) && wasAbandoned(request) && isRepeated(request, attempts, index + 1),
      );
      return abandoned.length > 0 ? [describe(abandoned)] : [];
    });
    const hasWaited = requests.some(
      (request) => isRead(request) && !wasAbandoned(request) && durationMs(request) >= longMs,
    );
    return { exercised: hasWaited || findings.length > 0, findings };
  },
};

function describe(abandoned: readonly JudgedRequest[]) {
  const longest = abandoned.reduce((most, request) => Math.max(most, durationMs(request)), 0);
  return finding('warn', abandoned, {
    measured: `${pluralize(abandoned.length, 'response')} abandoned after at most ${formatDuration(longest)}`,
    allowed: 'waiting for the response',
    text: `${requestTarget(abandoned[0] as JudgedRequest)} was abandoned before its response ${formatTimes(abandoned.length)} and then sent again, which costs an additional request each time. Raise the client's timeout, or do not retry after a timeout.`,
  });
}

/** Whether the client repeated a request within a minute after it had stopped waiting for the response. */
function isRepeated(abandoned: JudgedRequest, attempts: readonly JudgedRequest[], from: number): boolean {
  for (let index = from; durationMs(abandoned) >= minimumMs && index < attempts.length; index++) {
    const { session, arrivedAtMs } = attempts[index] as JudgedRequest;
    if (arrivedAtMs - abandoned.finishedAtMs > soonMs) return false;
    if (arrivedAtMs >= abandoned.finishedAtMs && session === abandoned.session) return true;
  }
  return false;
}

const isRead = ({ method }: JudgedRequest) => method === 'GET';

const wasAbandoned = ({ isLeft, isAbandoned }: JudgedRequest) => isLeft || isAbandoned;

const durationMs = ({ arrivedAtMs, finishedAtMs }: JudgedRequest) => finishedAtMs - arrivedAtMs;

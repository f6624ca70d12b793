import { highest } from '../../values/extremes.js';
import { formatDuration } from '../../values/format-duration.js';
import { requestTarget } from '../../values/request-target.js';
import { divideIntoRows, hasRounds, maximumCallers } from '../equal-calls.js';
import { finding, type WireRule } from '../finding.js';
import type { JudgedRequest } from '../run.js';

/** Maximum time between a failed response and a retry without a wait. AWS SDKs wait at random from zero on. */
const atOnceMs = 20;
/** Minimum number of retries without a wait. HTTP libraries resend a request once on a connection that was closed. */
const minimumRetries = 2;

/**
 * Rule: finds calls that a client repeats at once, several times, after errors and lost responses that state no wait.
 * Only requests of a sequential caller show that each is a reaction to the response before.
 */
export const noDelay: WireRule = {
  needs: 'wire',
  restsOn: ['key', 'timings', 'milliseconds', 'answer headers', 'readable headers', 'request body'],
  words: 'retried without a wait',
  judge({ calls, needs }) {
    const rows = calls.flatMap((attempts) => {
      const callers = maximumCallers(attempts, needs?.calls);
      return divideIntoRows(attempts, isRepeatedAtOnce).filter(
        (row) => hasRounds(row, minimumRetries + 1, callers) && isClockRunning(row),
      );
    });
    return {
      exercised: rows.length > 0,
      findings: rows.map((row) => {
        const longestMs = highest(row.slice(1).map((request, at) => sinceEndMs(row[at] as JudgedRequest, request)));
        const how = row[0]?.isRefused ? 'it was refused' : 'it got no usable response';
        return finding('warn', row, {
          measured: `${row.length - 1} retries, each after at most ${formatDuration(longestMs)}`,
          allowed: 'a wait before each retry',
          text: `${requestTarget(row[0] as JudgedRequest)} was repeated ${row.length - 1} times without a wait while ${how}. Wait before each retry, longer each time and with a random part.`,
        });
      }),
    };
  },
};

function isRepeatedAtOnce(request: JudgedRequest, failed: JudgedRequest): boolean {
  const ms = sinceEndMs(failed, request);
  return (
    isFailedWithoutWait(failed) &&
    failed.session === request.session &&
    request.id > failed.lastArrivedId &&
    failed.clockStepMs === 0 &&
    ms >= 0 &&
    ms <= atOnceMs
  );
}

/**
 * Whether a request certainly failed, not by the client's own timeout, and its response means no wait. A client may
 * accept a response whose body was cut, and go on to its next call.
 */
const isFailedWithoutWait = (request: JudgedRequest) =>
  (request.isRefused || request.status === 0 || request.status >= 500) &&
  !request.isLeft &&
  !request.isAbandoned &&
  request.deadlineMs === undefined &&
  request.unsure === undefined;

const sinceEndMs = ({ finishedAtMs }: JudgedRequest, { arrivedAtMs }: JudgedRequest) => arrivedAtMs - finishedAtMs;

/** Whether time passed during the requests. With a frozen clock, no wait of a client shows. */
const isClockRunning = (row: readonly JudgedRequest[]) =>
  (row.at(-1) as JudgedRequest).arrivedAtMs > (row[0] as JudgedRequest).arrivedAtMs;

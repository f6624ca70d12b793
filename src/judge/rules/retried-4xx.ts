import { requestTarget } from '../../values/request-target.js';
import { divideIntoRows, hasRounds, maximumCallers } from '../equal-calls.js';
import { finding, formatTimes, type RuleFinding, type WireRule } from '../finding.js';
import type { JudgedRequest } from '../run.js';

/** Statuses that equal bytes get again. */
const permanent = [400, 405, 410, 413, 415, 422];
/** Statuses that a change of the data may end. A client that polls gets them often. */
const changing = [404, 409];
/** Minimum number of equal requests. A form, or a test suite, sends a request twice. */
const minimumAttempts = 3;
/** Time within which the requests are retries, and no later calls. */
const soonMs = 60_000;

/** Rule: finds requests that a client repeats unchanged after an error that a repetition cannot end. */
export const retried4xx: WireRule = {
  needs: 'wire',
  restsOn: ['key', 'timings', 'answer headers', 'request body'],
  words: 'retried an error of its own',
  judge({ calls, requests, needs }) {
    const findings = calls
      .filter((attempts) => attempts.length >= minimumAttempts && attempts.some(isError))
      .flatMap((attempts) => {
        const callers = maximumCallers(attempts, needs?.calls);
        return divideIntoRows(attempts, isSameError).filter((row) => hasRounds(row, minimumAttempts, callers));
      })
      .map((row): RuleFinding => {
        const [first] = row as [JudgedRequest];
        const isPermanent = permanent.includes(first.status);
        const found = finding(isPermanent ? 'warn' : 'info', row, {
          measured: `${row.length} equal requests`,
          allowed: isPermanent ? '1 request' : 'polling',
          text: `${requestTarget(first)} was sent ${formatTimes(row.length)} with the same content and got ${first.status} each time. ${isPermanent ? 'A repetition cannot succeed: report the error to the caller.' : 'That is right only for a client that waits until the data have changed.'}`,
        });
        return isPermanent ? found : { ...found, canFail: false };
      });
    return { exercised: requests.some((request) => permanent.includes(request.status) && isError(request)), findings };
  },
};

const isError = ({ status, isRefused, isUnreadable }: JudgedRequest) =>
  !isRefused && !isUnreadable && (permanent.includes(status) || changing.includes(status));

/** Whether a request repeats that of the same caller, with the same error as the first one, within a minute. */
const isSameError = (request: JudgedRequest, last: JudgedRequest, first: JudgedRequest): boolean =>
  isError(request) &&
  isError(first) &&
  request.status === first.status &&
  request.session === first.session &&
  request.id > last.lastArrivedId &&
  request.requestText === first.requestText &&
  request.arrivedAtMs - first.arrivedAtMs <= soonMs;

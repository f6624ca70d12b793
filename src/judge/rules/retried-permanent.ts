import { requestTarget } from '../../values/request-target.js';
import { hasRounds, maximumCallers } from '../equal-calls.js';
import { finding, formatTimes, type WireRule } from '../finding.js';
import type { JudgedRequest } from '../run.js';

/** Time within which an equal request is a retry, and no later call. */
const soonMs = 60_000;
/** Minimum number of retries. A caller may have asked for one of them. */
const minimumRetries = 2;

/** Rule: finds requests that a client repeats although the response said that a repetition cannot succeed. */
export const retriedPermanent: WireRule = {
  needs: 'wire',
  restsOn: ['key', 'timings', 'answer headers', 'request body'],
  words: 'retried a permanent refusal',
  judge({ calls, requests, needs }) {
    const findings = calls.flatMap((attempts) => {
      const first = attempts.find(({ permanentReason }) => permanentReason !== undefined);
      if (first === undefined) return [];
      const isRetry = (request: JudgedRequest) =>
        request.session === first.session &&
        request.id > first.lastArrivedId &&
        request.arrivedAtMs - first.arrivedAtMs <= soonMs &&
        (request.session.isSequential || request.call !== undefined);
      const retries = attempts.filter((request) => request !== first && isRetry(request));
      const isForbidden = first.permanentReason?.endsWith(': false') === true;
      const rounds = 1 + (isForbidden ? 1 : minimumRetries);
      if (!hasRounds([first, ...retries], rounds, maximumCallers(attempts, needs?.calls))) return [];
      return [
        finding('warn', [first, ...retries], {
          measured: `repeated ${formatTimes(retries.length)}`,
          allowed: 'an error for the caller',
          text: `${requestTarget(first)} got ${first.status} with ${first.permanentReason}, and was sent again ${formatTimes(retries.length)}. Waiting does not end this refusal: report it to the caller.`,
        }),
      ];
    });
    return { exercised: requests.some(({ permanentReason }) => permanentReason !== undefined), findings };
  },
};

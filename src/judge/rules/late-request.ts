import { formatDuration } from '../../values/format-duration.js';
import { groupBy } from '../../values/group-by.js';
import { pluralize } from '../../values/pluralize.js';
import { finding, firstPrefix, type WireRule } from '../finding.js';
import { type Run, receiptMs, toleranceOf } from '../run.js';

/**
 * Rule: finds requests that a client sends for a caller that has given up. Requires a client that reports when its
 * callers give up.
 */
export const lateRequest: WireRule = {
  needs: 'wire',
  restsOn: ['key', 'timings'],
  words: 'sent a request for a caller that had given up',
  judge(run) {
    const { requests, outcomes = [] } = run;
    const aborted = outcomes.filter(({ result }) => result === 'aborted');
    const ofCalls = aborted.length > 0 ? groupBy(requests, ({ call }) => call) : undefined;
    const findings = aborted.flatMap((report) => {
      const ownRequests = report.call === undefined ? requests : (ofCalls?.get(report.call) ?? []);
      const late = ownRequests.filter((request) => request.arrivedAtMs > report.atMs + toleranceOf(request));
      const [first] = late;
      if (first === undefined) return [];
      return [
        finding('warn', late, {
          measured: `${pluralize(late.length, 'request')}, ${firstPrefix(late)}${formatDuration(first.arrivedAtMs - report.atMs)} after`,
          allowed: 'no request after the caller gave up',
          text: `A request was sent ${formatDuration(first.arrivedAtMs - report.atMs)} after its caller had given up. Pass the caller's abort signal to the wait, not only to the request.`,
        }),
      ];
    });
    return { exercised: aborted.length > 0 || hasEndedItsWait(run), findings: findings };
  },
};

/**
 * Whether the client ended by itself before the wait that its last refusal required was over. A time limit of the
 * client's caller must then have ended the wait.
 */
function hasEndedItsWait({ requests, isOver, end, nowMs }: Run): boolean {
  const last = requests.at(-1);
  if (!isOver || end?.hasFailed === undefined || !last?.isRefused || last.deadlineMs === undefined) return false;
  return nowMs >= last.answeredAtMs + receiptMs && nowMs < last.deadlineMs - toleranceOf(last);
}

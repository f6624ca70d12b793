import { finding, type Rule, target } from '../finding.js';
import { isOverdue } from '../overdue.js';
import { callsOf, groupBy, type JudgedRequest } from '../run.js';
import { isUnknown } from '../writes.js';

/** A call that was refused, or a read whose answer was of no use, is never sent again. */
export const gaveUp: Rule = (run) => {
  const calls = callsOf(run.requests);
  const dropped = calls.flatMap((tries) => {
    const last = tries.at(-1);
    return last !== undefined && isFailed(last) && isOverdue(last, run) ? [last] : [];
  });
  const findings = [...groupBy(dropped, ({ token }) => token).values()].map((last) => {
    const [first] = last as [JudgedRequest];
    const others = last.length > 1 ? ` and ${last.length - 1} other call${last.length > 2 ? 's' : ''}` : '';
    const why = first.isRefused ? `refused with ${first.status}` : 'left without an answer of use';
    return finding('gave-up', 'info', last, {
      measured: `${last.length} call${last.length === 1 ? '' : 's'} given up`,
      allowed: 'another try after the wait',
      text: `${target(first)}${others} ${last.length === 1 ? 'was' : 'were'} ${why} and not sent again. That is right only where the caller was told.`,
    });
  });
  const cameBack = calls.some((tries) => tries.some(isFailed) && !isFailed(tries.at(-1) as JudgedRequest));
  return { exercised: cameBack, findings };
};

/** A write without an answer must not be sent again; a client that left before the answer did not want it. */
const isFailed = (request: JudgedRequest) =>
  request.isRefused || (request.method === 'GET' && request.status !== 0 && isUnknown(request));

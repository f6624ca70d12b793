import { counted, finding, type Rule, target, times } from '../finding.js';
import { isOverdue, severityOfGivingUp } from '../given-up.js';
import { callsOf, groupBy, isUnknown, type JudgedRequest, type Run } from '../run.js';

/** A call that was refused, or a read whose answer was of no use, is never sent again. */
export const gaveUp: Rule = {
  needs: 'simulator',
  judge(run) {
    const calls = callsOf(run.requests);
    const nextOf = nextInThread(run);
    const dropped = calls.filter((tries) => {
      const last = tries.at(-1) as JudgedRequest;
      return isFailed(last) && isOverdue(last, run) && !mayBeTriedAgain(last, nextOf.get(last));
    });
    const findings = [...groupBy(dropped, ([first]) => first?.token).values()].map((given) => describe(run, given));
    const cameBack = calls.some((tries) => tries.some(isFailed) && !isFailed(tries.at(-1) as JudgedRequest));
    return { exercised: cameBack, findings };
  },
};

function describe(run: Run, given: readonly JudgedRequest[][]) {
  const last = given.map((tries) => tries.at(-1) as JudgedRequest);
  const [first] = last as [JudgedRequest];
  const attempts = given[0]?.filter(isFailed).length ?? 1;
  const others = given.length > 1 ? ` and ${counted(given.length - 1, 'other call')}` : '';
  const why = first.isRefused ? `refused with ${first.status}` : 'left without an answer of use';
  const { severity, told } = severityOfGivingUp(run, last);
  const often = given.length === 1 && attempts > 1 ? ` ${times(attempts)}, and then given up` : ' and not sent again';
  return finding('gave-up', severity, last, {
    measured: `${counted(given.length, 'call')} given up`,
    allowed: 'another try after the wait, or an error for the caller',
    text: `${target(first)}${others} ${given.length === 1 ? 'was' : 'were'} ${why}${often}. ${told}`,
  });
}

/** A write without an answer must not be sent again; a client that left before the answer did not want it. */
const isFailed = (request: JudgedRequest) =>
  request.isRefused || (request.method === 'GET' && request.status !== 0 && isUnknown(request));

/** The request that follows in the same thread of control, where there is one. */
function nextInThread({ requests }: Run): Map<JudgedRequest, JudgedRequest> {
  const next = new Map<JudgedRequest, JudgedRequest>();
  const lastOf = new Map<object, JudgedRequest>();
  for (const request of requests) {
    const last = request.lane.isOneThread ? lastOf.get(request.lane) : undefined;
    if (last !== undefined) next.set(last, request);
    lastOf.set(request.lane, request);
  }
  return next;
}

/** The same path with another query or body may be the same call: a client may write the attempt into its address. */
const mayBeTriedAgain = (last: JudgedRequest, next: JudgedRequest | undefined) =>
  next !== undefined &&
  next.call === undefined &&
  next.method === last.method &&
  next.path === last.path &&
  next.fingerprint !== last.fingerprint;

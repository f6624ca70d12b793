import { retryAfterHeader } from '../../contract/document.js';
import { counted } from '../../values/counted.js';
import { groupBy } from '../../values/group-by.js';
import { answersFor } from '../answers.js';
import { finding, target, times, type WireRule } from '../finding.js';
import { isOverdue, obtainedIn, severityOfGivingUp } from '../given-up.js';
import { ByLane } from '../place.js';
import { isRetryDate } from '../promises.js';
import { isServed, isUnknown, type JudgedRequest, type Run } from '../run.js';

/** A call that was refused, or a read whose answer was of no use, is never sent again. */
export const gaveUp: WireRule = {
  needs: 'wire',
  judge(run) {
    const ended = run.calls.filter((tries) => {
      const last = tries.at(-1) as JudgedRequest;
      return isFailed(last) && isOverdue(last, run);
    });
    const obtained = obtainedIn(run);
    const nextOf = ended.length > 0 ? nextInThread(run) : undefined;
    const dropped = ended.filter((tries) => {
      const last = tries.at(-1) as JudgedRequest;
      return !mayBeTriedAgain(last, nextOf?.get(last)) && !obtained.has(last);
    });
    // Side by side, a client that writes the attempt into its address has as many answers as the scenario asks for.
    const areAnswered = dropped.every(isBesideOthers) && hasAnswers(run);
    const findings = areAnswered
      ? []
      : [...groupBy(dropped, ([first]) => first?.token).values()].map((given) => describe(run, given));
    const answers = answersFor(run, isFailed);
    if (dropped.length === 0 && answers.missing.length > 0) findings.push(describeMissing(run, answers));
    const cameBack = run.calls.some((tries) => tries.some(isFailed) && !isFailed(tries.at(-1) as JudgedRequest));
    return { exercised: cameBack && answers.doubt === undefined, findings, doubt: answers.doubt };
  },
};

function describe(run: Run, given: readonly (readonly JudgedRequest[])[]) {
  const last = given.map((tries) => tries.at(-1) as JudgedRequest);
  const [first] = last as [JudgedRequest];
  const tries = given[0] ?? [];
  // Equal calls before it were served.
  const attempts = tries.length - 1 - tries.findLastIndex((each) => !isFailed(each));
  const others = given.length > 1 ? ` and ${counted(given.length - 1, 'other call')}` : '';
  const why = first.isRefused ? `refused with ${first.status}` : 'left without an answer of use';
  const { severity, told } = severityOfGivingUp(run, last);
  const dated =
    attempts === 1 && isRetryDate(first)
      ? ` Retry-After was a date, ${first.header(retryAfterHeader)}: read that form, too.`
      : '';
  const often = given.length === 1 && attempts > 1 ? ` ${times(attempts)}, and then given up` : ' and not sent again';
  return finding('gave-up', severity, last, {
    measured: `${counted(given.length, 'call')} given up`,
    allowed: 'another try after the wait, or an error for the caller',
    text: `${target(first)}${others} ${given.length === 1 ? 'was' : 'were'} ${why}${often}. ${told}${dated}`,
  });
}

/** Equal reads, of which some were never answered: the next of them was the next call, and no other try. */
function describeMissing(run: Run, { missing, answered, asked }: ReturnType<typeof answersFor>) {
  const { severity, told } = severityOfGivingUp(run, missing);
  const [first] = missing as [JudgedRequest];
  const why = first.isRefused ? 'refused' : 'left without an answer of use';
  return finding('gave-up', severity, missing, {
    measured: `${counted(asked, 'call')}, ${answered} answered`,
    allowed: 'another try after the wait, or an error for the caller',
    text: `${counted(asked, 'equal call')} were made, and ${answered} of them were answered: what was ${why} was not sent again. ${told}`,
  });
}

/**
 * A write without an answer must not be sent again; a client that left before the answer did not want it; and HEAD or OPTIONS
 * only asks how things are.
 */
const isFailed = (request: JudgedRequest) =>
  (request.isRefused && !isProbe(request)) || (request.method === 'GET' && request.status !== 0 && isUnknown(request));

const isBesideOthers = ([first]: readonly JudgedRequest[]) =>
  first?.lane.isOneThread === false && first.call === undefined;

/** Whether as many calls were answered as the scenario asks for. */
const hasAnswers = ({ requests, needs }: Run) =>
  needs?.calls !== undefined && requests.filter(isServed).length >= needs.calls;

const isProbe = ({ method }: JudgedRequest) => method === 'HEAD' || method === 'OPTIONS';

/** What follows in the same thread of control on the last try of a call, where there is something. */
function nextInThread({ requests, calls }: Run): Map<JudgedRequest, JudgedRequest> {
  const next = new Map<JudgedRequest, JudgedRequest>();
  const lanes = new ByLane((): { last?: JudgedRequest } => ({}));
  for (const request of requests) {
    if (!request.lane.isOneThread) continue;
    const lane = lanes.of(request.lane);
    const { last } = lane;
    if (last !== undefined && calls[last.fingerprint]?.at(-1) === last) next.set(last, request);
    lane.last = request;
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

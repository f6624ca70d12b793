import { listGroups } from '../../values/group-by.js';
import { pluralize } from '../../values/pluralize.js';
import { requestTarget } from '../../values/request-target.js';
import { PerSession } from '../client-session.js';
import { compareEqualReads } from '../equal-reads.js';
import { finding, formatTimes, type RuleFinding, type WireRule } from '../finding.js';
import { endingIfServed, isOverdue, laterSuccessesIn, orError, severityOfGivingUp } from '../given-up.js';
import { isServed, isUnknown, isWrite, type JudgedRequest, type Run, writesOf } from '../run.js';

/**
 * Rule: finds calls that the client gave up: refused or failed, never repeated, and without an error for the caller.
 */
export const gaveUp: WireRule = {
  needs: 'wire',
  restsOn: ['key', 'timings', 'answer headers', 'distinct writes'],
  words: 'gave up',
  isConclusive: true,
  isConsequence: true,
  endingIfServed,
  judge(run) {
    const ended = run.calls.filter((attempts) => {
      const last = attempts.at(-1) as JudgedRequest;
      return isFailed(last) && isOverdue(last, run);
    });
    const isObtained = laterSuccessesIn(run);
    const nextOf = ended.length > 0 ? nextInThread(run) : undefined;
    const areOneEach = isEachWriteACall(run);
    const dropped = ended.filter((attempts) => {
      const last = attempts.at(-1) as JudgedRequest;
      const isOneCall = areOneEach && isUnansweredWrite(last);
      return (isOneCall || !mayBeTriedAgain(last, nextOf?.get(last))) && !isObtained(last);
    });
    // A parallel client that adds the attempt number to the URL sends no equal requests, so its retries cannot be
    // recognized. The judge then reports nothing if the client got as many successful responses as the scenario
    // requires calls.
    const areAnswered = dropped.every(isConcurrent) && hasAnswers(run);
    const findings = areAnswered ? [] : listGroups(dropped, groupOf).flatMap((given) => describe(run, given));
    const answers = compareEqualReads(run, isFailed);
    if (dropped.length === 0 && answers.missing.length > 0) findings.push(describeMissing(run, answers));
    const hasRetried = run.calls.some(
      (attempts) => attempts.some(mayBeRepeated) && !isFailed(attempts.at(-1) as JudgedRequest),
    );
    return { exercised: hasRetried && answers.doubt === undefined, findings, doubt: answers.doubt };
  },
};

/**
 * Returns a text that the given-up calls of one finding share: the API key, and whether the last attempt is an
 * unanswered write.
 */
const groupOf = (attempts: readonly JudgedRequest[]) =>
  `${attempts[0]?.token} ${isUnansweredWrite(attempts.at(-1) as JudgedRequest)}`;

function describe(run: Run, given: readonly (readonly JudgedRequest[])[]): RuleFinding[] {
  const last = given.map((attempts) => attempts.at(-1) as JudgedRequest);
  const [first] = last as [JudgedRequest];
  const attempts = given[0] ?? [];
  // Number of consecutive failed attempts at the end of the call (a request and its retries).
  const attemptCount = attempts.length - 1 - attempts.findLastIndex((each) => !isFailed(each));
  const others = given.length > 1 ? ` and ${pluralize(given.length - 1, 'other call')}` : '';
  const why = first.isRefused ? `refused with ${first.status}` : 'left without a usable response';
  const { severity, note } = severityOfGivingUp(run, last);
  const isWriteLost = isUnansweredWrite(first);
  // Not repeating an unanswered write is correct, unless the client hides the failure from its caller.
  if (isWriteLost && severity !== 'warn') return [];
  const { retry } = first.told;
  const dated =
    attemptCount === 1 && retry?.form === 'date'
      ? ` ${retry.name} was a date (${retry.value}): support that form as well.`
      : '';
  const often =
    given.length === 1 && attemptCount > 1 ? ` ${formatTimes(attemptCount)}, and then given up` : ' and not sent again';
  return [
    finding(severity, last, {
      measured: `${pluralize(given.length, 'call')} given up`,
      allowed: isWriteLost
        ? `an error for the caller, or a check whether the ${first.noun} was stored`
        : `a retry after the wait${orError}`,
      text: `${requestTarget(first)}${others} ${given.length === 1 ? 'was' : 'were'} ${why}${often}. ${note}${dated}${isWriteLost ? ` Not repeating the write is right, but the caller needs an error: the ${first.noun} may or may not be stored.` : ''}`,
    }),
  ];
}

/** Creates a finding about failed GET requests that the client never repeated. */
function describeMissing(run: Run, { missing, answered, asked }: ReturnType<typeof compareEqualReads>) {
  const { severity, note } = severityOfGivingUp(run, missing);
  const [first] = missing as [JudgedRequest];
  const request = first.isRefused ? 'refused request' : 'failed request';
  const left = `${pluralize(missing.length, request)} ${missing.length === 1 ? 'was' : 'were'} not sent again`;
  return finding(severity, missing, {
    measured: `${pluralize(asked, 'call')}, ${pluralize(answered, 'usable response')}`,
    allowed: `a retry after the wait${orError}`,
    text: `${pluralize(asked, 'equal call')} were made, but only ${answered} got a usable response: ${left}. ${note}`,
  });
}

const isFailed = (request: JudgedRequest) => shouldBeRepeated(request) || isUnansweredWrite(request);

/**
 * Whether the client should have repeated a failed request. HEAD, OPTIONS and requests that the client abandoned need
 * no repetition.
 */
const shouldBeRepeated = (request: JudgedRequest) =>
  (request.isRefused && request.permanentReason === undefined && !isProbe(request)) ||
  (request.method === 'GET' && !request.isLeft && isUnknown(request));

/**
 * Whether a client may repeat a failed request without a check: a read, also by POST, or an idempotent write (RFC 9110
 * section 9.2.2).
 */
const mayBeRepeated = (request: JudgedRequest) =>
  shouldBeRepeated(request) ||
  (isUnknown(request) &&
    !request.isLeft &&
    (/^(?:PUT|DELETE)$/.test(request.method) || (request.operation !== undefined && !isWrite(request))));

/**
 * Whether a request is a write whose result the client cannot know, because the response was lost, unreadable or a 5xx.
 * The client must not repeat the request, because the write may have been stored.
 */
const isUnansweredWrite = (request: JudgedRequest) => isWrite(request) && !request.isRefused && isUnknown(request);

/**
 * Whether the client sent no more different writes than the scenario requires calls, so that each of them is a separate
 * call.
 */
const isEachWriteACall = (run: Run) => writesOf(run).length <= (run.needs?.calls ?? 0);

const isConcurrent = ([first]: readonly JudgedRequest[]) =>
  first?.session.isSequential === false && first.call === undefined;

/** Whether the client got at least as many successful responses as the number of calls that the scenario requires. */
const hasAnswers = ({ requests, needs }: Run) =>
  needs?.calls !== undefined && requests.filter(isServed).length >= needs.calls;

const isProbe = ({ method }: JudgedRequest) => method === 'HEAD' || method === 'OPTIONS';

/**
 * Finds the next request of the same client after each call's last attempt. Clients with concurrent requests are left
 * out, because their requests have no order.
 */
function nextInThread({ requests, calls }: Run): Map<JudgedRequest, JudgedRequest> {
  const next = new Map<JudgedRequest, JudgedRequest>();
  const sessions = new PerSession((): { last?: JudgedRequest } => ({}));
  for (const request of requests) {
    if (!request.session.isSequential) continue;
    const session = sessions.of(request.session);
    const { last } = session;
    if (last !== undefined && calls[last.fingerprint]?.at(-1) === last) next.set(last, request);
    session.last = request;
  }
  return next;
}

/**
 * Whether a client's next request may be a retry of the last request with another query or body. Some clients put the
 * number of the attempt into the URL.
 */
const mayBeTriedAgain = (last: JudgedRequest, next: JudgedRequest | undefined) =>
  next !== undefined &&
  next.call === undefined &&
  next.method === last.method &&
  next.path === last.path &&
  next.fingerprint !== last.fingerprint;

import { formatDuration } from '../../values/format-duration.js';
import { groupBy, listGroups } from '../../values/group-by.js';
import { pluralize } from '../../values/pluralize.js';
import { isDuration, nounOfForm } from '../../values/told-waits.js';
import type { ClientSession } from '../client-session.js';
import { finding, type RuleFinding, type WireRule } from '../finding.js';
import { earlyMs, endOfWaitMs, type JudgedRequest, type Run, toleranceMs, toleranceOf, waitedMs } from '../run.js';
import { describeWaits, findCause, type Wait } from '../wait-pattern.js';

/** Whether a response promises no time for a retry, but may mean one. */
const isUnread = ({ unsure, deadlineMs }: JudgedRequest) => unsure !== undefined && deadlineMs === undefined;

const isTelling = ({ deadlineMs }: JudgedRequest) => deadlineMs !== undefined;

/** Whether a retry arrived before the end of the longest wait that a response may mean. */
const isMaybeEarly = ({ response, request }: { response: JudgedRequest; request: JudgedRequest }) =>
  isUnread(response) && request.arrivedAtMs < (response.unsure?.untilMs ?? 0) - toleranceOf(response, request);

/** Whether a retry came before the end of its wait by less than the error of the recorded times. */
function isWithinError({ response, request }: Wait): boolean {
  const errorMs = toleranceOf(response, request) - toleranceMs;
  return errorMs > 0 && request.arrivedAtMs < (endOfWaitMs(response) ?? 0);
}

const withinError =
  'A retry came before the end of its wait by less than the error of the recorded times, so it is unknown whether it was too early. Record with milliseconds, on one machine.';

const maybeEarly =
  'A retry came before the end of the wait that it may mean, so it is unknown whether the client waited long enough.';

/** Describes the waits that responses may mean; `undefined` without such responses. */
export function describeUnread(requests: readonly JudgedRequest[]): string | undefined {
  const unread = requests.flatMap(({ unsure }) => unsure ?? []);
  const [first] = unread;
  if (first === undefined) return undefined;
  const value = JSON.stringify(first.value.slice(0, 40));
  const often = `in ${pluralize(unread.length, 'response')}`;
  if (requests.some(({ isClockUnknown, unsure }) => isClockUnknown && unsure !== undefined))
    return `The recorded times have no time zone, so ${first.name}, ${value} ${often}, is not comparable. Record with a zone or the Date header.`;
  return /^retry-after$/i.test(first.name)
    ? `Expected seconds or an HTTP date in Retry-After, got ${value} ${often}.`
    : `${first.name}, ${value} ${often}, may mean a wait.`;
}

/** A request that was too early, and the response that required the client to wait. */
interface EarlyRequest {
  response: JudgedRequest;
  request: JudgedRequest;
  earlyMs: number;
}

/**
 * Rule of the judge: finds requests before the time at which the last refusal or 503 allows a retry, by Retry-After or
 * X-RateLimit-Reset. The client fails if any early request was refused, got a 503, or repeated the refused request and
 * got another 5xx; if none did, the rule only warns.
 * For clients with concurrent requests, considers only retries of refused requests.
 */
export const earlyRetry: WireRule = {
  needs: 'wire',
  restsOn: ['key', 'timings'],
  words: 'retried too early',
  isConclusive: true,
  blames: 'refused caller',
  judge(run) {
    const early = run.episodes.map(({ requests }) => earlyAfter(requests, refusalBefore));
    const outages = earlyAfter(run.requests, ({ retryOfOutage }) => retryOfOutage);
    const hasEarly = outages.length > 0 || early.some(({ length }) => length > 0);
    const doubled = hasEarly ? doubledRequests(run) : new Set();
    const retries = run.requests.flatMap((request) => {
      const response = refusalBefore(request) ?? request.retryOfOutage;
      return response === undefined ? [] : [{ response, request }];
    });
    const tooEarly = new Set([...early.flat(), ...outages].map(({ request }) => request));
    const blamed = new Set([...tooEarly].map(({ session }) => session));
    const ofSessions = groupBy(
      retries.filter(({ response, request }) => blamed.has(request.session) && response.deadlineMs !== undefined),
      ({ request }) => request.session,
    );
    // Once for each client, because a client may have thousands of episodes with early retries.
    const causes = new Map<ClientSession, string | undefined>();
    for (const [session, waits] of ofSessions) {
      causes.set(session, findCause(waits, tooEarly));
    }
    const sums = run.episodes.flatMap(({ requests }) => shortSums(requests));
    const findings: RuleFinding[] = [];
    for (const earlyRequests of [...early.map(outsideBans), outages]) {
      const [first] = earlyRequests;
      if (first === undefined) continue;
      const worst = earlyRequests.reduce((most, request) => (request.earlyMs > most.earlyMs ? request : most), first);
      const isDoubled = earlyRequests.some(({ request }) => doubled.has(request));
      findings.push(describe(worst, earlyRequests, causes.get(first.request.session), isDoubled));
    }
    return {
      exercised: retries.some(({ response }) => isReadable(response) && isTelling(response)) || hasStopped(run),
      findings: [...findings, ...sums],
      doubt: retries.some(isMaybeEarly)
        ? `${describeUnread(run.requests)} ${maybeEarly}`
        : retries.some(isWithinError)
          ? withinError
          : undefined,
    };
  },
};

/**
 * Finds retries in a row that came too early in sum, although each came too early by less than the resolution of the
 * recorded times: the errors of the times between do not add up. Only waits that count from the response add up, and
 * only where each retry certainly came after the response.
 */
function shortSums(requests: readonly JudgedRequest[]): RuleFinding[] {
  let row: JudgedRequest[] = [];
  const rows = [row];
  for (const request of requests) {
    const last = row.at(-1);
    const isNext = last !== undefined && refusalBefore(request) === last && addsUp(last, request);
    if (!isNext) {
      row = [];
      rows.push(row);
    }
    row.push(request);
  }
  return rows.flatMap((requests) => {
    const [first, last] = [requests[0], requests.at(-1)];
    if (first === undefined || last === undefined || requests.length < 3 || first.clockStepMs === 0) return [];
    const askedMs = requests.slice(0, -1).reduce((sum, { retryAfterMs = 0 }) => sum + retryAfterMs, 0);
    const tookMs = last.arrivedAtMs - first.arrivedAtMs;
    if (askedMs - tookMs <= toleranceOf(first, last)) return [];
    const name = first.told.retry?.name;
    return [
      finding('fail', requests.slice(1), {
        measured: `${formatDuration(tookMs)} for ${pluralize(requests.length - 1, 'wait')}`,
        allowed: `at least ${formatDuration(askedMs)}`,
        text: `Retried ${formatDuration(askedMs - tookMs)} before ${name} allowed, in sum of ${requests.length - 1} waits in a row. Wait for the full ${name}, plus a random time.`,
      }),
    ];
  });
}

/** Whether a wait counts from a response, and the retry certainly came after it and at most a step too early. */
const addsUp = (response: JudgedRequest, request: JudgedRequest) =>
  response.resetMs === undefined &&
  response.told.retry?.form !== undefined &&
  isDuration(response.told.retry.form) &&
  waitedMs(response, request) > response.clockStepMs &&
  (earlyMs(response, request) ?? 0) <= toleranceOf(response, request);

/** Whether the client, and the recording, could read when a response allows a retry. */
const isReadable = ({ missing }: JudgedRequest) =>
  !missing.includes('readable headers') && !missing.includes('answer headers');

/**
 * Finds the rejection (429 or ban) whose required wait applies to a request; `undefined` if no wait applies. With
 * concurrent requests, only the rejection of an earlier attempt of the same request counts.
 */
export function refusalBefore({ session, call, lastRefusalRead, retryOf }: JudgedRequest): JudgedRequest | undefined {
  const isOtherCall = call !== undefined && lastRefusalRead?.call !== undefined && lastRefusalRead.call !== call;
  return session.isSequential && !isOtherCall ? lastRefusalRead : retryOf;
}

/**
 * Finds requests that were sent before the end of the wait that an earlier response required.
 * @param responseOf returns the response that required a request to wait; `undefined` if no response did
 */
function earlyAfter(
  requests: readonly JudgedRequest[],
  responseOf: (request: JudgedRequest) => JudgedRequest | undefined,
): EarlyRequest[] {
  const earlyRequests: EarlyRequest[] = [];
  for (const request of requests) {
    const response = responseOf(request);
    const early = (response && (earlyForRetryAfterMs(response, request) ?? earlyMs(response, request))) ?? 0;
    if (response !== undefined && early > toleranceOf(response, request))
      earlyRequests.push({ response, request, earlyMs: early });
  }
  return earlyRequests;
}

/**
 * Returns how many milliseconds before Retry-After, but after X-RateLimit-Reset, a refused retry came; `undefined` for
 * other requests. The API's documentation requires "the time given in the Retry-After header".
 */
const earlyForRetryAfterMs = (response: JudgedRequest, request: JudgedRequest) =>
  // A concurrent client's refused retry is ignored, because another caller may have used up the limit again.
  request.isRefused &&
  request.session.isSequential &&
  response.retryAfterMs !== undefined &&
  request.arrivedAtMs >= (response.resetMs ?? Number.POSITIVE_INFINITY) &&
  !isInAnotherUnit(response)
    ? response.retryAfterMs - waitedMs(response, request)
    : undefined;

/**
 * Minimum wait from which a Retry-After may be in another unit than seconds. A Retry-After of 1000 may mean one second,
 * sent as milliseconds.
 */
const minimumOtherUnitMs = 1_000_000;

/**
 * Whether a Retry-After header is a Unix time, or evidently in milliseconds, because it is far later than
 * X-RateLimit-Reset. X-RateLimit-Reset then determines the wait.
 */
function isInAnotherUnit(response: JudgedRequest): boolean {
  const { retryAfterMs = 0, resetMs = 0, answeredAtMs } = response;
  const { form = 'seconds' } = response.told.retry ?? {};
  if (form !== 'seconds') return !isDuration(form);
  // A Retry-After with decimals, such as `1.5`, cannot be milliseconds.
  const isWhole = retryAfterMs % 1_000 === 0;
  return isWhole && retryAfterMs >= minimumOtherUnitMs && retryAfterMs >= 500 * (resetMs - answeredAtMs);
}

/**
 * Selects the early retries outside a ban, because the rule `ban-hammered` reports requests during a ban. If there are
 * none outside, returns all early retries.
 */
function outsideBans(early: EarlyRequest[]): EarlyRequest[] {
  const outside = early.filter(({ response }) => !response.isBan);
  return outside.length > 0 ? outside : early;
}

const isCertain = ({ request }: EarlyRequest) => request.session.isSequential || request.call !== undefined;

/**
 * Whether an early retry may come from a parallel part of the client, such as another thread. Signs are another
 * connection and less than 500 ms after the 429.
 */
const isOnAnother = ({ response, request }: EarlyRequest) =>
  request.call === undefined &&
  request.session.callers === 1 &&
  !response.isBan &&
  request.connection !== response.connection &&
  waitedMs(response, request) < soonMs;

const soonMs = 500;

/** Maximum time between the arrivals of two equal requests that count as one doubled request. */
const doubledMs = 100;
const doubledRequest =
  " The same request came twice within 100 ms: a retry without a wait, or a doubled request, as from an effect in React's StrictMode.";

/**
 * Finds the second request of each pair of equal requests with the same key, at most 100 ms apart. A third equal
 * request as close to the pair is a sign of a retry loop instead.
 */
function doubledRequests({ calls }: Run): Set<JudgedRequest> {
  const series = calls.flatMap((equal) => listGroups(equal, ({ session }) => session.series));
  return new Set(
    series.flatMap((equal) => {
      const isNear = (at: number) => {
        const [before, after] = [equal[at - 1], equal[at]];
        return before !== undefined && after !== undefined && after.arrivedAtMs - before.arrivedAtMs <= doubledMs;
      };
      return equal.filter((_, at) => isNear(at) && !isNear(at - 1) && !isNear(at + 1));
    }),
  );
}

/** Whether an early request was rejected. A 5xx on another path may be of another limit, or of none. */
const isRejected = ({ response, request }: EarlyRequest) =>
  request.isRefused ||
  request.status === 503 ||
  (request.status >= 500 && request.fingerprint === response.fingerprint);

const callers =
  ' If these are several independent callers, declare them: client.parallel in the scenario, or X-Sim-Call.';

function describe(
  { response, request, earlyMs: byMs }: EarlyRequest,
  early: readonly EarlyRequest[],
  causeOfClient: string | undefined,
  isDoubled: boolean,
) {
  const again = early.some(isRejected);
  const { retry, reset } = response.told;
  const resetName = reset?.name ?? '';
  const header = response.retryAfterMs === undefined ? resetName : (retry?.name ?? '');
  const allowedMs = response.retryAfterMs === undefined ? byMs : response.retryAfterMs - waitedMs(response, request);
  const isAfterReset = earlyMs(response, request) !== byMs;
  const upTo = early.length > 1 ? 'up to ' : '';
  const isRounded = response.isRefused && early.every((each) => each.earlyMs < 1_000 && each.request.status < 400);
  const saved = isRounded ? 'The early request succeeded only because waits are rounded up to whole seconds. ' : '';
  // If several calls run at once, the finding states the measured wait as a maximum: the client may have retried
  // because of a later 429.
  const isKnown = early.every(isCertain);
  const cause = isKnown ? causeOfClient : undefined;
  const waits = isKnown ? describeWaits(early, cause) : undefined;
  // A named cause is the reason of the early retries, so there are no other callers.
  const isByOthers = cause === undefined && early.some(isOnAnother);
  return finding(
    again ? 'fail' : 'warn',
    early.map((each) => each.request),
    {
      measured: `${isKnown ? '' : 'at most '}${formatDuration(waitedMs(response, request))} waited`,
      allowed: allowedBy(response, isAfterReset),
      text: `Retried ${upTo}${formatDuration(allowedMs)} before ${header}${response.isBan ? ' of the ban' : ''} allowed${waits === undefined ? '' : `, ${waits}`}. ${saved}${isAfterReset ? `${resetName} was earlier, but a request after that time was refused again. ` : ''}${advice(response)}${isByOthers ? callers : ''}${isDoubled ? doubledRequest : ''}`,
    },
  );
}

/** Describes when a client may retry after a response, such as `at least 5 s`. */
function allowedBy(response: JudgedRequest, isAfterReset: boolean): string {
  const { answeredAtMs, retryAfterMs, resetMs } = response;
  const untilResetMs = resetMs === undefined ? undefined : resetMs - answeredAtMs;
  if (retryAfterMs === undefined) return `at least ${formatDuration(untilResetMs ?? 0)}`;
  const differs = untilResetMs !== undefined && !isAfterReset && retryAfterMs - untilResetMs >= 100;
  const orReset = differs ? `, or ${formatDuration(untilResetMs)} until ${response.told.reset?.name}` : '';
  return `at least ${formatDuration(retryAfterMs)}${orReset}`;
}

function advice({ isBan, retryAfterMs, told: { retry, reset } }: JudgedRequest): string {
  if (isBan) return 'Requests do not shorten a ban. Send nothing with this key until the ban ends.';
  if (retryAfterMs === undefined || retry?.form === undefined)
    return `Without Retry-After, wait until ${reset?.name}: ${reset?.value}, ${reset?.form}.`;
  const { name, value, form } = retry;
  if (form === 'seconds') return `Wait for the full ${name}, plus a random time.`;
  return isDuration(form)
    ? `Wait for the full ${name} (${value}, ${form}), plus a random time.`
    : `${name} was a ${nounOfForm(form)} (${value}): wait until then, plus a random time.`;
}

/**
 * Whether the client ended by itself after a series of refused requests without a retry. Ignores a series with two
 * equal requests, because the second may be a retry, also if it succeeded.
 */
const hasStopped = ({ isOver, end, episodes }: Run) =>
  isOver &&
  !end?.isInterrupted &&
  episodes.some(
    ({ requests, refusals }) =>
      refusals.every(isReadable) && new Set(requests.map(({ fingerprint }) => fingerprint)).size === requests.length,
  );

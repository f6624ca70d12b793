import { retryAfterHeader } from '../../rate-limits/header-names.js';
import { formatDuration } from '../../values/format-duration.js';
import { listGroups } from '../../values/group-by.js';
import { pluralize } from '../../values/pluralize.js';
import { finding, type WireRule } from '../finding.js';
import { describeReset, resetHeaderOf, retryAfterFormOf } from '../promises.js';
import { earlyMs, type JudgedRequest, type Run, toleranceOf, waitedMs } from '../run.js';
import { describeWaits, type Wait } from '../wait-pattern.js';

/** Whether a response names no time for a retry, because its Retry-After is in a form that the judge cannot read. */
const isUnread = ({ unreadWaitMs, deadlineMs }: JudgedRequest) =>
  unreadWaitMs !== undefined && deadlineMs === undefined;

/** Whether a retry arrived before the end of the longest wait that an unreadable Retry-After may mean. */
const isMaybeEarly = ({ response, request }: { response: JudgedRequest; request: JudgedRequest }) =>
  isUnread(response) && waitedMs(response, request) < (response.unreadWaitMs ?? 0) - toleranceOf(response, request);

const maybeEarly =
  'A retry came before the end of the wait that it may mean, so it is unknown whether the client waited long enough.';

/**
 * Describes the Retry-After headers of recorded responses that the judge cannot read; `undefined` without such headers.
 */
export function describeUnread(requests: readonly JudgedRequest[]): string | undefined {
  const unread = requests.filter(({ unreadWaitMs }) => unreadWaitMs !== undefined);
  if (unread.length === 0) return undefined;
  const [text = ''] = unread.map(({ headers }) => headers[retryAfterHeader]);
  return `Expected seconds or an HTTP date in Retry-After, got ${JSON.stringify(text.slice(0, 40))} in ${pluralize(unread.length, 'response')}.`;
}

/** A request that was too early, and the response that required the client to wait. */
interface EarlyRequest {
  response: JudgedRequest;
  request: JudgedRequest;
  earlyMs: number;
}

/**
 * Rule of the judge: finds requests before the time at which the last refusal or 503 allows a retry, by Retry-After or
 * X-RateLimit-Reset. The client fails if any early request was refused or got a 503; if none was, the rule only warns.
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
    const findings = [...early.map(outsideBans), outages].flatMap((earlyRequests) => {
      const [first] = earlyRequests;
      if (first === undefined) return [];
      const worst = earlyRequests.reduce((most, request) => (request.earlyMs > most.earlyMs ? request : most), first);
      const isDoubled = earlyRequests.some(({ request }) => doubled.has(request));
      const ofClient = retries.filter(
        ({ response, request }) => request.session === first.request.session && response.deadlineMs !== undefined,
      );
      return [describe(worst, earlyRequests, ofClient, isDoubled)];
    });
    return {
      exercised: retries.some(({ response }) => isReadable(response) && !isUnread(response)) || hasStopped(run),
      findings,
      doubt: retries.some(isMaybeEarly) ? `${describeUnread(run.requests)} ${maybeEarly}` : undefined,
    };
  },
};

/** Whether the client, and the recording, could read when a response allows a retry. */
const isReadable = ({ missing }: JudgedRequest) =>
  !missing.includes('readable headers') && !missing.includes('answer headers');

/**
 * Finds the rejection (429 or ban) whose required wait applies to a request; `undefined` if no wait applies. With
 * concurrent requests, only the rejection of an earlier attempt of the same request counts.
 */
function refusalBefore({ session, call, lastRefusalRead, retryOf }: JudgedRequest): JudgedRequest | undefined {
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
  if (retryAfterFormOf(response) === 'Unix time') return true;
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

const callers =
  ' If these are several independent callers, declare them: client.parallel in the scenario, or X-Sim-Call.';

function describe(
  { response, request, earlyMs: byMs }: EarlyRequest,
  early: readonly EarlyRequest[],
  ofClient: readonly Wait[],
  isDoubled: boolean,
) {
  const again = early.some((each) => each.request.isRefused || each.request.status === 503);
  const header = response.retryAfterMs === undefined ? resetHeaderOf(response) : retryAfterHeader;
  const allowedMs = response.retryAfterMs === undefined ? byMs : response.retryAfterMs - waitedMs(response, request);
  const isAfterReset = earlyMs(response, request) !== byMs;
  const upTo = early.length > 1 ? 'up to ' : '';
  const isRounded = response.isRefused && early.every((each) => each.earlyMs < 1_000 && each.request.status < 400);
  const saved = isRounded ? 'The early request succeeded only because waits are rounded up to whole seconds. ' : '';
  // If several calls run at once, the finding states the measured wait as a maximum: the client may have retried
  // because of a later 429.
  const isKnown = early.every(isCertain);
  const waits = isKnown ? describeWaits(early, ofClient) : undefined;
  // A named cause is the reason of the early retries, so there are no other callers.
  const isByOthers = waits?.cause === undefined && early.some(isOnAnother);
  return finding(
    again ? 'fail' : 'warn',
    early.map((each) => each.request),
    {
      measured: `${isKnown ? '' : 'at most '}${formatDuration(waitedMs(response, request))} waited`,
      allowed: allowedBy(response, isAfterReset),
      text: `Retried ${upTo}${formatDuration(allowedMs)} before ${header}${response.isBan ? ' of the ban' : ''} allowed${waits === undefined ? '' : `, ${waits.text}`}. ${saved}${isAfterReset ? `${resetHeaderOf(response)} was earlier, but a request after that time was refused again. ` : ''}${advice(response, header)}${isByOthers ? callers : ''}${isDoubled ? doubledRequest : ''}`,
    },
  );
}

/** Describes when a client may retry after a response, such as `at least 5 s`. */
function allowedBy(response: JudgedRequest, isAfterReset: boolean): string {
  const { answeredAtMs, retryAfterMs, resetMs } = response;
  const untilResetMs = resetMs === undefined ? undefined : resetMs - answeredAtMs;
  if (retryAfterMs === undefined) return `at least ${formatDuration(untilResetMs ?? 0)}`;
  const differs = untilResetMs !== undefined && !isAfterReset && retryAfterMs - untilResetMs >= 100;
  const orReset = differs ? `, or ${formatDuration(untilResetMs)} until ${resetHeaderOf(response)}` : '';
  return `at least ${formatDuration(retryAfterMs)}${orReset}`;
}

function advice(response: JudgedRequest, header: string): string {
  if (response.isBan) return 'Requests do not shorten a ban. Send nothing with this key until the ban ends.';
  if (header !== retryAfterHeader) {
    return `Without Retry-After, wait until ${header}: ${describeReset(response)}.`;
  }
  const form = retryAfterFormOf(response);
  if (form !== undefined && form !== 'seconds') {
    return `Retry-After was a ${form} (${response.headers[retryAfterHeader]}): wait until then, plus a random time.`;
  }
  return 'Wait for the full Retry-After, plus a random time.';
}

/**
 * Whether the client ended by itself after a series of refused requests without a retry. Ignores a series with two
 * equal requests, because the second may be a retry.
 */
const hasStopped = ({ isOver, end, episodes }: Run) =>
  isOver &&
  !end?.isInterrupted &&
  episodes.some(
    ({ refusals }) =>
      refusals.every(isReadable) && new Set(refusals.map(({ fingerprint }) => fingerprint)).size === refusals.length,
  );

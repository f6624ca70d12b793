import { retryAfterHeader } from '../../rate-limits/header-names.js';
import { finding, span, type WireRule } from '../finding.js';
import { describeReset, isRetryDate } from '../promises.js';
import { earlyMs, type JudgedRequest, type Run, toleranceMs } from '../run.js';
import { describeWaits } from '../wait-pattern.js';

/** An early request, with the response that asked the client to wait. */
interface EarlyRequest {
  told: JudgedRequest;
  request: JudgedRequest;
  earlyMs: number;
}

/**
 * Finds retries before every promised time of the latest response. Judges any request of a lane without overlaps,
 * otherwise retries of the same call. Fails if the retry is refused; warns if it succeeds, because promised times are
 * rounded to whole seconds. After a refusal past Reset, only Retry-After counts.
 */
export const earlyRetry: WireRule = {
  needs: 'wire',
  judge(run) {
    const early = run.episodes.map(({ requests }) => earlyAfter(requests, refusalBefore));
    const outages = earlyAfter(run.requests, ({ retryOfOutage }) => retryOfOutage);
    const findings = [...early.map(outsideBans), outages].flatMap((found) => {
      const [first] = found;
      if (first === undefined) return [];
      const worst = found.reduce((most, each) => (each.earlyMs > most.earlyMs ? each : most), first);
      return [describe(worst, found)];
    });
    const cameBack = run.requests.some(
      (request) => refusalBefore(request) !== undefined || request.retryOfOutage !== undefined,
    );
    return { exercised: cameBack || hasStopped(run), findings };
  },
};

/** Refusal that limits the time of a request. */
function refusalBefore({ lane, call, lastRefusalRead, retryOf }: JudgedRequest): JudgedRequest | undefined {
  const isOtherCall = call !== undefined && lastRefusalRead?.call !== undefined && lastRefusalRead.call !== call;
  return lane.isOneThread && !isOtherCall ? lastRefusalRead : retryOf;
}

/** Finds early requests. @param toldOf returns the response that limits a request's time */
function earlyAfter(
  requests: readonly JudgedRequest[],
  toldOf: (request: JudgedRequest) => JudgedRequest | undefined,
): EarlyRequest[] {
  const found: EarlyRequest[] = [];
  for (const request of requests) {
    const told = toldOf(request);
    const early = told && (earlyForRetryAfterMs(told, request) ?? earlyMs(told, request));
    if (told !== undefined && early !== undefined && early > toleranceMs) found.push({ told, request, earlyMs: early });
  }
  return found;
}

/**
 * Earliness by Retry-After of a request that was refused after Reset: "the client waits for the time given in the
 * Retry-After header".
 */
const earlyForRetryAfterMs = ({ retryAfterMs, resetMs, answeredAtMs }: JudgedRequest, request: JudgedRequest) =>
  // With concurrent callers, another caller may have used up the quota since Reset.
  request.isRefused &&
  request.lane.isOneThread &&
  retryAfterMs !== undefined &&
  request.arrivedAtMs >= (resetMs ?? Number.POSITIVE_INFINITY)
    ? answeredAtMs + retryAfterMs - request.arrivedAtMs
    : undefined;

/** Excludes requests during a ban, which ban-hammered reports, unless there are no others. */
function outsideBans(early: EarlyRequest[]): EarlyRequest[] {
  const outside = early.filter(({ told }) => !told.isBan);
  return outside.length > 0 ? outside : early;
}

const isCertain = ({ request }: EarlyRequest) => request.lane.isOneThread || request.call !== undefined;

/**
 * Whether the early request may come from another caller: soon, on another connection, without knowledge of the
 * refusal.
 */
const isOnAnother = ({ told, request }: EarlyRequest) =>
  request.call === undefined &&
  request.lane.callers === 1 &&
  !told.isBan &&
  request.connection !== told.connection &&
  request.arrivedAtMs - told.answeredAtMs < soonMs;

const soonMs = 500;

const callers =
  ' If these are several independent callers, declare them: client.parallel in the scenario, or X-Sim-Call.';

function describe({ told, request, earlyMs: byMs }: EarlyRequest, early: readonly EarlyRequest[]) {
  const again = early.some((each) => each.request.isRefused || each.request.status === 503);
  const header = promiseOf(told);
  const allowedMs =
    told.retryAfterMs === undefined ? byMs : told.answeredAtMs + told.retryAfterMs - request.arrivedAtMs;
  const isAfterReset = earlyMs(told, request) !== byMs;
  const upTo = early.length > 1 ? 'up to ' : '';
  const isRounded = told.isRefused && early.every((each) => each.earlyMs < 1_000 && each.request.status < 400);
  const saved = isRounded ? 'The request succeeded, because waits are rounded up to whole seconds. ' : '';
  // For concurrent calls, the retried refusal is unknown, so the measured waits are upper limits.
  const isKnown = early.every(isCertain);
  return finding(
    'early-retry',
    again ? 'fail' : 'warn',
    early.map((each) => each.request),
    {
      measured: `${isKnown ? '' : 'at most '}${span(request.arrivedAtMs - told.answeredAtMs)} waited`,
      allowed: allowedBy(told, isAfterReset),
      text: `Retried ${upTo}${span(allowedMs)} before ${header}${told.isBan ? ' of the ban' : ''} allowed${isKnown ? `, ${describeWaits(early)}` : ''}. ${saved}${isAfterReset ? earlierReset : ''}${advice(told, header)}${early.some(isOnAnother) ? callers : ''}`,
    },
  );
}

const earlierReset = 'X-RateLimit-Reset was earlier, but a request after that time was refused again. ';

const promiseOf = ({ retryAfterMs }: JudgedRequest) =>
  retryAfterMs === undefined ? 'X-RateLimit-Reset' : 'Retry-After';

/** Describes the allowed times: Retry-After, and Reset if clearly different. */
function allowedBy({ answeredAtMs, retryAfterMs, resetMs }: JudgedRequest, isAfterReset: boolean): string {
  const untilResetMs = resetMs === undefined ? undefined : resetMs - answeredAtMs;
  if (retryAfterMs === undefined) return `at least ${span(untilResetMs ?? 0)}`;
  const differs = untilResetMs !== undefined && !isAfterReset && retryAfterMs - untilResetMs >= 100;
  const orReset = differs ? `, or ${span(untilResetMs)} until X-RateLimit-Reset` : '';
  return `at least ${span(retryAfterMs)}${orReset}`;
}

function advice(told: JudgedRequest, header: string): string {
  if (told.isBan) return 'Requests do not shorten a ban. Send nothing with this key until the ban ends.';
  if (header === 'X-RateLimit-Reset') {
    return `Without Retry-After, wait until X-RateLimit-Reset: ${describeReset(told)}.`;
  }
  if (isRetryDate(told)) {
    return `Retry-After was a date (${told.headers[retryAfterHeader]}): wait until then, plus a random time.`;
  }
  return 'Wait for the full Retry-After, plus a random time.';
}

/**
 * Whether the client ended after a refusal and so obeyed. Excludes calls that were refused twice, possibly after a
 * retry.
 */
const hasStopped = ({ isOver, end, episodes }: Run) =>
  isOver &&
  !end?.isInterrupted &&
  episodes.some(({ refusals }) => new Set(refusals.map(({ fingerprint }) => fingerprint)).size === refusals.length);

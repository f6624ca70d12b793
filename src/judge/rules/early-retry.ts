import { retryAfterHeader } from '../../rate-limits/header-names.js';
import { finding, span, type WireRule } from '../finding.js';
import { describeReset, isRetryDate } from '../promises.js';
import { earlyMs, type JudgedRequest, type Run, toleranceMs } from '../run.js';
import { describeWaits } from '../wait-pattern.js';

/** A request that the client sent too early, with the answer that had asked it to wait. */
interface EarlyRequest {
  told: JudgedRequest;
  request: JudgedRequest;
  earlyMs: number;
}

/**
 * The client comes back before every promise of the answer that it had read: any request of one thread of control, the
 * same call where requests run side by side. It fails where it is refused again; where it was served all the same,
 * because promises are whole seconds, it is warned. Reset is a promise only where the client was served after it.
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

/** Refusal that a request is compared with. */
function refusalBefore({ lane, call, lastRefusalRead, retryOf }: JudgedRequest): JudgedRequest | undefined {
  const isOtherCall = call !== undefined && lastRefusalRead?.call !== undefined && lastRefusalRead.call !== call;
  return lane.isOneThread && !isOtherCall ? lastRefusalRead : retryOf;
}

/** @param toldOf gives the answer that a request is measured by */
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

/** Of a request that was refused although it came after Reset, "the client waits for the time given in the Retry-After header". */
const earlyForRetryAfterMs = (told: JudgedRequest, request: JudgedRequest) =>
  // Side by side, another caller may have used up what Reset had promised.
  request.isRefused &&
  request.lane.isOneThread &&
  told.retryAfterMs !== undefined &&
  request.arrivedAtMs >= (told.resetMs ?? Number.POSITIVE_INFINITY) &&
  !isInAnotherUnit(told)
    ? told.answeredAtMs + told.retryAfterMs - request.arrivedAtMs
    : undefined;

/** From here on, Retry-After can be milliseconds of a second or more. */
const leastOtherUnitMs = 1_000_000;

/** Whether Retry-After is so far beyond Reset that it must be milliseconds or a Unix time: then Reset is the better promise. */
const isInAnotherUnit = ({ retryAfterMs = 0, resetMs = 0, answeredAtMs }: JudgedRequest) =>
  retryAfterMs >= leastOtherUnitMs && retryAfterMs >= 500 * (resetMs - answeredAtMs);

/** What comes within a ban is for ban-hammered, unless it is all there was. */
function outsideBans(early: EarlyRequest[]): EarlyRequest[] {
  const outside = early.filter(({ told }) => !told.isBan);
  return outside.length > 0 ? outside : early;
}

const isCertain = ({ request }: EarlyRequest) => request.lane.isOneThread || request.call !== undefined;

/** This soon and on another connection, it may be that of a caller that had read nothing of the refusal. */
const isOnAnother = ({ told, request }: EarlyRequest) =>
  request.call === undefined &&
  request.lane.callers === 1 &&
  !told.isBan &&
  request.connection !== told.connection &&
  request.arrivedAtMs - told.answeredAtMs < soonMs;

const soonMs = 500;

const callers =
  ' If these are several callers that share nothing, say so: client.parallel in the scenario, or X-Sim-Call.';

function describe({ told, request, earlyMs: byMs }: EarlyRequest, early: readonly EarlyRequest[]) {
  const again = early.some((each) => each.request.isRefused || each.request.status === 503);
  const header = promiseOf(told);
  const allowedMs =
    told.retryAfterMs === undefined ? byMs : told.answeredAtMs + told.retryAfterMs - request.arrivedAtMs;
  const isAfterReset = earlyMs(told, request) !== byMs;
  const upTo = early.length > 1 ? 'up to ' : '';
  const isRounded = told.isRefused && early.every((each) => each.earlyMs < 1_000 && each.request.status < 400);
  const saved = isRounded ? 'It was served, because waits are rounded up to whole seconds. ' : '';
  // Of calls side by side nobody knows which refusal each came back from, so that the waits are at most so long.
  const isKnown = early.every(isCertain);
  return finding(
    'early-retry',
    again ? 'fail' : 'warn',
    early.map((each) => each.request),
    {
      measured: `${isKnown ? '' : 'at most '}${span(request.arrivedAtMs - told.answeredAtMs)} waited`,
      allowed: allowedBy(told, isAfterReset),
      text: `Came back ${upTo}${span(allowedMs)} before ${header}${told.isBan ? ' of the ban' : ''} allowed${isKnown ? `, ${describeWaits(early)}` : ''}. ${saved}${isAfterReset ? earlierReset : ''}${advice(told, header)}${early.some(isOnAnother) ? callers : ''}`,
    },
  );
}

const earlierReset = 'X-RateLimit-Reset lay earlier, and the client was refused again after it. ';

const promiseOf = ({ retryAfterMs }: JudgedRequest) =>
  retryAfterMs === undefined ? 'X-RateLimit-Reset' : 'Retry-After';

/** Either promise would do: what each asked for, where they differ by more than a moment. */
function allowedBy({ answeredAtMs, retryAfterMs, resetMs }: JudgedRequest, isAfterReset: boolean): string {
  const untilResetMs = resetMs === undefined ? undefined : resetMs - answeredAtMs;
  if (retryAfterMs === undefined) return `at least ${span(untilResetMs ?? 0)}`;
  const differs = untilResetMs !== undefined && !isAfterReset && retryAfterMs - untilResetMs >= 100;
  const orReset = differs ? `, or ${span(untilResetMs)} until X-RateLimit-Reset` : '';
  return `at least ${span(retryAfterMs)}${orReset}`;
}

function advice(told: JudgedRequest, header: string): string {
  if (told.isBan) return 'A ban ends no sooner for being asked: send nothing with this key until then.';
  if (header === 'X-RateLimit-Reset') {
    return `Without Retry-After, wait until X-RateLimit-Reset: ${describeReset(told)}.`;
  }
  if (isRetryDate(told)) {
    return `Retry-After was a date, ${told.headers[retryAfterHeader]}: wait until then, and add random time on top of it, never below.`;
  }
  return 'Wait at least as long as Retry-After says, and add random time on top of it, never below.';
}

/** A client that has ended after a refusal has obeyed too, where no call was refused twice: that may have been a retry. */
const hasStopped = ({ isOver, end, episodes }: Run) =>
  isOver &&
  !end?.isInterrupted &&
  episodes.some(({ refusals }) => new Set(refusals.map(({ fingerprint }) => fingerprint)).size === refusals.length);

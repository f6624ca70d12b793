import { finding, span, type WireRule } from '../finding.js';
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
 * because promises are whole seconds, it is warned.
 */
export const earlyRetry: WireRule = {
  needs: 'wire',
  judge(run) {
    const early = run.episodes.map(({ requests }) => earlyAfter(requests, toldOf));
    const outages = earlyAfter(run.requests, ({ triedAfterOutage }) => triedAfterOutage);
    const findings = [...early.map(outsideBans), outages].flatMap((found) => {
      const [first] = found;
      if (first === undefined) return [];
      const worst = found.reduce((most, each) => (each.earlyMs > most.earlyMs ? each : most), first);
      return [describe(worst, found)];
    });
    const cameBack = run.requests.some(
      (request) => toldOf(request) !== undefined || request.triedAfterOutage !== undefined,
    );
    return { exercised: cameBack || hasStopped(run), findings };
  },
};

/** The refusal that a request is measured by. */
function toldOf({ lane, call, told, triedAfter }: JudgedRequest): JudgedRequest | undefined {
  const isOtherCall = call !== undefined && told?.call !== undefined && told.call !== call;
  return lane.isOneThread && !isOtherCall ? told : triedAfter;
}

/** @param toldOf gives the answer that a request is measured by */
function earlyAfter(
  requests: readonly JudgedRequest[],
  toldOf: (request: JudgedRequest) => JudgedRequest | undefined,
): EarlyRequest[] {
  const found: EarlyRequest[] = [];
  for (const request of requests) {
    const told = toldOf(request);
    const early = told && earlyMs(told, request);
    if (told !== undefined && early !== undefined && early > toleranceMs) found.push({ told, request, earlyMs: early });
  }
  return found;
}

/** What comes within a ban is for ban-hammered, unless it is all there was. */
function outsideBans(early: EarlyRequest[]): EarlyRequest[] {
  const outside = early.filter(({ told }) => !told.isBan);
  return outside.length > 0 ? outside : early;
}

function describe({ told, request, earlyMs: byMs }: EarlyRequest, early: readonly EarlyRequest[]) {
  const again = early.some((each) => each.request.isRefused || each.request.status === 503);
  const header = promiseOf(told);
  const allowedMs =
    told.retryAfterMs === undefined ? byMs : told.answeredAtMs + told.retryAfterMs - request.arrivedAtMs;
  const upTo = early.length > 1 ? 'up to ' : '';
  const isRounded = early.every((each) => each.earlyMs < 1_000 && each.request.status < 400);
  const saved = isRounded ? 'It was served, because waits are rounded up to whole seconds. ' : '';
  return finding(
    'early-retry',
    again ? 'fail' : 'warn',
    early.map((each) => each.request),
    {
      measured: `${span(request.arrivedAtMs - told.answeredAtMs)} waited`,
      allowed: allowedBy(told),
      text: `Came back ${upTo}${span(allowedMs)} before ${header}${told.isBan ? ' of the ban' : ''} allowed, ${describeWaits(early)}. ${saved}${advice(told, header)}`,
    },
  );
}

const promiseOf = ({ retryAfterMs }: JudgedRequest) =>
  retryAfterMs === undefined ? 'X-RateLimit-Reset' : 'Retry-After';

/** Either promise would do: what each asked for, where they differ by more than a moment. */
function allowedBy({ answeredAtMs, retryAfterMs, resetMs }: JudgedRequest): string {
  const untilResetMs = resetMs === undefined ? undefined : resetMs - answeredAtMs;
  if (retryAfterMs === undefined) return `at least ${span(untilResetMs ?? 0)}`;
  const differs = untilResetMs !== undefined && retryAfterMs - untilResetMs >= 100;
  const orReset = differs ? `, or ${span(untilResetMs)} until X-RateLimit-Reset` : '';
  return `at least ${span(retryAfterMs)}${orReset}`;
}

function advice({ isBan }: JudgedRequest, header: string): string {
  if (isBan) return 'A ban ends no sooner for being asked: send nothing with this key until then.';
  if (header === 'X-RateLimit-Reset') return 'Without Retry-After, wait until X-RateLimit-Reset.';
  return 'Wait at least as long as Retry-After says, and add random time on top of it, never below.';
}

/** A client that has ended after a refusal has obeyed too, where no call was refused twice: that may have been a retry. */
const hasStopped = ({ isOver, episodes }: Run) =>
  isOver &&
  episodes.some(({ refusals }) => new Set(refusals.map(({ fingerprint }) => fingerprint)).size === refusals.length);

import { formatDuration } from '../../values/format-duration.js';
import { finding, type WireRule } from '../finding.js';
import { type JudgedRequest, type RefusalEpisode, waitedMs } from '../run.js';

const minimumMs = 10_000;
const share = 0.5;
/**
 * Minimum lateness of a retry for which the judge suspects a wait a thousand times too long (a wrong unit). A client
 * that is less late may just have had nothing to send.
 */
const minimumUnitErrorLateMs = 600_000;
/**
 * Minimum wait of a client (300 days), from which the judge concludes that the client used a Unix time as a duration.
 */
const minimumUnixTimeWaitMs = 300 * 86_400_000;
/**
 * Maximum relative difference between a client's wait and the Unix time that the client apparently used as the wait;
 * 0.01 is one percent.
 */
const unitShare = 0.01;
/** Growth of a client's waits by doubling, with a tenth for jitter. */
const doubling = 2.2;
/** Maximum growth of a client's waits that counts as its own backoff, per refusal. */
const maximumGrowth = 10;
/**
 * Maximum lateness of a retry that the judge accepts as exponential backoff. After repeated refusals, a backoff that
 * doubles each wait makes retries late.
 */
const longestBackoffMs = 60_000;

/**
 * Time by which a retry may be late after the required wait: the client may have other work, or its own backoff. Twice
 * the wait before the refused request is allowed, because the document asks for exponential backoff.
 */
export function patienceMs(refusal: JudgedRequest): number {
  const { deadlineMs = refusal.answeredAtMs, answeredAtMs } = refusal;
  const askedMs = deadlineMs - answeredAtMs;
  return Math.max(minimumMs, askedMs * share, doubling * lastWaitMs(refusal) - askedMs);
}

/** The client's own wait before a request that was refused again; 0 for the first of a series. */
const lastWaitMs = (refusal: JudgedRequest) =>
  refusal.lastRefusalRead === undefined ? 0 : waitedMs(refusal.lastRefusalRead, refusal);

/** Rule: finds retries that come much later than the required wait. */
export const overslept: WireRule = {
  needs: 'wire',
  restsOn: ['key', 'timings'],
  words: 'waited too long',
  judge({ episodes, gaps }) {
    const afterDeadline = episodes
      .flatMap(afterDeadlineIn)
      .filter(({ refusal, request }) => !gaps?.mayInterrupt(refusal, request));
    const findings = afterDeadline.flatMap(({ request, refusal, deadlineMs, refusals }) => {
      const askedMs = deadlineMs - refusal.answeredAtMs;
      const lateMs = request.arrivedAtMs - deadlineMs;
      const backoffMs = Math.min(longestBackoffMs, Math.max(1_000, askedMs) * 2 ** refusals);
      const allowedMs = Math.max(patienceMs(refusal), refusals > 1 ? backoffMs : 0);
      if (lateMs <= allowedMs) return [];
      const lastedMs = lateMs + askedMs;
      const isSame = request.fingerprint === refusal.fingerprint;
      // A wait that continues a backoff without a maximum may be a thousand times the required one by chance.
      const isGrown = lastedMs <= maximumGrowth * lastWaitMs(refusal);
      const isThousand = !isGrown && lateMs > minimumUnitErrorLateMs && looksLikeThousand(lastedMs, refusal);
      const isUnitError = isSame && !isGrown && (isThousand || isUnixTimeWait(lastedMs, refusal));
      const advice = isThousand
        ? 'That looks like milliseconds passed to a sleep function that takes seconds.'
        : 'Check the unit of the wait, and whether a Unix time was used as a duration.';
      return [
        finding(isUnitError ? 'fail' : 'warn', [request], {
          measured: `${formatDuration(lateMs)} late`,
          allowed: formatDuration(allowedMs),
          text: isUnitError
            ? `Waited ${formatDuration(lastedMs)} instead of ${formatDuration(askedMs)}. ${advice}`
            : `Retried ${formatDuration(lateMs)} late: waited ${formatDuration(lastedMs)} instead of ${formatDuration(askedMs)}. If the client was not idle, check how it reads and rounds the wait.`,
        }),
      ];
    });
    return { exercised: afterDeadline.length > 0, findings };
  },
};

/**
 * Finds the requests that arrived at or after the retry time in the previous refusal of the API key. The client must
 * have received that refusal before it sent the request.
 */
function afterDeadlineIn({ requests }: RefusalEpisode) {
  const afterDeadline: { request: JudgedRequest; refusal: JudgedRequest; deadlineMs: number; refusals: number }[] = [];
  let refusal: JudgedRequest | undefined;
  for (const [refusals, request] of requests.entries()) {
    const deadlineMs = refusal?.deadlineMs;
    if (
      refusal !== undefined &&
      request.lastRefusalRead === refusal &&
      deadlineMs !== undefined &&
      request.arrivedAtMs >= deadlineMs
    )
      afterDeadline.push({ request, refusal, deadlineMs, refusals });
    // After a 5xx, the client waits for its own backoff.
    refusal = request.isRefused ? request : undefined;
  }
  return afterDeadline;
}

/**
 * Whether the client waited about 1,000 times as long as Retry-After (990 to 1,105 times, to allow for a random
 * addition). Milliseconds were probably passed to a function that takes seconds.
 */
function looksLikeThousand(waitedMs: number, { retryAfterMs }: JudgedRequest): boolean {
  const ratio = waitedMs / (retryAfterMs ?? Number.NaN);
  return ratio >= 990 && ratio <= 1_105;
}

const isNear = (ms: number, otherMs: number) => Math.abs(ms / otherMs - 1) <= unitShare;

/**
 * Whether the client used a Unix time as the length of its wait, such as X-RateLimit-Reset, in seconds or milliseconds.
 */
const isUnixTimeWait = (waitedMs: number, { answeredAtMs }: JudgedRequest) =>
  waitedMs >= minimumUnixTimeWaitMs || isNear(waitedMs, answeredAtMs / 1_000);

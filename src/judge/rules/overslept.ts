import { finding, span, type WireRule } from '../finding.js';
import type { Episode, JudgedRequest } from '../run.js';

const leastMs = 10_000;
const share = 0.5;
/** A wait of a thousand times that is at least this long is a mistake of units; what else is long may have been idle. */
const leastUnitErrorMs = 600_000;
/** Whoever waits for years has taken a date for a wait: nobody asks that seldom. */
const leastDateMs = 300 * 86_400_000;
/** How far such a wait may be from the number that it was taken from. */
const unitShare = 0.01;
/** Up to here a client may double its wait after each refusal, from a second on. */
const longestBackoffMs = 60_000;

/** How late a client may be before it counts as late: its own backoff, and what it was busy with. */
export const patienceMs = ({ deadlineMs = 0, answeredAtMs }: JudgedRequest) =>
  Math.max(leastMs, (deadlineMs - answeredAtMs) * share);

/** The first request after a deadline, served or not, comes much later than it could. */
export const overslept: WireRule = {
  needs: 'wire',
  judge({ episodes }) {
    const woken = episodes.flatMap(wokenIn);
    const findings = woken.flatMap(({ request, refusal, deadlineMs, refusals }) => {
      const askedMs = deadlineMs - refusal.answeredAtMs;
      const lateMs = request.arrivedAtMs - deadlineMs;
      const backoffMs = Math.min(longestBackoffMs, Math.max(1_000, askedMs) * 2 ** refusals);
      const allowedMs = Math.max(patienceMs(refusal), refusals > 1 ? backoffMs : 0);
      if (lateMs <= allowedMs) return [];
      const waitedMs = lateMs + askedMs;
      const isSame = request.fingerprint === refusal.fingerprint;
      const isThousand = lateMs > leastUnitErrorMs && looksLikeThousand(waitedMs, refusal);
      const isUnitError = isSame && (isThousand || isDate(waitedMs, refusal));
      const advice = isThousand
        ? 'That looks like milliseconds handed to a sleep that takes seconds.'
        : 'Check the unit of the wait, and whether a Unix time was taken for seconds.';
      return [
        finding('overslept', isUnitError ? 'fail' : 'warn', [request], {
          measured: `${span(lateMs)} late`,
          allowed: span(allowedMs),
          text: isUnitError
            ? `Waited ${span(waitedMs)} where ${span(askedMs)} was asked for. ${advice}`
            : `Came back ${span(lateMs)} later than it could: it waited ${span(waitedMs)}, and ${span(askedMs)} was asked for. If it was not idle, look for a wait that is read or rounded wrongly.`,
        }),
      ];
    });
    return { exercised: woken.length > 0, findings };
  },
};

/** The requests that came after the deadline of the refusal right before them. */
function wokenIn({ requests }: Episode) {
  const woken: { request: JudgedRequest; refusal: JudgedRequest; deadlineMs: number; refusals: number }[] = [];
  let refusal: JudgedRequest | undefined;
  for (const [refusals, request] of requests.entries()) {
    const deadlineMs = refusal?.deadlineMs;
    if (
      refusal !== undefined &&
      request.lastRefusalRead === refusal &&
      deadlineMs !== undefined &&
      request.arrivedAtMs >= deadlineMs
    )
      woken.push({ request, refusal, deadlineMs, refusals });
    refusal = request;
  }
  return woken;
}

/** With some time added at random, which was taken a thousand times, too. */
function looksLikeThousand(waitedMs: number, { retryAfterMs }: JudgedRequest): boolean {
  const ratio = waitedMs / (retryAfterMs ?? Number.NaN);
  return ratio >= 990 && ratio <= 1_105;
}

const isNear = (ms: number, otherMs: number) => Math.abs(ms / otherMs - 1) <= unitShare;

/** Whether a Unix time, as every answer has one in X-RateLimit-Reset, was waited for: its seconds as such, or as milliseconds. */
const isDate = (waitedMs: number, { answeredAtMs }: JudgedRequest) =>
  waitedMs >= leastDateMs || isNear(waitedMs, answeredAtMs / 1_000);

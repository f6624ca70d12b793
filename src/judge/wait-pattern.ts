import { formatDuration, formatTimes } from './finding.js';
import { retryAfterFormOf } from './promises.js';
import { type JudgedRequest, waitedMs } from './run.js';

/** Maximum delay of `setTimeout`, in milliseconds. `setTimeout` with a longer delay fires at once. */
const longestTimerMs = 2 ** 31 - 1;
const hourMs = 3_600_000;
const thousandth = 'seconds passed to a timer that takes milliseconds';
/**
 * Minimum Retry-After, in milliseconds, for which an immediate retry may be a unit mistake: seconds passed to a timer
 * that takes milliseconds. With a shorter Retry-After, the mistaken wait is under 5 ms, which looks like no wait.
 */
const minimumThousandthMs = 5_000;
/** Maximum time between a response and the next request that counts as a retry without a wait, in milliseconds. */
const atOnceMs = 20;
/** Maximum delay of a client's timer that the judge tolerates when it compares waits, in milliseconds. */
const timerToleranceMs = 80;
const truncated = 'a truncated fraction of a second';

/** A client's wait: the response that required it, and the request that ended it. */
interface Wait {
  response: JudgedRequest;
  request: JudgedRequest;
}

/** Describes the client's waits before retries that were too early, with the likely mistake in its code. */
export function describeWaits(early: readonly Wait[]): string {
  const waits = early.map(({ response, request }) => waitedMs(response, request));
  const mistake = guess(early, waits);
  const looksLike = mistake === undefined ? '' : `: looks like ${mistake}`;
  const isInRow = early.every(({ response }, index) => index === 0 || response === early[index - 1]?.request);
  const often = waits.length === 1 ? '' : `${formatTimes(waits.length)} ${isInRow ? 'in a row ' : ''}`;
  if (waits.every((ms) => ms <= atOnceMs)) return `${often}without any wait${looksLike}`;
  const shared = sharedWait(waits);
  if (shared !== undefined) return `${often}after exactly ${formatDuration(shared)}${looksLike}`;
  const shown = waits.slice(0, 6).map((ms) => formatDuration(ms));
  const more = waits.length > shown.length ? ` and ${waits.length - shown.length} more` : '';
  return `after ${shown.join(', ')}${more}${looksLike}`;
}

function guess(early: readonly Wait[], waits: readonly number[]): string | undefined {
  const asked = early.map(({ response }) => response.retryAfterMs);
  if (waits.every((waitMs, index) => isThousandth(waitMs, asked[index]))) return thousandth;
  if (waits.every((waitMs, index) => isTruncatedRetryAfter(waitMs, asked[index]))) return truncated;
  if (waits.every((ms) => ms <= atOnceMs)) {
    if (early.some(({ response }) => retryAfterFormOf(response) === 'date')) return 'an HTTP date read as a number';
    if (asked.some((ms) => ms !== undefined && ms > longestTimerMs)) return 'a wait longer than the maximum of a timer';
    if (asked.includes(undefined)) return 'a missing Retry-After read as 0';
    const isMaybeThousandth = asked.every(
      (ms) => ms !== undefined && ms / 1000 <= atOnceMs && ms >= minimumThousandthMs,
    );
    return `a Retry-After that was not read${isMaybeThousandth ? `, or ${thousandth}` : ''}`;
  }
  const shared = sharedWait(waits);
  if (shared === undefined) {
    const ignored = asked.some((ms) => ms !== undefined) ? 'Retry-After' : 'the reset time';
    return isGrowing(waits) ? `a backoff that ignores ${ignored}` : undefined;
  }
  if (
    shared % 60_000 === 0 &&
    early.some(({ response }) => (response.deadlineMs ?? 0) - response.answeredAtMs > hourMs)
  )
    return 'the wait for the minute limit';
  return shared >= 5_000
    ? `a cap of ${whole(shared)}${shareOfRetryAfter(shared, asked)}`
    : `a fixed wait of ${whole(shared)}`;
}

/**
 * Returns a text such as `, or 50 % of Retry-After` if the client waited exactly 50, 60, 70, 80 or 90 % of Retry-After.
 * Returns an empty text for other waits, and if the Retry-After values differ.
 */
function shareOfRetryAfter(waitMs: number, asked: readonly (number | undefined)[]): string {
  const [askedMs = 0] = asked;
  const percent = (100 * waitMs) / askedMs;
  return asked.every((ms) => ms === askedMs) && percent >= 50 && percent % 10 === 0
    ? `, or ${percent} % of Retry-After`
    : '';
}

/**
 * Returns the wait before a client's early retries (before the end of the required wait), in milliseconds. Rounded to
 * half seconds below 5 s, otherwise to whole seconds. `undefined` if the waits differ, or are not close to a rounded
 * value.
 */
function sharedWait(waits: readonly number[]): number | undefined {
  const mean = waits.reduce((sum, ms) => sum + ms, 0) / waits.length;
  const step = mean < 5_000 ? 500 : 1_000;
  const round = Math.round(mean / step) * step;
  return round > 0 && waits.every((ms) => isAbout(ms, round)) ? round : undefined;
}

const isThousandth = (waitMs: number, askedMs: number | undefined) =>
  askedMs !== undefined && askedMs / 1000 > atOnceMs && Math.abs(waitMs - askedMs / 1000) <= 16;

/**
 * Whether a client's wait is about as long as Retry-After without its fraction, such as 1 s for 1.5 s. Such a client
 * probably read the decimal number as a whole number.
 */
function isTruncatedRetryAfter(waitMs: number, askedMs = 0): boolean {
  const wholeMs = Math.floor(askedMs / 1000) * 1000;
  return wholeMs > 0 && askedMs > wholeMs && isAbout(waitMs, wholeMs);
}

const isAbout = (waitMs: number, ms: number) => waitMs >= ms - atOnceMs && waitMs <= ms + timerToleranceMs;

const isGrowing = (waits: readonly number[]) =>
  waits.length > 1 && waits.every((ms, index) => index === 0 || ms >= 1.3 * (waits[index - 1] ?? 0));

const whole = (ms: number) => `${ms / 1000} s`;

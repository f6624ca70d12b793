import { rateLimitHeaders } from '../../rate-limits/header-names.js';
import { finding, formatTimes, type WireRule } from '../finding.js';
import { type JudgedRequest, toleranceOf, waitedMs } from '../run.js';

/**
 * Rule: praises clients that pause when X-RateLimit-Remaining is 0 until the limit resets, so that no request is
 * refused.
 */
export const proactive: WireRule = {
  needs: 'wire',
  restsOn: ['key', 'timings'],
  words: 'paused before the limit',
  isConclusive: true,
  judge({ requests, gaps }) {
    const paused: JudgedRequest[] = [];
    /** For each API key, the latest request whose response had X-RateLimit-Remaining 0. */
    const emptied = new Map<string | undefined, JudgedRequest>();
    for (const next of requests) {
      const last = emptied.get(next.token);
      if (last !== undefined) {
        emptied.delete(next.token);
        if (isAfterReset(last, next) && !gaps?.mayInterrupt(last, next)) paused.push(last);
      }
      if (isEmpty(next)) emptied.set(next.token, next);
    }
    const praise = finding('praise', paused, {
      measured: `${formatTimes(paused.length)} at 0`,
      allowed: 'any',
      text: 'Paused at Remaining 0 until the reset, and avoided a refusal.',
    });
    return { exercised: paused.length > 0, findings: paused.length > 0 ? [praise] : [] };
  },
};

/** Whether a successful response left no requests. Other fields are read only if the usual header does not decide. */
const isEmpty = (request: JudgedRequest) =>
  !request.isRefused &&
  request.status < 400 &&
  (request.headers[rateLimitHeaders.remaining] ?? '0') === '0' &&
  request.told.remaining === 0;

/**
 * Minimum pause that counts as waiting for the reset of the limit. A shorter time may be the client's usual delay
 * between requests.
 */
const minimumPauseMs = 500;

const isAfterReset = (last: JudgedRequest, next: JudgedRequest) =>
  next.id > last.lastArrivedId &&
  !next.isRefused &&
  next.status < 400 &&
  waitedMs(last, next) >= minimumPauseMs &&
  next.arrivedAtMs >= (last.told.reset?.untilMs ?? Number.POSITIVE_INFINITY) - toleranceOf(last, next);

import { rateLimitHeaders } from '../../contract/document.js';
import { counted } from '../../values/counted.js';
import { finding, type WireRule } from '../finding.js';
import { readReset } from '../promises.js';
import { type JudgedRequest, toleranceMs } from '../run.js';

/** The client reads Remaining: at 0 it pauses until the window resets, and is never refused for it. */
export const proactive: WireRule = {
  needs: 'wire',
  judge({ requests }) {
    const paused: JudgedRequest[] = [];
    const lastOf = new Map<string | undefined, JudgedRequest>();
    for (const next of requests) {
      const last = lastOf.get(next.token);
      lastOf.set(next.token, next);
      if (last !== undefined && isEmpty(last) && isAfterReset(last, next)) paused.push(last);
    }
    if (paused.length === 0) return { exercised: false, findings: [] };
    return {
      exercised: true,
      findings: [
        finding('proactive', 'praise', paused, {
          measured: counted(paused.length, 'pause'),
          allowed: 'any',
          text: 'Paused by itself when X-RateLimit-Remaining reached 0, and was served after the reset without a 429.',
        }),
      ],
    };
  },
};

const isEmpty = ({ status, isRefused, headers }: JudgedRequest) =>
  !isRefused && status < 400 && headers[rateLimitHeaders.remaining] === '0';

const isAfterReset = (last: JudgedRequest, next: JudgedRequest) =>
  next.id > last.lastArrivedId &&
  !next.isRefused &&
  next.arrivedAtMs >= (readReset(last) ?? Number.POSITIVE_INFINITY) - toleranceMs;

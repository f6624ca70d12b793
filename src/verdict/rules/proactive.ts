import { rateLimitHeaders } from '../../contract/document.js';
import { finding, type WireRule } from '../finding.js';
import { readReset } from '../promises.js';
import { groupBy, toleranceMs } from '../run.js';

/** The client reads Remaining: at 0 it pauses until the window resets, and is never refused for it. */
export const proactive: WireRule = {
  needs: 'wire',
  judge({ requests }) {
    const byKey = groupBy(requests, ({ token }) => token);
    const empty = requests.filter(
      ({ status, isRefused, headers }) => !isRefused && status < 400 && headers[rateLimitHeaders.remaining] === '0',
    );
    const nextOf = new Map(
      [...byKey.values()].flatMap((same) => same.map((request, index) => [request, same[index + 1]] as const)),
    );
    const paused = empty.filter((last) => {
      const next = nextOf.get(last);
      const resetMs = readReset(last) ?? Number.POSITIVE_INFINITY;
      return (
        next !== undefined &&
        next.id > last.lastArrivedId &&
        !next.isRefused &&
        next.arrivedAtMs >= resetMs - toleranceMs
      );
    });
    if (paused.length === 0) return { exercised: false, findings: [] };
    return {
      exercised: true,
      findings: [
        finding('proactive', 'praise', paused, {
          measured: `${paused.length} pause${paused.length === 1 ? '' : 's'}`,
          allowed: 'any',
          text: 'Paused by itself when X-RateLimit-Remaining reached 0, and was served after the reset without a 429.',
        }),
      ],
    };
  },
};

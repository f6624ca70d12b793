import { rateLimitHeaders } from '../interface/contract.js';
import { finding, type Rule } from './finding.js';
import { groupBy, hasRead } from './run.js';

/** The client reads Remaining: at 0 it pauses until the window resets, and is never refused for it. */
export const proactive: Rule = ({ requests }) => {
  const empty = requests.filter(
    ({ status, headers, isRefused }) => !isRefused && status < 400 && headers[rateLimitHeaders.remaining] === '0',
  );
  const byKey = groupBy(requests, ({ token }) => token);
  const paused = empty.filter((last) => {
    const next = byKey.get(last.token)?.find((request) => hasRead(last, request));
    return (
      next !== undefined && !next.isRefused && next.arrivedAtMs >= Number(last.headers[rateLimitHeaders.reset]) * 1000
    );
  });
  if (paused.length === 0) return { exercised: empty.length > 0, findings: [] };
  return {
    exercised: true,
    findings: [
      finding('proactive', 'praise', paused, {
        measured: `${paused.length} pauses`,
        allowed: 'any',
        text: 'Paused by itself when X-RateLimit-Remaining reached 0, and was served after the reset without a 429.',
      }),
    ],
  };
};

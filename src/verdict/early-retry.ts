import { finding, type Rule, span, times } from './finding.js';
import { type JudgedRequest, lastRead, toleranceMs } from './run.js';

/** A request that comes back before the answer to an earlier try allowed it. */
export const earlyRetry: Rule = ({ episodes }) => {
  const findings = episodes.flatMap(({ requests, refusals }) => {
    const early = requests.flatMap((request) => {
      const same = refusals.filter(({ fingerprint }) => fingerprint === request.fingerprint);
      const read = lastRead(same, request);
      if (read?.deadlineMs === undefined) return [];
      const byMs = read.deadlineMs - request.arrivedAtMs;
      return byMs > toleranceMs ? [{ request, byMs, gapMs: request.arrivedAtMs - read.answeredAtMs }] : [];
    });
    const [worst] = [...early].sort((a, b) => b.byMs - a.byMs);
    if (worst === undefined) return [];
    const cap = commonGap(early.map(({ gapMs }) => gapMs));
    const looksLike =
      cap === undefined
        ? ''
        : `, ${times(early.length)} after ${span(cap)}: looks like a cap or a fixed wait of ${span(cap)}`;
    return [
      finding(
        'early-retry',
        'fail',
        early.map(({ request }): JudgedRequest => request),
        {
          measured: `${span(worst.byMs)} too early${early.length > 1 ? ` (the worst of ${early.length})` : ''}`,
          allowed: `${toleranceMs} ms`,
          text: `Came back ${span(worst.byMs)} before Retry-After or X-RateLimit-Reset allowed${looksLike}. Wait at least as long as Retry-After says.`,
        },
      ),
    ];
  });
  return { exercised: episodes.some(({ requests }) => requests.length > 1), findings };
};

/** The wait that all tries share, when they do within a tenth and it is a round number of seconds. */
function commonGap(gapsMs: readonly number[]): number | undefined {
  const first = gapsMs[0] ?? 0;
  const round = Math.round(first / 1000) * 1000;
  const isShared = gapsMs.every((gap) => Math.abs(gap - first) <= Math.max(100, first / 10));
  return round > 0 && isShared && Math.abs(first - round) <= 300 ? round : undefined;
}

import { finding, type Rule, span } from '../finding.js';
import { type Retry, retriesOf } from '../retries.js';
import { type Run, toleranceMs } from '../run.js';
import { describeWaits } from '../wait-pattern.js';

/** A call comes back before the answer to its last try allowed it. */
export const earlyRetry: Rule = (run) => {
  const retries = run.episodes.map(({ requests }) => retriesOf(requests));
  const findings = retries.flatMap((all) => {
    // Within a ban another rule speaks, unless the ban is all there was.
    const everyEarly = all.filter(isEarly);
    const outsideBans = everyEarly.filter(({ refusal }) => refusal.refusal !== 'ban');
    const early = outsideBans.length > 0 ? outsideBans : everyEarly;
    const [worst] = [...early].sort((a, b) => (b.earlyMs ?? 0) - (a.earlyMs ?? 0));
    if (worst === undefined) return [];
    const { refusal, earlyMs = 0, waitMs } = worst;
    const upTo = early.length > 1 ? 'up to ' : '';
    return [
      finding(
        'early-retry',
        'fail',
        early.map(({ request }) => request),
        {
          measured: `${span(waitMs)} waited`,
          allowed: `at least ${span(waitMs + earlyMs)}`,
          text: `Came back ${upTo}${span(earlyMs)} before ${promiseOf(worst)} allowed, ${describeWaits(early)}. ${advice(refusal.refusal === 'ban')}`,
        },
      ),
    ];
  });
  return { exercised: retries.some((all) => all.length > 0) || hasGivenUp(run), findings };
};

const isEarly = ({ earlyMs }: Retry) => (earlyMs ?? 0) > toleranceMs;

function promiseOf({ refusal: { refusal, retryAfterMs } }: Retry): string {
  const header = retryAfterMs === undefined ? 'X-RateLimit-Reset' : 'Retry-After';
  return refusal === 'ban' ? `${header} of the ban` : header;
}

const advice = (isBan: boolean) =>
  isBan
    ? 'A ban ends no sooner for being asked: send nothing with this key until then.'
    : 'Wait at least as long as Retry-After says, and back off on top of it.';

/** A client that has ended after a refusal has obeyed too, where no call was refused twice: that may have been a retry. */
const hasGivenUp = ({ isOver, episodes }: Run) =>
  isOver &&
  episodes.some(({ refusals }) => new Set(refusals.map(({ fingerprint }) => fingerprint)).size === refusals.length);

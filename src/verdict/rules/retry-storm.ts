import { finding, type Rule, span, target } from '../finding.js';
import { groupBy, type JudgedRequest, retriesOf } from '../run.js';

const mostAttempts = 6;

/** One call is tried too often: usually a retry inside a retry. */
export const retryStorm: Rule = ({ episodes }) => {
  const calls = episodes.flatMap(({ requests }) => [...groupBy(requests, ({ fingerprint }) => fingerprint).values()]);
  const findings = calls.flatMap((tries) => {
    const [first] = tries;
    const attempts = attemptsOf(tries);
    if (first === undefined || attempts <= mostAttempts) return [];
    const lastedMs = (tries.at(-1)?.arrivedAtMs ?? 0) - first.arrivedAtMs;
    return [
      finding('retry-storm', 'fail', tries, {
        measured: `${attempts} attempts`,
        allowed: `${mostAttempts} attempts`,
        text: `${target(first)} was tried ${attempts} times within ${span(lastedMs)} while it was refused. Bound the attempts, and retry in one layer only: retries inside retries multiply.`,
      }),
    ];
  });
  return { exercised: calls.some((tries) => attemptsOf(tries) > 1), findings };
};

/** The tries of one call; equal calls that began side by side share the tries. */
function attemptsOf(tries: readonly JudgedRequest[]): number {
  const retries = retriesOf(tries);
  return 1 + Math.ceil(retries.length / Math.max(1, tries.length - retries.length));
}

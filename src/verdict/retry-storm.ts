import { finding, type Rule, target } from './finding.js';
import { groupBy, retriesOf } from './run.js';

const mostAttempts = 6;

/** One call is tried too often: usually a retry inside a retry. */
export const retryStorm: Rule = ({ episodes }) => {
  const calls = episodes.flatMap(({ requests }) => [...groupBy(requests, ({ fingerprint }) => fingerprint).values()]);
  const findings = calls.flatMap((tries) => {
    const retries = retriesOf(tries);
    // Equal calls that began side by side share the tries.
    const callers = tries.length - retries.length;
    const attempts = 1 + Math.ceil(retries.length / callers);
    if (attempts <= mostAttempts) return [];
    return [
      finding('retry-storm', 'fail', tries, {
        measured: `${attempts} attempts`,
        allowed: `${mostAttempts} attempts`,
        text: `${target(tries[0] as (typeof tries)[number])} was tried ${attempts} times while it was refused. Bound the attempts, and retry in one layer only.`,
      }),
    ];
  });
  return { exercised: calls.some((tries) => retriesOf(tries).length > 0), findings };
};

import { finding, type Rule, times } from './finding.js';
import { groupBy, retriesOf } from './run.js';

const mostRepeats = 1;

/** A key that was refused with 401 is used again: it will not become valid by itself. */
export const retried401: Rule = ({ requests }) => {
  const unauthorized = requests.filter(({ status, refusal }) => status === 401 && refusal === undefined);
  const findings = [...groupBy(unauthorized, ({ token }) => token).values()].flatMap((same) => {
    const repeats = retriesOf(same);
    if (repeats.length <= mostRepeats) return [];
    return [
      finding('retried-401', 'fail', same, {
        measured: `${repeats.length} repeats`,
        allowed: String(mostRepeats),
        text: `The same key was sent again ${times(repeats.length)} after a 401. Stop, and report that the key is not valid; some services ban for it.`,
      }),
    ];
  });
  return { exercised: unauthorized.length > 0, findings };
};

import { finding, type Rule, times } from '../finding.js';
import { groupBy, retriesOf } from '../run.js';

const mostRepeats = 1;

/** A key that was refused with 401 is used again: it will not become valid by itself. */
export const retried401: Rule = ({ requests }) => {
  const unauthorized = requests.filter(({ status, refusal }) => status === 401 && refusal === undefined);
  const findings = [...groupBy(unauthorized, ({ token }) => token).entries()].flatMap(([token, same]) => {
    const repeats = retriesOf(same);
    const [first] = same;
    if (first === undefined || repeats.length <= mostRepeats) return [];
    const sent = token === undefined ? 'No key' : 'The same key';
    return [
      finding('retried-401', 'fail', [first, ...repeats.filter((each) => each !== first)], {
        measured: `${repeats.length} repeats`,
        allowed: `${mostRepeats} repeat`,
        text: `${sent} was sent again ${times(repeats.length)} after a 401. Waiting does not make a key valid: stop, and report it; some services ban for it.`,
      }),
    ];
  });
  return { exercised: unauthorized.length > 0, findings };
};

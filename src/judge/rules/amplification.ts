import { amplificationOf } from '../amplification.js';
import { finding, type WireRule } from '../finding.js';

/**
 * Rule: finds clients that send more requests per call than the scenario allows, as a fleet without a retry budget does
 * while a service fails. Exercised only in scenarios that state a maximum.
 */
export const amplification: WireRule = {
  needs: 'wire',
  restsOn: ['key', 'timings', 'request body'],
  words: 'multiplied its requests',
  isConclusive: true,
  alwaysFails: true,
  judge(run) {
    const {
      requests,
      expect: { amplification: most },
    } = run;
    if (most === undefined || requests.length === 0) return { exercised: false, findings: [] };
    const { overall, worstSecond } = amplificationOf(run);
    const findings =
      overall <= most
        ? []
        : [
            finding('fail', requests, {
              measured: `${overall} requests per call`,
              allowed: `${most} requests per call`,
              text: `The client sent ${overall} requests per call, in the worst second ${worstSecond}. Limit the retries of all calls together: a retry budget stops them while most calls fail.`,
            }),
          ];
    return {
      exercised: requests.some(({ isRefused, status }) => isRefused || status === 0 || status >= 500),
      findings,
    };
  },
};

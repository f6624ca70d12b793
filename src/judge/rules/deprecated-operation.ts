import { getPetRemovedAtMs } from '../../petstore/document.js';
import { pluralize } from '../../values/pluralize.js';
import { finding, formatTimes, type WireRule } from '../finding.js';

/**
 * Rule: finds requests for getPet. "Deprecated: scheduled for removal on 5 December 2030. The replacement is GET /pets
 * with the status filter."
 */
export const deprecatedOperation: WireRule = {
  needs: 'wire',
  judge({ requests }) {
    const used = requests.filter(({ operation }) => operation === 'getPet');
    const [first] = used;
    if (first === undefined) return { exercised: false, findings: [] };
    const isRemoved = used.some(({ arrivedAtMs }) => arrivedAtMs >= getPetRemovedAtMs);
    const until = isRemoved ? 'It was removed on 5 December 2030' : 'It will be removed on 5 December 2030';
    return {
      exercised: true,
      findings: [
        finding('deprecated-operation', isRemoved ? 'warn' : 'info', used, {
          measured: pluralize(used.length, 'request'),
          allowed: 'none after 5 December 2030',
          text: `GET /pets/{petId} was used ${formatTimes(used.length)}. ${until}; use GET /pets with the status filter.`,
        }),
      ],
    };
  },
};

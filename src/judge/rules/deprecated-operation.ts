import { formatDay } from '../../values/format-day.js';
import { pluralize } from '../../values/pluralize.js';
import { finding, formatTimes, type WireRule } from '../finding.js';

/** Rule: finds requests for deprecated operations, with one finding for each operation. */
export const deprecatedOperation: WireRule = {
  needs: 'wire',
  restsOn: [],
  words: 'used a deprecated operation',
  judge({ requests, deprecations = {} }) {
    const findings = Object.entries(deprecations).flatMap(([name, { target, removedAtMs, use }]) => {
      const used = requests.filter(({ operation }) => operation === name);
      if (used.length === 0) return [];
      const removedOn = formatDay(removedAtMs);
      const isRemoved = used.some(({ arrivedAtMs }) => arrivedAtMs >= removedAtMs);
      const until = `It ${isRemoved ? 'was' : 'will be'} removed on ${removedOn}`;
      return finding(isRemoved ? 'warn' : 'info', used, {
        measured: pluralize(used.length, 'request'),
        allowed: `none after ${removedOn}`,
        text: `${target} was used ${formatTimes(used.length)}. ${until}; use ${use}.`,
      });
    });
    return { exercised: findings.length > 0, findings };
  },
};

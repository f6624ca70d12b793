import { finding, type Rule, times } from './finding.js';

/** "Deprecated: scheduled for removal on 5 December 2030. The replacement is GET /pets with the status filter." */
export const deprecatedOperation: Rule = ({ requests }) => {
  const used = requests.filter(({ operation }) => operation === 'getPet');
  if (used.length === 0) return { exercised: false, findings: [] };
  return {
    exercised: true,
    findings: [
      finding('deprecated-operation', 'info', used, {
        measured: `${used.length} requests`,
        allowed: 'none after 5 December 2030',
        text: `getPet was used ${times(used.length)}. It will be removed on 5 December 2030; use GET /pets with the status filter.`,
      }),
    ],
  };
};

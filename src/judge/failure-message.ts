import { pluralize } from '../values/pluralize.js';
import type { Verdict } from './judge-run.js';
import { busyMark } from './lag.js';
import { describeRemedy } from './report/wording.js';
import { formatRequestIds, selectFindings } from './select-findings.js';

// Failure messages of test matchers, built from a verdict.

/**
 * Formats findings for a test's failure message, one per line with the ids of the requests.
 * Of similar findings, only the first three are listed; the others are counted.
 */
export const describeFindings = (findings: Verdict['findings']) =>
  selectFindings(findings)
    .map(({ finding, hidden }) => {
      const more = hidden.length > 0 ? `\n  and ${hidden.length} more of ${finding.code}` : '';
      return `\n  ${finding.code}: ${finding.text} (${formatRequestIds(finding)})${more}`;
    })
    .join('');

/**
 * Formats the message of a failed expectation about a client: the expected behavior, the verdict's reason, failed
 * findings, the remedies and counts of requests.
 */
export const describeBehavior = (verdict: Verdict, expected = 'had behaved'): string => {
  const failed = verdict.findings.filter(({ severity }) => severity === 'fail');
  return `expected that the client ${expected}. ${verdict.reason}${describeFindings(failed)}${describeRemedies(verdict)}${describeLag(verdict)}\n${describeCounts(verdict)}`;
};

/** Formats the settings of the client's libraries that end its findings, one per line. */
export const describeRemedies = ({ remedies = [] }: Verdict) =>
  remedies.map((remedy) => `\n  ${describeRemedy(remedy)}`).join('');

/** Formats the advice for a verdict that a lag of the machine could have changed; empty for another one. */
export const describeLag = ({ lagMs }: Verdict) =>
  lagMs === undefined ? '' : `\n  ${busyMark(lagMs)}: run the test again, alone`;

export const describeCounts = ({ scenario, counts: { requests, served, refused, banned } }: Verdict) =>
  `  scenario ${scenario}: ${pluralize(requests, 'request')}, ${served} served, ${refused} refused, ${banned} of them by a ban`;

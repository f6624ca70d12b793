import { counted } from '../values/counted.js';
import { fewFindings, requestsOf } from './few-findings.js';
import type { Verdict } from './judge-run.js';

// How a failed test tells of a verdict.

/** A finding a line, each with what to do about it. */
export const evidence = (findings: Verdict['findings']) =>
  fewFindings(findings)
    .map(({ finding, hidden }) => {
      const more = hidden.length > 0 ? `\n  and ${hidden.length} more of ${finding.code}` : '';
      return `\n  ${finding.code}: ${finding.text} (${requestsOf(finding)})${more}`;
    })
    .join('');

export const counts = ({ scenario, counts: { requests, served, refused, banned } }: Verdict) =>
  `  scenario ${scenario}: ${counted(requests, 'request')}, ${served} served, ${refused} refused, ${banned} of them by a ban`;

import { counted } from '../values/counted.js';
import type { Verdict } from './judge-run.js';

// How a failed test tells of a verdict.

/** One finding a line, each with what to do about it. */
export const evidence = (findings: Verdict['findings']) =>
  findings.map(({ code, text, requests }) => `\n  ${code}: ${text} (${requestList(requests)})`).join('');

/** `request 3`, `requests 3, 4 and 12 more`. */
function requestList(ids: readonly number[]): string {
  const most = 10;
  const shown = ids.slice(0, most).join(', ');
  return `${ids.length === 1 ? 'request' : 'requests'} ${shown}${ids.length > most ? ` and ${ids.length - most} more` : ''}`;
}

export const counts = ({ scenario, counts: { requests, served, refused, banned } }: Verdict) =>
  `  scenario ${scenario}: ${counted(requests, 'request')}, ${served} served, ${refused} refused, ${banned} of them by a ban`;

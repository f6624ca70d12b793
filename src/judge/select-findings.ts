import type { Finding } from './finding.js';

/**
 * Maximum number of findings that a report shows per rule and severity. A run of hours can have hundreds of similar
 * findings.
 */
const maximumShown = 3;

/** Finding that a report shows, with the similar findings that the report omits. */
export interface ShownFinding {
  finding: Finding;
  /**
   * Further findings with the same rule and severity, which the report omits. The last shown finding of a rule and
   * severity has the list; other lists are empty.
   */
  hidden: Finding[];
}

/**
 * Selects the first findings of each rule and severity, for reports that people read. Machine-readable reports contain
 * all findings.
 */
export function selectFindings(findings: readonly Finding[]): ShownFinding[] {
  const shownFindings: ShownFinding[] = [];
  for (const finding of findings) {
    const alike = shownFindings.filter(
      ({ finding: { code, severity } }) => code === finding.code && severity === finding.severity,
    );
    if (alike.length < maximumShown) shownFindings.push({ finding, hidden: [] });
    else alike.at(-1)?.hidden.push(finding);
  }
  return shownFindings;
}

/** Formats the ids of a finding's requests: `request 7`, `requests 2–4, 9 and 30 more`. */
export function formatRequestIds({ requests }: Pick<Finding, 'requests'>): string {
  const sorted = [...new Set(requests)].sort((a, b) => a - b);
  const ranges: { first: number; last: number }[] = [];
  for (const id of sorted) {
    const range = ranges.at(-1);
    if (range !== undefined && range.last === id - 1) range.last = id;
    else ranges.push({ first: id, last: id });
  }
  const shown = ranges.slice(0, 6);
  const rest = ranges.slice(6).reduce((sum, { first, last }) => sum + last - first + 1, 0);
  const text = shown.map(({ first, last }) => (first === last ? `${first}` : `${first}–${last}`)).join(', ');
  return `request${sorted.length === 1 ? '' : 's'} ${text}${rest > 0 ? ` and ${rest} more` : ''}`;
}

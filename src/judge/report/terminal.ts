import type { RequestRecord } from '../../requests/request-record.js';
import { findingCodes } from '../../scenario/finding-codes.js';
import { maskedKey } from '../../values/mask-key.js';
import { sanitizeText } from '../../values/sanitize-text.js';
import { wrap } from '../../values/wrap.js';
import { describeCost, shownCosts } from '../cost.js';
import type { Severity } from '../finding.js';
import type { Verdict } from '../judge-run.js';
import { busyMark } from '../lag.js';
import type { RunResult } from '../run-result.js';
import { formatRequestIds, selectFindings } from '../select-findings.js';
import { createFindingKeys, keyName, type NameKey } from './key-names.js';
import type { Style } from './style.js';
import { drawTerminalTimeline } from './terminal-timeline.js';
import { timelineOf } from './timeline.js';
import { countsLine, hiddenLine, remedyLines, since, untested, untestedLine } from './wording.js';

export interface TerminalOptions {
  /** Width of the report, in characters. Default 96, minimum 60. */
  columns?: number;
  /** Function that styles text. Default: no colors. */
  style?: Style;
  nameKey?: NameKey | undefined;
  /** Command that starts petstore-sim, for the advice at the end. */
  program?: string;
}

const verdictColors = { pass: 'green', fail: 'red', inconclusive: 'yellow' } as const;
const severityColors = { fail: 'red', warn: 'yellow', info: 'cyan', praise: 'green' } as const satisfies Record<
  Severity,
  string
>;

/**
 * Formats a verdict as text for a terminal, with a timeline.
 * @param entries the judged journal, in order of arrival
 */
export function terminalReport(
  entries: readonly RequestRecord[],
  verdict: Verdict | RunResult,
  { columns = 96, style = (_, text) => text, nameKey, program }: TerminalOptions = {},
): string {
  const width = Math.max(60, columns);
  const timeline = timelineOf(entries, nameKey);
  const { failures = [], about = '', headline = verdict.outcome.toUpperCase() }: Partial<RunResult> = verdict;
  const title = style('bold', style(verdictColors[failures.length > 0 ? 'fail' : verdict.outcome], headline));
  const head = [
    `${title}  ${style('bold', sanitizeText(verdict.scenario).slice(0, Math.max(16, width - headline.length - 4)))}`,
    ...wrap(sanitizeText(verdict.reason), width, 2),
    ...(verdict.lagMs === undefined
      ? []
      : wrap(busyMark(verdict.lagMs), width, 2).map((line) => style('yellow', line))),
    ...wrap(countsLine(verdict), width, 2).map((line) => style('dim', line)),
    ...failures.flatMap(({ text }) => wrap(text, width, 2).map((line) => style('red', line))),
  ];
  const costs = shownCosts(verdict.costs).flatMap((cost) => {
    const first = entries.find(({ id }) => id === cost.requests[0]) ?? { token: undefined };
    return wrap(sanitizeText(describeCost(cost, keyName(first, nameKey ?? maskedKey))), width, 2);
  });
  const picture = timeline.rows.length === 0 ? [] : ['', ...drawTerminalTimeline(timeline, width - 2, style)];
  const keysOf = createFindingKeys(entries, nameKey);
  const findings = selectFindings(verdict.findings).flatMap(({ finding, hidden }) => {
    const { code, severity, text, measured, allowed } = finding;
    const label = style('bold', style(severityColors[severity], severity.toUpperCase().padEnd(6)));
    const when = `${since(finding, timeline.startMs)}, ${formatRequestIds(finding)}`;
    const keys = sanitizeText(keysOf(finding));
    const isNamed = keys !== '' && 8 + code.length + 2 + keys.length <= width;
    const named = isNamed ? `${code}  ${keys}` : code;
    const isShort = 8 + named.length + 2 + when.length <= width;
    const more = `${isShort ? '' : `${when}; `}${measured}; allowed: ${allowed}`;
    return [
      '',
      `${label}  ${style('bold', code)}${isNamed ? `  ${keys}` : ''}${isShort ? `  ${style('dim', when)}` : ''}`,
      ...wrap(`${keys === '' || isNamed ? '' : `${keys}: `}${sanitizeText(text)}`, width, 8),
      ...wrap(sanitizeText(more), width, 8).map((line) => style('dim', line)),
      ...(hidden.length === 0 ? [] : ['', ...wrap(`${hiddenLine(hidden, timeline.startMs)}.`, width, 8)]),
    ];
  });
  const { remedies = [] } = verdict;
  const advice = remedies.flatMap((remedy) => ['', ...remedyLines(remedy, program, width)]);
  const missing = untested(verdict);
  // Omits the line of untested rules if no rule was tested, because the verdict's reason says so.
  const silent =
    missing.length === 0 || missing.length === findingCodes.length ? [] : ['', ...wrap(untestedLine(missing), width)];
  const more = [...silent, ...(about === '' ? [] : ['', ...wrap(sanitizeText(about.trim()), width, 0)])];
  return [
    ...head,
    ...costs,
    ...findings,
    ...advice,
    ...more.map((line) => style('dim', line)),
    // Last, because a terminal shows the end of a long text.
    ...picture,
    '',
  ].join('\n');
}

import type { Verdict } from '../../src/judge/judge-run.js';
import { createFindingKeys, type NameKey } from '../../src/judge/report/key-names.js';
import { type Markup, markup } from '../../src/judge/report/markup.js';
import { type Timeline, timelineOf } from '../../src/judge/report/timeline.js';
import { countsLine, hiddenLine, markNames } from '../../src/judge/report/wording.js';
import { requestKinds } from '../../src/judge/request-kind.js';
import { selectFindings } from '../../src/judge/select-findings.js';
import type { RequestRecord } from '../../src/requests/request-record.js';
import { wrap } from '../../src/values/wrap.js';
import { style, svgTimeline, symbol, timelineHeight } from './svg.js';

const width = 960;
/** Maximum length of a line of a finding, in characters. */
const lineLength = 105;

/**
 * Draws a verdict and its run as an SVG picture, for pages without HTML: the timeline and the first findings of each
 * rule.
 * @param entries judged journal, in the order of arrival
 */
export function svgReport(
  entries: readonly RequestRecord[],
  verdict: Verdict,
  { nameKey }: { nameKey?: NameKey | undefined } = {},
): string {
  const { outcome, scenario, reason } = verdict;
  const timeline = timelineOf(entries, nameKey);
  const height = timelineHeight(timeline);
  const legendY = 112 + height + 26;
  const badge = outcome.length * 8 + 24;
  let y = legendY + 36;
  const keysOf = createFindingKeys(entries, nameKey);
  const findings = selectFindings(verdict.findings).map(({ finding, hidden }) => {
    const { severity, code, text } = finding;
    const keys = keysOf(finding);
    const lines = [
      ...wrap(`${keys && `${keys}: `}${firstSentence(text)}`, lineLength),
      ...(hidden.length > 0 ? [`${hiddenLine(hidden, timeline.startMs)}.`] : []),
    ];
    const top = y;
    y += 8 + 18 * lines.length;
    const spans = lines.map(
      (line, index) => markup`<tspan x="190"${index > 0 ? markup` dy="18"` : undefined}>${line}</tspan>`,
    );
    return markup`<text x="20" y="${top}"><tspan class="${severity}">${severity.toUpperCase()}</tspan><tspan class="key" x="68">${code}</tspan>${spans}</text>\n`;
  });
  const picture = markup`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${y}" font-family="system-ui, sans-serif" font-size="14">
<title>${outcome.toUpperCase()} ${scenario}: ${reason}</title>
<style>${{ markup: style }}</style>
<rect width="100%" height="100%" rx="8" fill="var(--back)"/>
<rect class="badge ${outcome}" x="20" y="18" width="${badge}" height="26" rx="5"/><text class="on" x="${20 + badge / 2}" y="36" text-anchor="middle">${outcome.toUpperCase()}</text>
<text class="key" x="${32 + badge}" y="38" font-size="21">${scenario}</text>
<text x="20" y="68" font-size="16">${reason}</text>
<text class="quiet" x="20" y="92">${countsLine(verdict)}</text>
<svg x="20" y="112" width="${width - 40}" height="${height}" font-size="13"><title>Requests of the client over time</title>${svgTimeline(timeline)}</svg>
${legend(timeline, legendY)}
<g font-size="13">
${findings}</g>
</svg>
`;
  return picture.markup;
}

function legend({ rows }: Timeline, y: number): Markup[] {
  const used = new Set(rows.flatMap(({ marks }) => marks.map(({ kind }) => kind)));
  const bar = (kind: string) => markup`<rect class="${kind}" x="0" y="3" width="15" height="10"/>`;
  const signs: [Markup, string][] = [
    ...[...requestKinds]
      .reverse()
      .filter((kind) => used.has(kind))
      .map((kind): [Markup, string] => [markup`<g class="${kind}">${symbol(kind, 8, 8)}</g>`, markNames[kind]]),
    ...(rows.some(({ waits }) => waits.length > 0) ? [[bar('wait'), 'told to wait'] as [Markup, string]] : []),
    ...(rows.some(({ bans }) => bans.length > 0) ? [[bar('ban'), 'banned'] as [Markup, string]] : []),
  ];
  let x = 20;
  return signs.map(([sign, name]) => {
    const at = x;
    x += 16 + 6 + name.length * 7 + 26;
    return markup`<g transform="translate(${at} ${y - 13})">${sign}</g><text x="${at + 22}" y="${y}">${name}</text>\n`;
  });
}

const firstSentence = (text: string) => /^.*?[.!?](?=\s|$)/s.exec(text)?.[0] ?? text;

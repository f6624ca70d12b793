import { type Markup, markup } from '../../src/judge/report/markup.js';
import { createTimeAxis } from '../../src/judge/report/time-axis.js';
import type { Timeline, TimelineMark, TimelineRow, TimelineSpan } from '../../src/judge/report/timeline.js';
import { timeLeft } from '../../src/rate-limits/served-again.js';
import { pluralize } from '../../src/values/pluralize.js';
import { style, symbol } from './svg.js';

/** Width of a page on GitHub, in pixels. */
const width = 838;
const left = 170;
const right = 28;
const laneHeight = 98;
const barHeight = 24;
/** Width of a letter of a label, estimated, in pixels. */
const letterWidth = 8.6;

/** Text below a lane, which begins at a time. */
interface Label {
  atMs: number;
  text: string;
}

/**
 * Draws runs of clients as an SVG picture: a lane for each client on one axis, with the verdict.
 * @param timeline a row per client, with the outcome in place of the plan
 * @param sentence text below the lanes
 * @param labelsOf texts below the requests of a lane; default: what the service did
 */
export function svgLanes(timeline: Timeline, sentence: string, labelsOf = servedLabels): string {
  const axis = createTimeAxis(timeline, 9);
  const at = (share: number) => Math.round(left + share * (width - left - right));
  const x = (ms: number) => at(axis.at(ms));
  const bottom = 12 + timeline.rows.length * laneHeight;
  const lanes = timeline.rows.map((row, index) => lane(row, 12 + index * laneHeight, x, timeline.endMs, labelsOf(row)));
  const ticks = axis.ticks.map(
    (tick) =>
      markup`<line class="grid" x1="${at(tick.at)}" y1="14" x2="${at(tick.at)}" y2="${bottom}"/><text class="tick" x="${at(tick.at)}" y="${bottom + 18}">${tick.label}</text>`,
  );
  const verdicts = timeline.rows.map(({ name, plan }) => `${name} ${plan}`).join(', ');
  return markup`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${bottom + 66}" font-family="system-ui, sans-serif" font-size="14">
<title>${verdicts}</title>
<style>${{ markup: style }}</style>
<rect width="100%" height="100%" rx="8" fill="var(--back)"/>
${ticks}
${lanes}<line class="axis" x1="${left}" y1="${bottom}" x2="${width - right}" y2="${bottom}"/>
<text class="key" x="${width / 2}" y="${bottom + 50}" text-anchor="middle" font-size="16">${sentence}</text>
</svg>
`.markup;
}

function lane(
  { name, plan = '', marks, waits, bans }: TimelineRow,
  top: number,
  x: (ms: number) => number,
  endMs: number,
  labels: readonly Label[],
) {
  const above = top + 24;
  const below = top + 52;
  const bar = (kind: 'wait' | 'ban', { fromMs, toMs, hasDeadline }: TimelineSpan) => {
    const [from, to] = [x(fromMs), x(Math.min(toMs, endMs))];
    const end =
      toMs > endMs
        ? markup`<path class="${kind}" d="M${to} ${below - 16}l16 16l-16 16z"/>`
        : hasDeadline && markup`<line class="deadline" x1="${to}" y1="${below - 18}" x2="${to}" y2="${below + 18}"/>`;
    return markup`<rect class="${kind}" x="${from}" y="${below - barHeight / 2}" width="${to - from}" height="${barHeight}"/>${end || undefined}`;
  };
  const waitText = ({ fromMs, toMs }: TimelineSpan) =>
    markup`<text x="${Math.round((x(fromMs) + x(toMs)) / 2)}" y="${below + 5}" text-anchor="middle">waits ${timeLeft(toMs, fromMs)}, as Retry-After asks</text>`;
  const firstServed = marks.find(({ kind, atMs }) => kind === 'served' && atMs >= (waits[0]?.toMs ?? endMs));
  const hasNoStrike = marks.every(({ kind }) => kind !== 'strike');
  // Beside the line at the end of the wait, which may be at the same place.
  const servedX = firstServed && Math.max(x(firstServed.atMs) - 6, x(waits[0]?.toMs ?? 0) + 8);
  return markup`<text class="key" x="20" y="${above + 5}" font-size="17">${name}</text><rect class="badge ${plan.toLowerCase()}" x="20" y="${below - 12}" width="58" height="24" rx="5"/><text class="on" x="49" y="${below + 5}" text-anchor="middle">${plan}</text>
${waits.map((span) => bar('wait', span))}${bans.map((span) => bar('ban', span))}
${marks.map((mark) => sign(mark, x(mark.atMs), above, below))}
${withoutOverlap(labels, x).map(([at, text]) => markup`<text x="${at}" y="${below + 32}">${text}</text>`)}${firstServed && hasNoStrike ? waits.filter(({ hasDeadline }) => hasDeadline).map(waitText) : undefined}${servedX && markup`<text x="${servedX}" y="${below + 5}">served</text>`}
`;
}

/** What the service did: the 429, the early retries and the ban. */
function servedLabels({ marks, bans }: TimelineRow): Label[] {
  const strikes = marks.filter(({ kind }) => kind === 'strike');
  return [
    ...marks.filter(({ kind }) => kind === 'refused').map(({ atMs }) => ({ atMs, text: '429' })),
    ...strikes
      .slice(0, 1)
      .map(({ atMs }) => ({ atMs, text: pluralize(strikes.length, 'early retry', 'early retries') })),
    ...bans.map(({ fromMs, toMs }) => ({ atMs: fromMs, text: `banned for ${timeLeft(toMs, fromMs)}` })),
  ];
}

/** Places labels below their requests, or to the right of the label before. */
function withoutOverlap(labels: readonly Label[], x: (ms: number) => number): [at: number, text: string][] {
  let endX = 0;
  return labels.map(({ atMs, text }) => {
    const at = Math.max(x(atMs) - 6, endX);
    endX = at + text.length * letterWidth + 14;
    return [at, text];
  });
}

/** Draws a request, larger than in a report. */
function sign({ kind }: TimelineMark, x: number, above: number, below: number): Markup {
  const y = kind === 'refused' || kind === 'strike' || kind === 'banned' ? below : above;
  return markup`<g class="${kind}" transform="translate(${x} ${y}) scale(1.35)">${symbol(kind, 0, 0)}</g>`;
}

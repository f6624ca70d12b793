import { type Markup, markup } from '../../src/judge/report/markup.js';
import { createTimeAxis } from '../../src/judge/report/time-axis.js';
import type { Timeline, TimelineMark, TimelineRow, TimelineSpan } from '../../src/judge/report/timeline.js';
import { formatDuration } from '../../src/values/format-duration.js';

/** Style sheet of every picture of a run, for light and dark pages. */
export const style = `
:root { color-scheme: light dark;
  --back: #fff; --text: #1c2126; --quiet: #5b6670; --line: #d9dee3;
  --good: #1a7f4b; --bad: #c0262d; --warn: #a15c00; --info: #1f6fb2; --wait: #f3d9a4; --ban: #f2b8b5; }
@media (prefers-color-scheme: dark) { :root {
  --back: #14181c; --text: #e4e8ec; --quiet: #97a3ae; --line: #333b43;
  --good: #57c98a; --bad: #ff7b78; --warn: #e6a94c; --info: #6cb6f0; --wait: #574621; --ban: #642c2c; } }
text { fill: var(--text); }
.tick, .count { text-anchor: middle; font-size: 12px; }
.tick, .plan, .quiet { fill: var(--quiet); }
.open { text-anchor: end; font-size: 12px; }
.key { font-weight: 600; }
.grid, .axis, .cut { stroke: var(--line); fill: none; }
.axis, .cut { stroke: var(--quiet); }
.cut { stroke-width: 1.5; }
.wait { fill: var(--wait); }
.ban { fill: var(--ban); }
.deadline { stroke: var(--text); stroke-width: 1.5; }
.served { fill: var(--good); }
.strike, .banned { fill: var(--bad); }
.hollow { fill: none; stroke: var(--info); stroke-width: 2; }
.cross { fill: none; stroke: var(--warn); stroke-width: 2.5; }
tspan.fail { fill: var(--bad); font-weight: 600; }
tspan.warn { fill: var(--warn); font-weight: 600; }
tspan.info { fill: var(--info); font-weight: 600; }
tspan.praise { fill: var(--good); font-weight: 600; }
.badge.fail { fill: var(--bad); }
.badge.pass { fill: var(--good); }
.badge.inconclusive { fill: var(--warn); }
.on { fill: var(--back); font-weight: 600; }
`;

const width = 960;
const left = 150;
const right = 40;
const rowHeight = 58;
const axisHeight = 34;

/** Height of a timeline, in pixels. */
export const timelineHeight = ({ rows }: Timeline) => rows.length * rowHeight + 6 + axisHeight;

/**
 * Draws a timeline as SVG. For each key, successful requests are above and rejected ones below; waits and bans are
 * bars.
 */
export function svgTimeline(timeline: Timeline): Markup {
  const axis = createTimeAxis(timeline, 9);
  const x = (ms: number) => round(left + axis.at(ms) * (width - left - right));
  const bottom = timeline.rows.length * rowHeight + 6;
  const ticks = axis.ticks.map(({ at, label }) => {
    const tickX = round(left + at * (width - left - right));
    return markup`<line class="grid" x1="${tickX}" y1="0" x2="${tickX}" y2="${bottom}"/><text class="tick" x="${tickX}" y="${bottom + 16}">${label}</text>`;
  });
  const cut =
    axis.cut === undefined
      ? undefined
      : cutMark(round(left + axis.cut.at * (width - left - right)), bottom, formatDuration(axis.cut.ms));
  const rows = timeline.rows.map((row, index) => svgRow(row, index * rowHeight, x, timeline.endMs));
  const height = timelineHeight(timeline);
  return markup`<svg viewBox="0 0 ${width} ${height}" role="img" aria-label="Requests of the client over time">${ticks}${rows}<line class="axis" x1="${left}" y1="${bottom}" x2="${width - right}" y2="${bottom}"/>${cut}</svg>`;
}

function cutMark(x: number, y: number, length: string): Markup {
  return markup`<path class="cut" d="M${x - 6} ${y + 5}l4 -10M${x + 2} ${y + 5}l4 -10"/><text class="tick" x="${x}" y="${y + 30}">${length} left out</text>`;
}

function svgRow(
  { name, plan, marks, waits, bans }: TimelineRow,
  top: number,
  x: (ms: number) => number,
  endMs: number,
) {
  const above = top + 18;
  const below = top + 40;
  const bar = (kind: 'wait' | 'ban') => (each: TimelineSpan) => {
    const from = x(each.fromMs);
    const to = x(Math.min(each.toMs, endMs));
    const length = formatDuration(each.toMs - each.fromMs);
    const title = `${kind === 'ban' ? 'Banned' : 'Told to wait'} for ${length}`;
    const end = each.toMs > endMs ? openEnd(kind, to, below, length) : each.hasDeadline && deadline(to, below);
    return markup`<g><title>${title}</title><rect class="${kind}" x="${from}" y="${below - 6}" width="${round(Math.max(1, to - from))}" height="12"/>${end || undefined}</g>`;
  };
  return markup`<g><text class="key" x="0" y="${above + 4}">${name}</text><text class="plan" x="0" y="${below + 2}">${plan}</text>${waits.map(bar('wait'))}${bans.map(bar('ban'))}${svgMarks(marks, x, above, below)}</g>`;
}

const deadline = (x: number, y: number) =>
  markup`<line class="deadline" x1="${x}" y1="${y - 11}" x2="${x}" y2="${y + 11}"/>`;

/** Draws an arrow at the end of a bar that exceeds the picture, with the bar's whole length as text. */
const openEnd = (kind: 'wait' | 'ban', x: number, y: number, length: string) =>
  markup`<path class="${kind}" d="M${x} ${y - 10}l12 10l-12 10z"/><text class="open" x="${x - 4}" y="${y + 4}">${length}</text>`;

/** Draws requests as symbols. Merges overlapping symbols into one, with their number. */
function svgMarks(marks: readonly TimelineMark[], x: (ms: number) => number, above: number, below: number): Markup[] {
  const groups: { kind: TimelineMark['kind']; x: number; marks: TimelineMark[] }[] = [];
  for (const mark of marks) {
    const at = x(mark.atMs);
    const near = groups.findLast(({ kind }) => kind === mark.kind);
    if (near !== undefined && at - near.x < 5) near.marks.push(mark);
    else groups.push({ kind: mark.kind, x: at, marks: [mark] });
  }
  return groups.map((group) => {
    const isRefused = group.kind === 'refused' || group.kind === 'strike' || group.kind === 'banned';
    const y = isRefused ? below : above;
    const [first] = group.marks as [TimelineMark];
    const count = group.marks.length;
    const title = count === 1 ? `${first.request}: ${first.title}` : `${count} from ${first.request}: ${first.title}`;
    const number =
      count === 1
        ? undefined
        : markup`<text class="count" x="${group.x}" y="${isRefused ? y + 17 : y - 8}">${count}</text>`;
    return markup`<g class="${group.kind}"><title>${title}</title>${symbol(group.kind, group.x, y)}${number}</g>`;
  });
}

/** Draws the symbol of a request. Its shape differs too, for color-blind readers. */
export function symbol(kind: TimelineMark['kind'], x: number, y: number): Markup {
  switch (kind) {
    case 'served':
      return markup`<circle cx="${x}" cy="${y}" r="4.5"/>`;
    case 'failed':
      return markup`<circle class="hollow" cx="${x}" cy="${y}" r="4"/>`;
    case 'rejected':
      return markup`<path class="hollow" d="M${x} ${y - 5}l5 5l-5 5l-5 -5z"/>`;
    case 'unauthorized':
      return markup`<rect class="hollow" x="${x - 4}" y="${y - 4}" width="8" height="8"/>`;
    case 'refused':
      return markup`<path class="cross" d="M${x - 4} ${y - 4}l8 8m0 -8l-8 8"/>`;
    case 'strike':
      return markup`<path d="M${x} ${y - 6.5}l6 11.5h-12z"/>`;
    case 'banned':
      return markup`<rect x="${x - 4}" y="${y - 4}" width="8" height="8"/>`;
  }
}

const round = (value: number) => Math.round(value * 10) / 10;

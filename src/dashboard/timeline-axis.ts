import { createScale } from '../judge/report/time-axis.js';
import { clockText } from '../rate-limits/served-again.js';
import { formatDuration } from '../values/format-duration.js';
import { type EntryBuffer, rowKinds, type Span, type TimelineLane } from './entry-buffer.js';
import { clockSeconds, formatCount, formatThousands } from './format.js';
import { symbolNames } from './symbols.js';

/** Mapping from times to x positions on the timeline. Idle ranges are shortened. Positions and widths are in pixels. */
export interface TimelineAxis {
  fromMs: number;
  toMs: number;
  x(axisMs: number): number;
  /** Returns the time at an x position of the timeline. */
  at(x: number): number;
  gaps: { x: number; width: number; label: string }[];
  ticks: { x: number; label: string }[];
}

/**
 * Share of the time on the timeline above which an idle range is drawn shortened. Idle ranges that are already
 * shortened do not count as time on the timeline.
 */
const idleShare = 1 / 3;
/** Minimum length of an idle range that the timeline draws shortened. */
const minimumIdleMs = 15_000;
/** Width of a shortened idle range on the timeline, in pixels. */
const gapWidth = 34;

const steps = [
  1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 15_000, 30_000, 60_000, 120_000, 300_000, 600_000,
  1_800_000, 3_600_000, 7_200_000, 21_600_000, 86_400_000, 864_000_000,
];

/**
 * Returns the range of times that the timeline of a run shows: from the first request to the last request or the
 * present. Leaves room for a wait that has not ended, and for a first promise soon after the end.
 * @param nowMs present time on the timeline; 0 for a finished run
 * @param promiseMs time from which a key would have been served again without its early requests
 */
export function timelineExtent({ rows, lanes }: EntryBuffer, nowMs = 0, promiseMs = 0): Span {
  const fromMs = rows[0]?.axisMs ?? 0;
  // Searches only the last 200 requests of the list for the latest request time, because the list is almost sorted by
  // time.
  const lastMs = rows.slice(-200).reduce((last, { axisMs }) => Math.max(last, axisMs), Math.max(fromMs, nowMs));
  const openMs = Math.max((lastMs - fromMs) * 0.12, 1_000);
  const ends = [...lanes.values()].flatMap(({ waits, bans }) => [waits.at(-1)?.toMs ?? 0, bans.at(-1)?.toMs ?? 0]);
  const isSoon = promiseMs - lastMs < 2 * (lastMs - fromMs);
  const toMs = Math.max(lastMs + 200, Math.min(Math.max(...ends), lastMs + openMs));
  return { fromMs, toMs: isSoon ? Math.max(toMs, promiseMs + openMs) : toMs };
}

/**
 * Finds the idle ranges that the timeline draws shortened, in order.
 * @param nowMs present time on the timeline, at which the last range ends
 */
export function findGaps(entries: EntryBuffer, { fromMs, toMs }: Span, nowMs = 0): Span[] {
  const all: Span[] = [];
  let last = fromMs;
  for (const { axisMs } of entries.rowsFrom(fromMs)) {
    if (axisMs > toMs) break;
    if (axisMs - last >= minimumIdleMs) all.push({ fromMs: last, toMs: axisMs });
    if (axisMs > last) last = axisMs;
  }
  // Ends the last shortened idle range of the timeline one second before the present, so that the line for the present
  // is outside the range.
  const idleToMs = Math.min(nowMs, toMs) - 1_000;
  if (idleToMs - last >= minimumIdleMs) all.push({ fromMs: last + 1_000, toMs: idleToMs });
  all.sort((a, b) => b.toMs - b.fromMs - (a.toMs - a.fromMs));
  let drawnMs = toMs - fromMs;
  const gaps: Span[] = [];
  for (const gap of all) {
    const lengthMs = gap.toMs - gap.fromMs;
    if (lengthMs <= drawnMs * idleShare) break;
    drawnMs -= lengthMs;
    gaps.push(gap);
  }
  return gaps.sort((a, b) => a.fromMs - b.fromMs);
}

/**
 * Creates the mapping from times to x positions on the timeline.
 * @param toClock converts a time on the timeline to the simulator's clock, for the labels
 */
export function createTimelineAxis(
  part: Span,
  gaps: readonly Span[],
  width: number,
  toClock: (axisMs: number) => number,
): TimelineAxis {
  const { fromMs, toMs } = part;
  const idleMs = gaps.reduce((sum, gap) => sum + gap.toMs - gap.fromMs, 0);
  const drawnWidth = Math.max(10, width - gaps.length * gapWidth);
  const scale = drawnWidth / Math.max(1, toMs - fromMs - idleMs);
  const x = createScale(fromMs, scale, gaps, gapWidth);
  const at = (place: number) => {
    let low = fromMs;
    let high = toMs;
    for (let round = 0; round < 40; round++) {
      const middle = (low + high) / 2;
      if (x(middle) < place) low = middle;
      else high = middle;
    }
    return high;
  };
  const shownMs = drawnWidth / scale;
  const stepMs = steps.find((step) => (step / shownMs) * drawnWidth >= (step < 1_000 ? 104 : 76)) ?? 864_000_000;
  const ticks: TimelineAxis['ticks'] = [];
  for (let place = 0; place < width - 30 && ticks.length < 60; ) {
    const clockMs = toClock(at(place));
    const nextMs = Math.ceil(clockMs / stepMs) * stepMs;
    const tickX = x(at(place) + nextMs - clockMs);
    const isInGap = gaps.some((gap) => x(gap.fromMs) - 4 < tickX && tickX < x(gap.toMs) + 4);
    if (tickX > width) break;
    if (!isInGap) ticks.push({ x: tickX, label: tickLabel(nextMs, stepMs) });
    place = Math.max(tickX + 60, place + 60);
  }
  return {
    fromMs,
    toMs,
    x,
    at,
    ticks,
    gaps: gaps.map((gap) => ({
      x: x(gap.fromMs),
      width: gapWidth,
      label: `${formatDuration(gap.toMs - gap.fromMs)} idle`,
    })),
  };
}

function tickLabel(ms: number, stepMs: number): string {
  const text = new Date(ms).toISOString();
  if (stepMs < 1_000) return text.slice(11, 23);
  if (stepMs >= 86_400_000) return text.slice(0, 10);
  return stepMs >= 60_000 ? text.slice(11, 16) : text.slice(11, 19);
}

/** Text for screen readers about a key's part of the timeline: counts of requests and the last ban. */
export function laneText({ counts, bans }: TimelineLane, toClock: (axisMs: number) => number): string {
  const seen = rowKinds.filter((kind) => counts[kind] > 0).reverse();
  const said = seen.map((kind) => {
    const name = symbolNames[kind][1];
    return kind === 'strike' ? formatCount(counts[kind], name) : `${formatThousands(counts[kind])} ${name}`;
  });
  const ban = bans.at(-1);
  const time = (ms: number) => clockSeconds(toClock(ms));
  if (ban !== undefined)
    said.push(`banned from ${time(ban.fromMs)} to ${clockText(toClock(ban.toMs), toClock(ban.fromMs))}`);
  return said.join(', ');
}

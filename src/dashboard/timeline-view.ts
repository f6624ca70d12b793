import { formatRemaining } from '../control-api/wait-words.js';
import {
  arrangeLanes,
  type Colors,
  columnWidth,
  drawTimeline,
  foldedKeysText,
  laneAt,
  laneTop,
  layoutHeight,
} from './draw-timeline.js';
import { type Row, rowKinds, type TimelineLane } from './entry-buffer.js';
import { clockTime, formatCount, pathWithQuery } from './format.js';
import type { Session } from './session.js';
import { setTextStyle } from './symbols.js';
import { createTimelineAxis, findGaps, type TimelineAxis, timelineExtent } from './timeline-axis.js';

/** Part of the timeline between two times, in milliseconds. */
export interface Range {
  fromMs: number;
  toMs: number;
}

interface Shown {
  /** Part of the run that the timeline shows; `undefined` for the whole run. */
  range: Range | undefined;
  selected: Row | undefined;
  /** Whether keys without problems have rows of their own in the timeline, instead of one common line. */
  isExpanded: boolean;
}

const colorNames = ['ink', 'dim', 'line', 'ok', 'wait', 'warn', 'bad', 'ban', 'accent', 'bg'] as const;

/** Draws the timeline, and finds the requests under the pointer. */
export class TimelineView {
  readonly #canvas: HTMLCanvasElement;
  readonly #session: Session;
  readonly #props: () => Shown;
  #colors: Colors | undefined;
  #axis: TimelineAxis | undefined;
  #lanes: readonly TimelineLane[] = [];
  #folded: readonly TimelineLane[] = [];
  #left = 0;
  #dragged: { fromX: number; toX: number } | undefined;

  constructor(canvas: HTMLCanvasElement, session: Session, props: () => Shown) {
    this.#canvas = canvas;
    this.#session = session;
    this.#props = props;
  }

  recolor(): void {
    this.#colors = undefined;
    this.draw();
  }

  draw(): void {
    const canvas = this.#canvas;
    const width = canvas.clientWidth;
    const context = canvas.getContext('2d');
    if (context === null || width === 0) return;
    const { entries } = this.#session;
    const { range, selected, isExpanded } = this.#props();
    const { lanes, folded } = arrangeLanes(entries, isExpanded);
    this.#lanes = lanes;
    this.#folded = folded;
    this.#left = width < 560 ? 0 : 118;
    const height = layoutHeight(Math.max(1, lanes.length + (folded.length > 0 ? 1 : 0)), this.#left);
    const ratio = devicePixelRatio || 1;
    if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
      canvas.style.height = `${height}px`;
    }
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.#colors ??= readColors(canvas);
    const nowMs = this.#nowOnAxis();
    const part = range ?? timelineExtent(entries, nowMs);
    const gaps = findGaps(entries, part, nowMs);
    this.#axis = createTimelineAxis(part, gaps, width - this.#left - 12, (ms) => entries.fromAxis(ms));
    const { scrollTop, clientHeight } = canvas.parentElement as HTMLElement;
    const visibleBottom = Math.min(height, scrollTop + clientHeight);
    const layout = {
      entries,
      lanes,
      folded,
      axis: this.#axis,
      width,
      left: this.#left,
      selected,
      nowMs,
      visibleBottom,
    };
    drawTimeline(context, { ...layout, dragged: this.#dragged }, this.#colors);
    this.#drawNames(context, this.#colors, nowMs);
  }

  #nowOnAxis(): number | undefined {
    const { entries } = this.#session;
    if (entries.rows.length === 0) return undefined;
    return entries.toAxis(this.#session.nowMs(), Number.POSITIVE_INFINITY);
  }

  #drawNames(context: CanvasRenderingContext2D, colors: Colors, nowMs: number | undefined): void {
    const lines = this.#lanes.map((lane): [name: string, state: string, isBad: boolean] => [
      lane.name,
      ...stateOf(lane, nowMs),
    ]);
    if (this.#folded.length > 0) lines.push([...foldedKeysText(this.#folded), false]);
    for (const [index, [name, state, isBad]] of lines.entries()) {
      const top = laneTop(index, this.#left);
      const isAbove = this.#left === 0;
      const shown = name.length > 16 && !isAbove ? `${name.slice(0, 15)}…` : name;
      setTextStyle(context, colors.ink, '600 12px');
      context.fillText(shown, 0, isAbove ? top - 6 : top + 18);
      const x = isAbove ? context.measureText(shown).width + 8 : 0;
      setTextStyle(context, isBad ? colors.bad : colors.dim);
      context.fillText(state, x, isAbove ? top - 6 : top + 33);
    }
  }

  drag(fromX: number | undefined, toX: number): void {
    this.#dragged = fromX === undefined ? undefined : { fromX: fromX - this.#left, toX: toX - this.#left };
    this.draw();
  }

  rangeOf(fromX: number, toX: number): Range | undefined {
    const [low = 0, high = 0] = [fromX, toX].sort((a, b) => a - b);
    if (this.#axis === undefined) return undefined;
    return {
      fromMs: this.#axis.at(Math.max(0, low - this.#left)),
      toMs: this.#axis.at(Math.max(0, high - this.#left)),
    };
  }

  /**
   * Finds the requests that the timeline shows at a position, and the most severe of them. If no symbol is there, finds
   * the nearest request of the API key in this row of the timeline.
   */
  rowsAt(x: number, y: number): { row: Row; here: Row[] } | undefined {
    const axis = this.#axis;
    const index = laneAt(y, this.#left);
    if (axis === undefined || index < 0) return undefined;
    const isOfLine =
      index < this.#lanes.length ? (lane: TimelineLane) => lane === this.#lanes[index] : isIn(this.#folded);
    const ms = axis.at(x - this.#left);
    const bin = Math.floor((x - this.#left) / columnWidth);
    const here: Row[] = [];
    let nearest: Row | undefined;
    for (const row of this.#session.entries.rows) {
      if (!isOfLine(row.lane)) continue;
      if (nearest === undefined || Math.abs(row.axisMs - ms) < Math.abs(nearest.axisMs - ms)) nearest = row;
      if (Math.floor(axis.x(row.axisMs) / columnWidth) === bin) here.push(row);
    }
    const row = here.reduce((gravest: Row | undefined, each) => graver(gravest, each), undefined) ?? nearest;
    return row && { row, here };
  }

  /** Tooltip for a position of the timeline: number of requests, and the worst request. */
  pointAt(x: number, y: number): { x: number; y: number; text: string } | undefined {
    const { row, here } = this.rowsAt(x, y) ?? {};
    if (row === undefined || here === undefined || this.#axis === undefined) return undefined;
    if (Math.abs(this.#axis.x(row.axisMs) + this.#left - x) > 10) return undefined;
    const other = here.filter(({ kind }) => kind !== 'served').length;
    const several =
      here.length < 2 ? '' : `${formatCount(here.length, 'request')}${other > 0 ? `, ${other} not served` : ''} · `;
    const why = row.inShort;
    const text = `${several}${clockTime(row.atMs)} ${row.method} ${pathWithQuery(row).slice(0, 60)} ${row.status || 'no response'}${why ? ` · ${why}` : ''}`;
    return { x: Math.max(0, Math.min(x + 10, this.#canvas.clientWidth - 260)), y: y + 14, text };
  }

  /** Returns the part of the run that the timeline shows after a key press, which zooms or scrolls. */
  moved(key: string): Range | 'all' | undefined {
    const { entries } = this.#session;
    const all = timelineExtent(entries, this.#nowOnAxis());
    const part = this.#props().range ?? all;
    const { fromMs, toMs } = part;
    // Zooming out ends when the timeline shows the whole run.
    if (key === '-' && toMs - fromMs >= all.toMs - all.fromMs) return 'all';
    const quarter = (toMs - fromMs) / 4;
    const moves: Record<string, Range | 'all'> = {
      '+': { fromMs: fromMs + quarter, toMs: toMs - quarter },
      '-': { fromMs: fromMs - 2 * quarter, toMs: toMs + 2 * quarter },
      ArrowLeft: { fromMs: fromMs - quarter, toMs: toMs - quarter },
      ArrowRight: { fromMs: fromMs + quarter, toMs: toMs + quarter },
      '0': 'all',
    };
    return moves[key];
  }
}

const isIn = (lanes: readonly TimelineLane[]) => {
  const set = new Set(lanes);
  return (lane: TimelineLane) => set.has(lane);
};

const graver = (one: Row | undefined, other: Row): Row =>
  one === undefined || rowKinds.indexOf(other.kind) < rowKinds.indexOf(one.kind) ? other : one;

/** Text next to a key's name in the timeline: remaining ban, remaining wait, or plan. */
function stateOf(
  { plan = '', waits, bans, counts }: TimelineLane,
  nowMs: number | undefined,
): [text: string, isBad: boolean] {
  const strikes = counts.strike > 0 ? ` · ▲ ${counts.strike}` : '';
  if (nowMs === undefined) return [`${plan}${strikes}`, false];
  const restOf = (spans: TimelineLane['waits']) => (spans.at(-1)?.toMs ?? 0) - nowMs;
  if (restOf(bans) > 0) return [`banned ${formatRemaining(restOf(bans))}${strikes}`, true];
  if (restOf(waits) > 0) return [`told to wait ${formatRemaining(restOf(waits))}`, false];
  return [`${plan}${strikes}`, false];
}

function readColors(element: Element): Colors {
  const style = getComputedStyle(element);
  return Object.fromEntries(colorNames.map((name) => [name, style.getPropertyValue(`--${name}`).trim()])) as Colors;
}

import { formatRemaining } from '../control-api/wait-words.js';
import { type Axis, createAxis, extentOf, findGaps } from './axis.js';
import {
  arrangeLanes,
  binWidth,
  type Colours,
  drawTimeline,
  foldedText,
  laneAt,
  laneTop,
  pictureHeight,
} from './draw-timeline.js';
import { kinds, type Lane, type Row } from './entry-buffer.js';
import { clockTime, formatCount, pathWithQuery } from './format.js';
import type { Session } from './session.js';
import { setText } from './signs.js';

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

const colourNames = ['ink', 'dim', 'line', 'ok', 'wait', 'warn', 'bad', 'ban', 'accent', 'bg'] as const;

/** Draws the timeline, and finds the requests under the pointer. */
export class TimelineView {
  readonly #canvas: HTMLCanvasElement;
  readonly #session: Session;
  readonly #props: () => Shown;
  #colours: Colours | undefined;
  #axis: Axis | undefined;
  #lanes: readonly Lane[] = [];
  #folded: readonly Lane[] = [];
  #left = 0;
  #dragged: { fromX: number; toX: number } | undefined;

  constructor(canvas: HTMLCanvasElement, session: Session, props: () => Shown) {
    this.#canvas = canvas;
    this.#session = session;
    this.#props = props;
  }

  recolour(): void {
    this.#colours = undefined;
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
    const height = pictureHeight(Math.max(1, lanes.length + (folded.length > 0 ? 1 : 0)), this.#left);
    const ratio = devicePixelRatio || 1;
    if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
      canvas.style.height = `${height}px`;
    }
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.#colours ??= readColours(canvas);
    const nowMs = this.#nowOnAxis();
    const part = range ?? extentOf(entries, nowMs);
    const gaps = findGaps(entries, part, nowMs);
    this.#axis = createAxis(part, gaps, width - this.#left - 12, (ms) => entries.fromAxis(ms));
    const { scrollTop, clientHeight } = canvas.parentElement as HTMLElement;
    const visibleBottom = Math.min(height, scrollTop + clientHeight);
    const picture = {
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
    drawTimeline(context, { ...picture, dragged: this.#dragged }, this.#colours);
    this.#drawNames(context, this.#colours, nowMs);
  }

  #nowOnAxis(): number | undefined {
    const { entries } = this.#session;
    if (entries.rows.length === 0) return undefined;
    return entries.toAxis(this.#session.nowMs(), Number.POSITIVE_INFINITY);
  }

  #drawNames(context: CanvasRenderingContext2D, colours: Colours, nowMs: number | undefined): void {
    const lines = this.#lanes.map((lane): [name: string, state: string, isBad: boolean] => [
      lane.name,
      ...stateOf(lane, nowMs),
    ]);
    if (this.#folded.length > 0) lines.push([...foldedText(this.#folded), false]);
    for (const [index, [name, state, isBad]] of lines.entries()) {
      const top = laneTop(index, this.#left);
      const isAbove = this.#left === 0;
      const shown = name.length > 16 && !isAbove ? `${name.slice(0, 15)}…` : name;
      setText(context, colours.ink, '600 12px');
      context.fillText(shown, 0, isAbove ? top - 6 : top + 18);
      const x = isAbove ? context.measureText(shown).width + 8 : 0;
      setText(context, isBad ? colours.bad : colours.dim);
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
   * Finds the requests of the timeline's symbol at a position, and the worst among them. Without a symbol, finds the
   * key's nearest request.
   */
  rowsAt(x: number, y: number): { row: Row; here: Row[] } | undefined {
    const axis = this.#axis;
    const index = laneAt(y, this.#left);
    if (axis === undefined || index < 0) return undefined;
    const isOfLine = index < this.#lanes.length ? (lane: Lane) => lane === this.#lanes[index] : isIn(this.#folded);
    const ms = axis.at(x - this.#left);
    const bin = Math.floor((x - this.#left) / binWidth);
    const here: Row[] = [];
    let nearest: Row | undefined;
    for (const row of this.#session.entries.rows) {
      if (!isOfLine(row.lane)) continue;
      if (nearest === undefined || Math.abs(row.axisMs - ms) < Math.abs(nearest.axisMs - ms)) nearest = row;
      if (Math.floor(axis.x(row.axisMs) / binWidth) === bin) here.push(row);
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
    const all = extentOf(entries, this.#nowOnAxis());
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

const isIn = (lanes: readonly Lane[]) => {
  const set = new Set(lanes);
  return (lane: Lane) => set.has(lane);
};

const graver = (one: Row | undefined, other: Row): Row =>
  one === undefined || kinds.indexOf(other.kind) < kinds.indexOf(one.kind) ? other : one;

/** Text next to a key's name in the timeline: remaining ban, remaining wait, or plan. */
function stateOf({ plan = '', waits, bans, counts }: Lane, nowMs: number | undefined): [text: string, isBad: boolean] {
  const strikes = counts.strike > 0 ? ` · ▲ ${counts.strike}` : '';
  if (nowMs === undefined) return [`${plan}${strikes}`, false];
  const restOf = (spans: Lane['waits']) => (spans.at(-1)?.toMs ?? 0) - nowMs;
  if (restOf(bans) > 0) return [`banned ${formatRemaining(restOf(bans))}${strikes}`, true];
  if (restOf(waits) > 0) return [`told to wait ${formatRemaining(restOf(waits))}`, false];
  return [`${plan}${strikes}`, false];
}

function readColours(element: Element): Colours {
  const style = getComputedStyle(element);
  return Object.fromEntries(colourNames.map((name) => [name, style.getPropertyValue(`--${name}`).trim()])) as Colours;
}

import { type Axis, createAxis, extentOf, findGaps } from './axis.js';
import { type Colours, drawTimeline, laneHeight, pictureHeight, shownLanes, topHeight } from './draw-timeline.js';
import type { Lane, Row } from './entry-buffer.js';
import { clockTime, target } from './format.js';
import type { Session } from './session.js';

/** A part of the axis. */
export interface Range {
  fromMs: number;
  toMs: number;
}

interface Shown {
  /** What is shown of the run; `undefined`: all of it. */
  range: Range | undefined;
  selected: Row | undefined;
}

const colourNames = ['ink', 'dim', 'line', 'ok', 'wait', 'warn', 'bad', 'ban', 'accent', 'bg'] as const;

/** The picture with what is needed to find things in it. */
export class TimelineView {
  readonly #canvas: HTMLCanvasElement;
  readonly #session: Session;
  readonly #props: () => Shown;
  #colours: Colours | undefined;
  #axis: Axis | undefined;
  #lanes: Lane[] = [];
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
    const { range, selected } = this.#props();
    this.#lanes = shownLanes(entries);
    const height = pictureHeight(Math.max(1, this.#lanes.length));
    const ratio = devicePixelRatio || 1;
    if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
    }
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.#colours ??= readColours(canvas);
    this.#left = width < 560 ? 0 : 118;
    const part = range ?? extentOf(entries);
    this.#axis = createAxis(part, findGaps(entries, part), width - this.#left - 12, (ms) => entries.fromAxis(ms));
    const nowMs = this.#session.isLive && entries.rows.length > 0 ? this.#nowOnAxis() : undefined;
    const picture = { entries, lanes: this.#lanes, axis: this.#axis, width, left: this.#left, selected, nowMs };
    drawTimeline(context, { ...picture, dragged: this.#dragged }, this.#colours);
    this.#drawNames(context, this.#colours);
  }

  #nowOnAxis(): number {
    return this.#session.entries.toAxis(this.#session.nowMs(), Number.POSITIVE_INFINITY);
  }

  #drawNames(context: CanvasRenderingContext2D, colours: Colours): void {
    context.textAlign = 'left';
    context.textBaseline = 'middle';
    for (const [index, { name, plan = '' }] of this.#lanes.entries()) {
      const top = topHeight + index * laneHeight;
      const shown = name.length > 16 ? `${name.slice(0, 15)}…` : name;
      context.font = '600 12px system-ui, sans-serif';
      context.fillStyle = colours.ink;
      context.fillText(shown, 0, this.#left === 0 ? top + 4 : top + 18);
      if (this.#left === 0) continue;
      context.font = '11px system-ui, sans-serif';
      context.fillStyle = colours.dim;
      context.fillText(plan, 0, top + 33);
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

  /** The request of a lane that is nearest to a place. */
  rowAt(x: number, y: number): Row | undefined {
    const lane = this.#lanes[Math.floor((y - topHeight) / laneHeight)];
    if (lane === undefined || this.#axis === undefined) return undefined;
    const ms = this.#axis.at(x - this.#left);
    let best: Row | undefined;
    for (const row of this.#session.entries.rows) {
      if (row.lane === lane && (best === undefined || Math.abs(row.axisMs - ms) < Math.abs(best.axisMs - ms)))
        best = row;
    }
    return best;
  }

  /** What to say of a place, where a request is near. */
  pointAt(x: number, y: number): { x: number; y: number; text: string } | undefined {
    const row = this.rowAt(x, y);
    if (row === undefined || this.#axis === undefined || Math.abs(this.#axis.x(row.axisMs) + this.#left - x) > 10)
      return undefined;
    const why = row.inShort;
    const text = `${clockTime(row.atMs)} ${row.method} ${target(row).slice(0, 60)} ${row.status || 'no answer'}${why ? ` · ${why}` : ''}`;
    return { x: Math.min(x + 10, this.#canvas.clientWidth - 160), y: y + 14, text };
  }

  /** The part to show after a key: closer, farther, to a side. */
  moved(key: string): Range | 'all' | undefined {
    const part = this.#props().range ?? extentOf(this.#session.entries);
    const { fromMs, toMs } = part;
    const all = extentOf(this.#session.entries);
    // There is nothing farther away to be seen.
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

function readColours(element: Element): Colours {
  const style = getComputedStyle(element);
  return Object.fromEntries(colourNames.map((name) => [name, style.getPropertyValue(`--${name}`).trim()])) as Colours;
}

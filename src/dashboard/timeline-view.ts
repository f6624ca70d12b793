import { worstCosts } from '../judge/cost.js';
import type { Verdict } from '../judge/judge-run.js';
import { timeLeft } from '../rate-limits/served-again.js';
import { pathWithQuery } from '../values/request-target.js';
import {
  arrangeLanes,
  bottomHeight,
  type Colors,
  colorNames,
  columnWidth,
  type DrawnSign,
  drawTimeline,
  foldedKeysText,
  type LaneCost,
  laneAt,
  laneTop,
  layoutHeight,
  type TimelineLayout,
  writeOver,
} from './draw-timeline.js';
import { type Row, rowKinds, type Span, type TimelineLane } from './entry-buffer.js';
import { clockTime, formatCount } from './format.js';
import type { Session } from './session.js';
import { setTextStyle } from './symbols.js';
import { createTimelineAxis, findGaps, timelineExtent } from './timeline-axis.js';
import { outcomeOn, outcomeSymbols } from './verdict.js';

export interface TimelineSelection {
  /** Part of the run that the timeline shows; `undefined` for the whole run. */
  range: Span | undefined;
  /** Id of the only key that the timeline shows; `undefined` for all keys. */
  keyId: string | undefined;
  selected: Row | undefined;
  /** Whether keys without problems have rows of their own in the timeline, instead of one common line. */
  isExpanded: boolean;
}

/** Draws the timeline, and finds the requests under the pointer. */
export type TimelineView = ReturnType<typeof createTimelineView>;

/** @param onDrawn called after each drawing, with the signs of the timeline */
export function createTimelineView(
  canvas: HTMLCanvasElement,
  session: Session,
  props: () => TimelineSelection,
  onDrawn: (signs: ReadonlySet<DrawnSign>) => void,
) {
  let colors: Colors | undefined;
  /** Layout of the timeline as last drawn; `undefined` before the first drawing. */
  let layout: TimelineLayout | undefined;
  let dragged: TimelineLayout['dragged'];

  function draw(): void {
    const width = canvas.clientWidth;
    const context = canvas.getContext('2d');
    if (context === null || width === 0) return;
    const { entries } = session;
    const { range, keyId, selected, isExpanded } = props();
    const { lanes, folded } = arrangeLanes(entries, isExpanded, keyId);
    const left = width < 560 ? 0 : 118;
    const height = layoutHeight(Math.max(1, lanes.length + (folded.length > 0 ? 1 : 0)), left);
    const ratio = devicePixelRatio || 1;
    const [pixelWidth, pixelHeight] = [Math.round(width * ratio), Math.round(height * ratio)];
    if (canvas.width !== pixelWidth || canvas.height !== pixelHeight) {
      canvas.width = pixelWidth;
      canvas.height = pixelHeight;
      canvas.style.height = `${height}px`;
    }
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    colors ??= readColors(canvas);
    const nowMs = nowOnAxis();
    const costs = costsOnAxis(session);
    const part = range ?? timelineExtent(entries, nowMs, costs[0]?.fromMs);
    const gaps = findGaps(entries, part, nowMs);
    const axis = createTimelineAxis(part, gaps, width - left - 12, (ms) => entries.fromAxis(ms));
    const { scrollTop, clientHeight } = canvas.parentElement as HTMLElement;
    const visibleBottom = Math.min(height, scrollTop + clientHeight);
    layout = { entries, costs, lanes, folded, axis, width, left, selected, nowMs, visibleBottom, dragged };
    const signs = drawTimeline(context, layout, colors);
    drawNames(context, layout, colors, session);
    onDrawn(signs);
  }

  function nowOnAxis(): number | undefined {
    const { entries } = session;
    if (entries.rows.length === 0 || !session.isLive) return undefined;
    return entries.toAxis(session.nowMs(), Number.POSITIVE_INFINITY);
  }

  /**
   * Finds the requests that the timeline shows at a position, and the most severe of them. If no symbol is there, finds
   * the nearest request of the API key in this row of the timeline.
   */
  function rowsAt(x: number, y: number): { row: Row; here: Row[] } | undefined {
    if (layout === undefined) return undefined;
    const { axis, lanes, folded, left } = layout;
    const index = laneAt(y, left);
    if (index < 0) return undefined;
    const shown = new Set(index < lanes.length ? lanes.slice(index, index + 1) : folded);
    const ms = axis.at(x - left);
    const bin = Math.floor((x - left) / columnWidth);
    const here: Row[] = [];
    let nearest: Row | undefined;
    for (const row of session.entries.rows) {
      if (!shown.has(row.lane)) continue;
      if (nearest === undefined || Math.abs(row.axisMs - ms) < Math.abs(nearest.axisMs - ms)) nearest = row;
      if (Math.floor(axis.x(row.axisMs) / columnWidth) === bin) here.push(row);
    }
    const row = here.reduce((gravest: Row | undefined, each) => graver(gravest, each), undefined) ?? nearest;
    return row && { row, here };
  }

  return {
    draw,
    rowsAt,

    /** Size and colors of the whole timeline as last drawn. */
    size() {
      const { lanes = [], folded = [], left = 0, width = 0 } = layout ?? {};
      const count = Math.max(1, lanes.length + (folded.length > 0 ? 1 : 0));
      return { width, height: layoutHeight(count, left), colors: colors as Colors };
    },

    /** Draws the whole timeline on another context, as last drawn. */
    paint(context: CanvasRenderingContext2D): void {
      if (layout === undefined || colors === undefined) return;
      const whole = { ...layout, visibleBottom: Number.POSITIVE_INFINITY, dragged: undefined };
      drawTimeline(context, whole, colors);
      drawNames(context, whole, colors, session);
    },

    recolor(): void {
      colors = undefined;
      draw();
    },

    drag(fromX: number | undefined, toX: number): void {
      const { left = 0 } = layout ?? {};
      dragged = fromX === undefined ? undefined : { fromX: fromX - left, toX: toX - left };
      draw();
    },

    rangeOf(fromX: number, toX: number): Span | undefined {
      if (layout === undefined) return undefined;
      const { axis, left } = layout;
      const [fromMs = 0, toMs = 0] = [fromX, toX].sort((a, b) => a - b).map((x) => axis.at(Math.max(0, x - left)));
      return { fromMs, toMs };
    },

    /**
     * Tooltip for a position of the timeline: number of requests, and the request with the worst outcome, such as a
     * ban.
     */
    pointAt(x: number, y: number): { x: number; y: number; text: string } | undefined {
      const { row, here } = rowsAt(x, y) ?? {};
      if (row === undefined || here === undefined || layout === undefined) return undefined;
      const { axis, left } = layout;
      if (Math.abs(axis.x(row.axisMs) + left - x) > 10) return undefined;
      const other = here.filter(({ kind }) => kind !== 'served').length;
      const several =
        here.length < 2 ? '' : `${formatCount(here.length, 'request')}${other > 0 ? `, ${other} not served` : ''} · `;
      const why = row.inShort;
      const text = `${several}${clockTime(row.atMs)} ${row.method} ${pathWithQuery(row).slice(0, 60)} ${row.status || 'no response'}${why ? ` · ${why}` : ''}`;
      // Within the timeline, which would get scroll bars otherwise.
      const [width, height] = [300, 60];
      return {
        x: Math.max(0, Math.min(x + 10, canvas.clientWidth - width)),
        y: Math.min(y + 14, canvas.clientHeight - height),
        text,
      };
    },

    /** Returns the part of the run that the timeline shows after a key press, which zooms or scrolls. */
    moved(key: string): Span | 'all' | undefined {
      const { entries } = session;
      const all = timelineExtent(entries, nowOnAxis());
      const part = props().range ?? all;
      const { fromMs, toMs } = part;
      // Zooming out ends when the timeline shows the whole run.
      if (key === '-' && toMs - fromMs >= all.toMs - all.fromMs) return 'all';
      const quarter = (toMs - fromMs) / 4;
      const moves: Record<string, Span | 'all'> = {
        '+': { fromMs: fromMs + quarter, toMs: toMs - quarter },
        '-': { fromMs: fromMs - 2 * quarter, toMs: toMs + 2 * quarter },
        ArrowLeft: { fromMs: fromMs - quarter, toMs: toMs - quarter },
        ArrowRight: { fromMs: fromMs + quarter, toMs: toMs + quarter },
        '0': 'all',
      };
      return moves[key];
    },
  };
}

function drawNames(
  context: CanvasRenderingContext2D,
  { lanes, folded, left, nowMs, visibleBottom }: TimelineLayout,
  colors: Colors,
  session: Session,
): void {
  const lines = lanes.map(
    (lane): [name: string, state: string, isBad: boolean, outcome?: Verdict['outcome'] | undefined] => [
      lane.name,
      ...stateOf(lane, nowMs),
      outcomeOn(session, lane.id),
    ],
  );
  if (folded.length > 0) lines.push([...foldedKeysText(folded), false]);
  const write = (text: string, x: number, y: number, maximum?: number) =>
    writeOver(context, colors, text, x, y, maximum);
  for (const [index, [name, state, isBad, outcome]] of lines.entries()) {
    const top = laneTop(index, left);
    const isAbove = left === 0;
    // The times stand over the lanes that the timeline's visible part leaves out.
    if (top + (isAbove ? 0 : 18) > visibleBottom - bottomHeight) break;
    const shown = name.length > 16 && !isAbove ? `${name.slice(0, 15)}…` : name;
    const signWidth = outcome === undefined ? 0 : 14;
    setTextStyle(context, colors[outcome === 'pass' ? 'ok' : outcome === 'fail' ? 'bad' : 'dim'], '600 12px');
    if (outcome !== undefined) write(outcomeSymbols[outcome], 0, isAbove ? top - 6 : top + 18);
    setTextStyle(context, colors.ink, '600 12px');
    write(shown, signWidth, isAbove ? top - 6 : top + 18, isAbove ? undefined : left - signWidth - 8);
    const x = isAbove ? signWidth + context.measureText(shown).width + 8 : 0;
    setTextStyle(context, isBad ? colors.bad : colors.dim);
    // Condensed where it would reach the first request.
    write(state, x, isAbove ? top - 6 : top + 33, isAbove ? undefined : left - 10);
  }
}

/** Costs of early requests by the verdict, as ranges on the timeline's time axis. */
const costsOnAxis = ({ state, entries }: Session): LaneCost[] =>
  worstCosts(state.verdict?.costs).flatMap(({ requests: [id = 0], firstPromiseAt = '', servedAgainAt = '' }) => {
    const lane = entries.find(id)?.lane;
    const [fromMs, toMs] = [firstPromiseAt, servedAgainAt].map((time) => entries.toAxis(Date.parse(time), id));
    return lane && fromMs && toMs ? { lane, fromMs, toMs } : [];
  });

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
  if (restOf(bans) > 0) return [`banned ${timeLeft(restOf(bans), 0)}${strikes}`, true];
  if (restOf(waits) > 0) return [`told to wait ${timeLeft(restOf(waits), 0)}`, false];
  return [`${plan}${strikes}`, false];
}

function readColors(element: Element): Colors {
  const style = getComputedStyle(element);
  return Object.fromEntries(colorNames.map((name) => [name, style.getPropertyValue(`--${name}`).trim()])) as Colors;
}

import type { ShownChange } from '../control-api/update-stream.js';
import { clockText, timeLeft } from '../rate-limits/served-again.js';
import { type EntryBuffer, type Row, type RowKind, rowKinds, type Span, type TimelineLane } from './entry-buffer.js';
import { drawSymbol, type RequestSymbol, setTextStyle } from './symbols.js';
import type { TimelineAxis } from './timeline-axis.js';

export const colorNames = ['ink', 'dim', 'line', 'ok', 'wait', 'warn', 'bad', 'ban', 'accent', 'bg'] as const;
/** Colors of the timeline, read from the style sheet. */
export type Colors = Record<(typeof colorNames)[number], string>;

const laneHeight = 46;
/** Height of a key's name above its requests in the timeline, in pixels. */
const nameHeight = 16;
/** Height of the space for control operations at the top of the timeline, in pixels. */
export const topHeight = 18;
export const bottomHeight = 20;
/** Width of the timeline's columns, in pixels. Requests of a key within one column share a symbol. */
export const columnWidth = 7;
/** Maximum number of keys in the timeline before the user shows all. */
const maximumLanes = 12;
/** Maximum number of API keys in the timeline after the user expands it to show more keys. */
const maximumExpanded = 200;
/** Number of keys up to which the timeline shows each key in its own row (lane). */
const fewLanes = 4;

/** Signs of the timeline that its legend explains. */
export type DrawnSign = RequestSymbol | 'several' | 'wait' | 'ban' | 'border' | 'cost';

/** Time from which a key would have been served again without its early requests, and from which it is. */
export interface LaneCost extends Span {
  lane: TimelineLane;
}

export interface TimelineLayout {
  entries: EntryBuffer;
  costs: readonly LaneCost[];
  lanes: readonly TimelineLane[];
  /** API keys that share the timeline's last line, because the timeline has only a few lines. */
  folded: readonly TimelineLane[];
  axis: TimelineAxis;
  width: number;
  /** Width of the key names on the left side of the timeline, in pixels. If 0, each name is above its lane. */
  left: number;
  /** Bottom edge of the timeline's visible part, in pixels. The time labels are above this edge. */
  visibleBottom: number;
  selected: Row | undefined;
  nowMs: number | undefined;
  dragged: { fromX: number; toX: number } | undefined;
}

/** Layout of the timeline, and the canvas context and colors with which the timeline is drawn. */
interface Picture extends TimelineLayout {
  context: CanvasRenderingContext2D;
  colors: Colors;
  /** Number of lanes on the timeline. Each API key has a lane; the keys that do not fit share one. */
  laneCount: number;
  /** Bottom edge of the timeline's lanes (one row for each API key), in pixels. */
  bottom: number;
  /** Signs drawn so far. */
  drawn: Set<DrawnSign>;
}

/**
 * Returns the rank of a timeline's lane (the row of a key) by its worst request. 0 is the worst rank: the key was
 * banned.
 */
const gravityOf = ({ counts, bans }: TimelineLane) =>
  bans.length > 0 ? 0 : rowKinds.findIndex((kind) => counts[kind] > 0);

const isClean = (lane: TimelineLane) => gravityOf(lane) === rowKinds.length - 1;

/**
 * Sorts the timeline's lanes (one row per key), the worst first. Lanes without problems, and lanes beyond the maximum,
 * share one line.
 * @param keyId id of the only key to show, empty for requests without a key; `undefined` for all
 */
export function arrangeLanes(
  { lanes }: EntryBuffer,
  isExpanded: boolean,
  keyId: string | undefined,
): { lanes: readonly TimelineLane[]; folded: readonly TimelineLane[] } {
  const only = keyId === undefined ? undefined : lanes.get(keyId);
  if (only !== undefined) return { lanes: [only], folded: [] };
  const ordered = [...lanes.values()].sort((one, other) => gravityOf(one) - gravityOf(other));
  const wanted = isExpanded || ordered.length <= fewLanes ? ordered : ordered.filter((lane) => !isClean(lane));
  const count = wanted.length === 0 ? fewLanes : Math.min(wanted.length, isExpanded ? maximumExpanded : maximumLanes);
  return { lanes: ordered.slice(0, count), folded: ordered.slice(count) };
}

/** Name and description of the timeline's last line, which stands for several keys. */
export const foldedKeysText = (folded: readonly TimelineLane[]): [name: string, state: string] => [
  `+${folded.length} keys`,
  folded.every(isClean) ? 'all served' : 'the most severe on top',
];

const heightOf = (left: number) => laneHeight + (left === 0 ? nameHeight : 0);

/** Top edge of a key's lane in the timeline, below the key's name, in pixels. */
export const laneTop = (index: number, left: number) =>
  topHeight + index * heightOf(left) + heightOf(left) - laneHeight;

/** Index of the timeline's lane (the row of a key) at a y position. */
export const laneAt = (y: number, left: number) => Math.floor((y - topHeight) / heightOf(left));

export const layoutHeight = (lanes: number, left: number) => topHeight + lanes * heightOf(left) + bottomHeight;

/**
 * Draws the timeline: requests, waits, bans, windows, control operations and idle time. Draws one symbol per column, so
 * that many requests take little time.
 * @returns the signs that the timeline contains
 */
export function drawTimeline(
  context: CanvasRenderingContext2D,
  layout: TimelineLayout,
  colors: Colors,
): ReadonlySet<DrawnSign> {
  const { axis, lanes, folded, width, left, selected, nowMs, dragged } = layout;
  const laneCount = lanes.length + (folded.length > 0 ? 1 : 0);
  const bottom = topHeight + laneCount * heightOf(left);
  const drawn = new Set<DrawnSign>();
  const picture = { ...layout, context, colors, laneCount, bottom, drawn };
  context.clearRect(0, 0, width, bottom + bottomHeight);
  context.save();
  context.translate(left, 0);
  context.beginPath();
  context.rect(-6, 0, width - left + 6, bottom + bottomHeight);
  context.clip();
  if (lanes.length > 0) drawGrid(picture);
  for (const [index, lane] of lanes.entries()) drawSpans(picture, lane, laneTop(index, left));
  drawGapLabels(picture);
  const busy = drawRequests(picture);
  for (const [index, lane] of lanes.entries()) drawRests(picture, lane, laneTop(index, left), busy[index] as number);
  // Before the texts above the lanes, which it would cross.
  if (selected !== undefined) drawLine(picture, axis.x(selected.axisMs), colors.accent, [], 2);
  drawChanges(picture);
  if (nowMs !== undefined && nowMs <= axis.toMs) {
    const x = axis.x(nowMs);
    drawLine(picture, x, colors.accent, [3, 3]);
    setTextStyle(context, colors.accent, '11px', 'right');
    writeOver(context, colors, 'now', x - 8, 9);
  }
  if (dragged !== undefined) {
    context.fillStyle = colors.accent;
    context.globalAlpha = 0.18;
    context.fillRect(dragged.fromX, topHeight, dragged.toX - dragged.fromX, bottom - topHeight);
    context.globalAlpha = 1;
  }
  if (laneCount > 0) drawTimes(picture);
  context.restore();
  return drawn;
}

/** Writes a text over lines and other texts, on a margin in the color of the background. */
export function writeOver(
  context: CanvasRenderingContext2D,
  { bg }: Colors,
  text: string,
  x: number,
  y: number,
  maximum?: number,
): void {
  context.strokeStyle = bg;
  context.lineWidth = 4;
  context.strokeText(text, x, y, maximum);
  context.fillText(text, x, y, maximum);
  context.lineWidth = 1;
}

/** Draws the time labels at the bottom of the timeline's visible part. */
function drawTimes({ context, colors, axis, width, left, bottom, visibleBottom }: Picture): void {
  const top = Math.min(bottom, visibleBottom - bottomHeight);
  context.fillStyle = colors.bg;
  // Fills the background of the timeline's time labels, because the rows of API keys may be behind the labels.
  if (top < bottom) context.fillRect(-6, top, width, bottomHeight);
  setTextStyle(context, colors.dim, '11px', 'center');
  /**
   * Leftmost position for the next time label on the timeline, in pixels: a gap after the end of the previous label.
   * Labels that would start further left are not drawn.
   */
  let free = Number.NEGATIVE_INFINITY;
  for (const { x, label } of axis.ticks) {
    const half = context.measureText(label).width / 2;
    const middle = Math.min(Math.max(x, left > 0 ? half - 4 : half), width - left - half);
    if (middle - half < free) continue;
    context.fillText(label, middle, top + 11);
    free = middle + half + 6;
  }
}

function drawGrid(picture: Picture): void {
  const { context, colors, axis, bottom } = picture;
  for (const { x } of axis.ticks) drawLine(picture, x, colors.line, []);
  for (const { x, width: gapWidth } of axis.gaps) {
    context.fillStyle = colors.bg;
    context.fillRect(x, topHeight, gapWidth, bottom - topHeight);
    for (const edge of [x + 1, x + gapWidth - 1]) drawLine(picture, edge, colors.line, [2, 3]);
  }
}

/**
 * Writes the lengths of the idle ranges, above the bars that cross these ranges. If the names are above the lanes, a
 * length is in one lane, because it would cross a name otherwise.
 */
function drawGapLabels({ context, colors, axis, bottom, left, laneCount }: Picture): void {
  const isAbove = left === 0;
  const top = isAbove ? laneTop(laneCount >> 1, left) : topHeight;
  const height = isAbove ? laneHeight : bottom - topHeight;
  for (const { x, width, label } of axis.gaps) {
    setTextStyle(context, colors.bg, '11px', 'center');
    const length = Math.min(height, context.measureText(label).width + 8);
    context.save();
    context.translate(x + width / 2, top + height / 2);
    context.rotate(-Math.PI / 2);
    context.fillRect(-length / 2, -8, length, 16);
    context.fillStyle = colors.dim;
    context.fillText(label, 0, 0, height);
    context.restore();
  }
}

function drawSpans(picture: Picture, lane: TimelineLane, top: number): void {
  const { context, colors, axis, drawn, costs } = picture;
  const y = top + 25;
  const draw = (sign: DrawnSign, spans: readonly Span[], color: string, place: number, height: number) => {
    for (const { fromMs, toMs } of spans) {
      if (toMs < axis.fromMs || fromMs > axis.toMs) continue;
      const x = axis.x(Math.max(fromMs, axis.fromMs));
      const width = Math.max(1, axis.x(Math.min(toMs, axis.toMs)) - x);
      context.fillStyle = color;
      context.fillRect(x, place, width, height);
      if (sign === 'ban') hatch(picture, x, y, width);
      drawn.add(sign);
    }
  };
  draw('wait', lane.waits, colors.wait, y, 16);
  draw('ban', lane.bans, colors.ban, y, 16);
  const own = costs.filter((cost) => cost.lane === lane);
  // Below the bars, which it would hide.
  draw('cost', own, colors.bad, top + 42, 3);
  for (const { fromMs } of own) {
    const x = axis.x(fromMs);
    if (fromMs < axis.fromMs || fromMs > axis.toMs) continue;
    drawLine(picture, x, colors.bad, [], top + 20, top + 45);
    drawn.add('cost');
  }
  let last = Number.NEGATIVE_INFINITY;
  for (const border of lane.borders) {
    if (border < axis.fromMs || border > axis.toMs) continue;
    const x = Math.round(axis.x(border)) + 0.5;
    if (x - last < 10) continue;
    last = x;
    drawn.add('border');
    drawLine(picture, x, colors.dim, [1, 3], top + 4, top + laneHeight - 5);
  }
}

/**
 * Draws diagonal lines over the timeline bar of a ban. The bar of a wait has no lines, so users need not distinguish
 * both by color.
 */
function hatch({ context, colors }: Picture, x: number, y: number, width: number): void {
  context.save();
  context.beginPath();
  context.rect(x, y, width, 16);
  context.clip();
  context.strokeStyle = colors.bad;
  context.globalAlpha = 0.3;
  context.beginPath();
  for (let index = x - 16; index < x + width; index += 7) {
    context.moveTo(index, y + 16);
    context.lineTo(index + 16, y);
  }
  context.stroke();
  context.restore();
}

/**
 * Writes the remaining time of a wait or ban that ends beyond the timeline's right edge. Omits the text if a symbol is
 * in the way.
 */
function drawRests(
  { context, colors, axis, width, left, nowMs }: Picture,
  { waits, bans }: TimelineLane,
  top: number,
  busyX: number,
): void {
  const open = [bans.at(-1), waits.at(-1)].find((span) => span !== undefined && span.toMs > axis.toMs);
  if (open === undefined) return;
  setTextStyle(context, colors.ink, '600 11px', 'right');
  const text = nowMs === undefined ? `${timeLeft(open.toMs, open.fromMs)} ›` : `${timeLeft(open.toMs, nowMs)} left ›`;
  const x = width - left - 16;
  if (busyX < x - context.measureText(text).width - 8) context.fillText(text, x, top + 33);
}

/**
 * Draws the requests of each API key into its row of the timeline.
 * @returns for each row, the right edge of its last symbol for an unsuccessful request, in pixels; labels of the row
 * are drawn to the right of this edge
 */
function drawRequests(picture: Picture): number[] {
  const { entries, lanes, folded, axis, width, left, laneCount } = picture;
  const bins = Math.ceil((width - left) / columnWidth) + 1;
  for (const lane of entries.lanes.values()) lane.place = -1;
  for (const [index, lane] of lanes.entries()) lane.place = index;
  for (const lane of folded) lane.place = lanes.length;
  // Counters for each column of the timeline: one per kind of request, and one more for faults.
  const perBin = rowKinds.length + 1;
  const counts = new Uint32Array(laneCount * bins * perBin);
  for (const { lane, axisMs, kind, fault } of entries.rowsFrom(axis.fromMs)) {
    if (axisMs > axis.toMs || lane.place < 0) continue;
    const bin = Math.min(bins - 1, Math.max(0, Math.floor(axis.x(axisMs) / columnWidth)));
    const start = (lane.place * bins + bin) * perBin;
    (counts[start + rowKinds.indexOf(kind)] as number)++;
    if (fault !== undefined) (counts[start + rowKinds.length] as number)++;
  }
  return Array.from({ length: laneCount }, (_, index) => {
    const of = (bin: number, kind: number) => counts[(index * bins + bin) * perBin + kind] ?? 0;
    return drawLane(picture, of, bins, laneTop(index, left));
  });
}

const signOf: Record<RowKind, keyof Colors> = {
  banned: 'bad',
  strike: 'bad',
  failed: 'bad',
  refused: 'warn',
  rejected: 'warn',
  served: 'ok',
};

/**
 * Draws one API key's requests on the timeline: successful requests above, unsuccessful requests below. Of a column's
 * unsuccessful requests, only the worst kind has a symbol.
 * @param of number of requests in a column, by the index of their kind; after the last kind, of requests with a fault
 * @returns right edge of the last symbol of an unsuccessful request, in pixels
 */
function drawLane(
  { context, colors, drawn }: Picture,
  of: (bin: number, kind: number) => number,
  bins: number,
  top: number,
): number {
  const served = rowKinds.length - 1;
  const xOf = (bin: number) => bin * columnWidth + columnWidth / 2;
  const write = (text: string, x: number, y: number, align: CanvasTextAlign = 'left') => {
    setTextStyle(context, colors.dim, '10px', align);
    context.fillText(text, x, y);
  };
  // Requests that stand close together are drawn alike: each with its sign, or as bars with one number, their sum.
  let near: number[] = [];
  for (let bin = 0; bin <= bins; bin++) {
    const count = of(bin, served);
    if (count > 0) near.push(bin);
    const [first = 0] = near;
    const last = near.at(-1) ?? 0;
    if (near.length === 0 || (bin < bins && bin - last <= 2)) continue;
    const counts = near.map((each) => of(each, served));
    const sum = counts.reduce((total, each) => total + each);
    drawn.add(sum > near.length ? 'several' : 'served');
    for (const [index, each] of near.entries()) {
      const height = Math.min(12, 6 + Math.log2(counts[index] as number));
      context.fillStyle = colors.ok;
      if (sum > near.length) context.fillRect(xOf(each) - 2.5, top + 21 - height, 5, height);
      else drawSymbol(context, 'served', xOf(each), top + 18, colors.ok);
    }
    if (sum > near.length) write(sum.toLocaleString('en'), (xOf(first) + xOf(last)) / 2, top + 4, 'center');
    near = [];
  }
  let last = Number.NEGATIVE_INFINITY;
  for (let kind = served - 1; kind >= 0; kind--) {
    for (let bin = 0; bin < bins; bin++) {
      const name = rowKinds[kind] as RowKind;
      if (of(bin, kind) === 0 || rowKinds.some((_, graver) => graver < kind && of(bin, graver) > 0)) continue;
      drawSymbol(context, name, xOf(bin), top + 33, colors[signOf[name]]);
      drawn.add(name);
      last = Math.max(last, xOf(bin) + 7);
    }
  }
  const below = (bin: number) => rowKinds.reduce((sum, _, kind) => sum + (kind < served ? of(bin, kind) : 0), 0);
  for (let bin = 0; bin < bins; bin++) {
    const count = below(bin);
    if (count > 1 && below(bin + 1) + below(bin + 2) + below(bin + 3) === 0) write(`${count}`, xOf(bin) + 7, top + 33);
    if (of(bin, rowKinds.length) === 0) continue;
    drawSymbol(context, 'fault', xOf(bin), top + 44, colors.accent);
    drawn.add('fault');
  }
  return last;
}

/** Draws control operations above the timeline. Of several at one position, only the first is drawn. */
function drawChanges(picture: Picture): void {
  const { context, colors, axis, entries, width, left, nowMs = Number.POSITIVE_INFINITY } = picture;
  /** Left edge of the label of the current time. */
  const nowX = nowMs <= axis.toMs ? axis.x(nowMs) - 36 : width;
  let last = Number.NEGATIVE_INFINITY;
  const places = entries.changes.map((change) => {
    const ms = entries.instantOf(change);
    return { change, x: ms < axis.fromMs || ms > axis.toMs ? -1 : axis.x(ms) };
  });
  for (const { change, x } of places) {
    if (x < 0 || x - last < 12) continue;
    last = x;
    drawLine(picture, x, colors.accent, [1, 4], 12);
    drawSymbol(context, 'change', x, 8, colors.accent);
    picture.drawn.add('change');
    const text = `${changeText(change)} · ${change.by}`;
    const shown = text.length > 44 ? `${text.slice(0, 43)}…` : text;
    const ends = [width - left, nowX, ...places.map((each) => each.x - 11)].filter((end) => end > x);
    const next = Math.min(...ends);
    setTextStyle(context, colors.dim);
    if (x + 10 + context.measureText(shown).width < next) writeOver(context, colors, shown, x + 8, 9);
  }
}

/** Words for the control operations on a key, such as `used up` for `exhaust`. */
const keyChanges: Readonly<Record<string, string>> = {
  exhaust: 'used up',
  usage: 'usage set',
  ban: 'banned',
  unban: 'unbanned',
  revoke: 'revoked',
  restore: 'restored',
};

/** Describes a control operation in words: `free-key used up`, `clock advance 61s`. */
export function changeText({ request, input, time, until }: ShownChange): string {
  if (request === 'DELETE /journal') return 'requests cleared';
  if (request === 'POST /clock')
    return `clock ${time === until ? (input.startsWith('freeze') ? 'frozen' : 'resumed') : `moved to ${clockText(Date.parse(until), Date.parse(time))}`}`;
  const [, key, rest = ''] = /^key ([^,]+)(.*)$/.exec(input) ?? [];
  const change = keyChanges[request.slice(request.lastIndexOf('/') + 1)];
  if (key !== undefined && change !== undefined)
    return `${key} ${change}${rest.replace(/^, for (\d+)$/, (_, ms) => `, for ${timeLeft(Number(ms), 0)}`)}`;
  const [, name = ''] = /^(?:name|fault|scenario|id) ([^,]+)/.exec(input) ?? [];
  const said: Readonly<Record<string, string>> = {
    'POST /faults': `fault ${name} added`,
    'PUT /faults/{name}': `fault ${name} changed`,
    'DELETE /faults/{name}': `fault ${name} removed`,
    'PUT /pets/{id}': `pet ${name} changed`,
    'DELETE /pets/{id}': `pet ${name} deleted`,
    'POST /scenario': `${name} loaded`,
    'POST /snapshots/{name}/restore': /^page-(undo|redo)/.exec(name)?.[1] ?? `snapshot ${name} restored`,
  };
  if (name !== '' && said[request] !== undefined) return said[request];
  return `${request.replace(/^\w+ \//, '').replace(/\{\w+\}\/?/g, '')} ${input}`.trimEnd();
}

function drawLine(
  { context, bottom: lanesBottom }: Picture,
  x: number,
  color: string,
  dashes: number[],
  top = topHeight,
  bottom = lanesBottom,
): void {
  const place = Math.round(x) + 0.5;
  context.strokeStyle = color;
  context.setLineDash(dashes);
  context.beginPath();
  context.moveTo(place, top);
  context.lineTo(place, bottom);
  context.stroke();
  context.setLineDash([]);
}

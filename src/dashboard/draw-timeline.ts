import type { ShownChange } from '../control-api/update-stream.js';
import { lowest } from '../values/lowest.js';
import type { Axis } from './axis.js';
import { type EntryBuffer, type Kind, kinds, type Lane, type Row } from './entry-buffer.js';
import { drawSign } from './signs.js';

/** Colours by their name in the style sheet. */
export type Colours = Record<'ink' | 'dim' | 'line' | 'ok' | 'wait' | 'warn' | 'bad' | 'ban' | 'accent' | 'bg', string>;

export const laneHeight = 46;
/** Above the lanes, for what control operations did. */
export const topHeight = 18;
export const bottomHeight = 20;
/** Requests closer than this share a place. */
const binWidth = 7;
const mostLanes = 20;

export interface Picture {
  entries: EntryBuffer;
  lanes: readonly Lane[];
  axis: Axis;
  width: number;
  /** Where the lanes begin, right of their names. */
  left: number;
  selected: Row | undefined;
  nowMs: number | undefined;
  dragged: { fromX: number; toX: number } | undefined;
}

/** The lanes to draw: those with requests, the first ones first. */
export const shownLanes = ({ lanes }: EntryBuffer): Lane[] => [...lanes.values()].slice(0, mostLanes);

export const pictureHeight = (lanes: number) => topHeight + lanes * laneHeight + bottomHeight;

/** Draws requests, waits, bans, windows, changes and idle time; one place of a lane at a time, however many requests it has. */
export function drawTimeline(context: CanvasRenderingContext2D, picture: Picture, colours: Colours): void {
  const { axis, lanes, width, left, selected, nowMs, dragged } = picture;
  const bottom = topHeight + lanes.length * laneHeight;
  context.clearRect(0, 0, width, bottom + bottomHeight);
  context.save();
  context.translate(left, 0);
  context.beginPath();
  context.rect(-6, 0, width - left + 6, bottom + bottomHeight);
  context.clip();
  if (lanes.length > 0) drawGrid(context, picture, colours, bottom);
  for (const [index, lane] of lanes.entries()) drawSpans(context, lane, axis, topHeight + index * laneHeight, colours);
  drawRequests(context, picture, colours);
  drawChanges(context, picture, colours, bottom);
  if (nowMs !== undefined && nowMs <= axis.toMs)
    drawLine(context, axis.x(nowMs), topHeight, bottom, colours.accent, [3, 3]);
  if (selected !== undefined) drawLine(context, axis.x(selected.axisMs), 2, bottom, colours.accent, []);
  if (dragged !== undefined) {
    context.fillStyle = colours.accent;
    context.globalAlpha = 0.18;
    context.fillRect(dragged.fromX, topHeight, dragged.toX - dragged.fromX, bottom - topHeight);
    context.globalAlpha = 1;
  }
  context.restore();
}

function drawGrid(
  context: CanvasRenderingContext2D,
  { axis, width, left }: Picture,
  colours: Colours,
  bottom: number,
): void {
  context.font = '11px system-ui, sans-serif';
  context.textAlign = 'center';
  context.textBaseline = 'middle';
  for (const { x, label } of axis.ticks) {
    drawLine(context, x, topHeight, bottom, colours.line, []);
    context.fillStyle = colours.dim;
    const half = context.measureText(label).width / 2;
    context.fillText(label, Math.min(Math.max(x, left > 0 ? half - 4 : half), width - left - half), bottom + 11);
  }
  for (const { x, width: gapWidth, label } of axis.gaps) {
    context.fillStyle = colours.bg;
    context.fillRect(x, topHeight, gapWidth, bottom - topHeight);
    context.fillStyle = colours.dim;
    context.save();
    context.translate(x + gapWidth / 2, (topHeight + bottom) / 2);
    context.rotate(-Math.PI / 2);
    context.fillText(label, 0, 0, bottom - topHeight);
    context.restore();
    drawLine(context, x + 1, topHeight, bottom, colours.line, [2, 3]);
    drawLine(context, x + gapWidth - 1, topHeight, bottom, colours.line, [2, 3]);
  }
}

function drawSpans(context: CanvasRenderingContext2D, lane: Lane, axis: Axis, top: number, colours: Colours): void {
  const y = top + 25;
  for (const [spans, colour] of [
    [lane.waits, colours.wait],
    [lane.bans, colours.ban],
  ] as const) {
    context.fillStyle = colour;
    for (const { fromMs, toMs } of spans) {
      if (toMs < axis.fromMs || fromMs > axis.toMs) continue;
      const x = axis.x(Math.max(fromMs, axis.fromMs));
      context.fillRect(x, y, Math.max(1, axis.x(Math.min(toMs, axis.toMs)) - x), 16);
    }
  }
  context.strokeStyle = colours.dim;
  let last = Number.NEGATIVE_INFINITY;
  for (const border of lane.borders) {
    if (border < axis.fromMs || border > axis.toMs) continue;
    const x = Math.round(axis.x(border)) + 0.5;
    if (x - last < 10) continue;
    last = x;
    drawLine(context, x, top + 4, top + laneHeight - 5, colours.dim, [1, 3]);
  }
}

/** How many requests of each kind there are at each place of each lane. */
function drawRequests(context: CanvasRenderingContext2D, picture: Picture, colours: Colours): void {
  const { entries, lanes, axis, width, left } = picture;
  const bins = Math.ceil((width - left) / binWidth) + 1;
  for (const lane of entries.lanes.values()) lane.place = lanes.indexOf(lane);
  // One more kind: with a fault.
  const perBin = kinds.length + 1;
  const counts = new Uint32Array(lanes.length * bins * perBin);
  const { rows } = entries;
  for (let at = lowest(rows.length, (at) => (rows[at] as Row).axisMs >= axis.fromMs); at < rows.length; at++) {
    const { lane, axisMs, kind, fault } = rows[at] as Row;
    const index = lane.place;
    if (axisMs > axis.toMs || index < 0) continue;
    const bin = Math.min(bins - 1, Math.max(0, Math.floor(axis.x(axisMs) / binWidth)));
    const start = (index * bins + bin) * perBin;
    (counts[start + kinds.indexOf(kind)] as number)++;
    if (fault !== undefined) (counts[start + kinds.length] as number)++;
  }
  for (let index = 0; index < lanes.length; index++) {
    const top = topHeight + index * laneHeight;
    for (let bin = 0; bin < bins; bin++) {
      const start = (index * bins + bin) * perBin;
      drawBin(context, counts.subarray(start, start + perBin), bin * binWidth + binWidth / 2, top, colours);
    }
  }
}

const signOf: Record<Kind, keyof Colours> = {
  banned: 'bad',
  strike: 'bad',
  refused: 'warn',
  rejected: 'warn',
  failed: 'warn',
  served: 'ok',
};

/** Served requests stand above, all others below, of those the gravest. */
function drawBin(
  context: CanvasRenderingContext2D,
  counts: Uint32Array,
  x: number,
  top: number,
  colours: Colours,
): void {
  const served = counts[kinds.length - 1] as number;
  if (served > 0) {
    context.fillStyle = colours.ok;
    const y = top + 21;
    if (served <= 2) for (let n = 0; n < served; n++) drawSign(context, 'served', x, y - 3 - n * 7, colours.ok);
    else {
      const height = Math.min(18, 8 + Math.log2(served) * 2);
      context.fillRect(x - 2.5, y - height, 5, height);
    }
  }
  const gravest = kinds.findIndex((_, at) => at < kinds.length - 1 && (counts[at] as number) > 0);
  if (gravest >= 0) {
    const kind = kinds[gravest] as Kind;
    drawSign(context, kind, x, top + 33, colours[signOf[kind]]);
  }
  if ((counts[kinds.length] as number) > 0) drawSign(context, 'fault', x, top + 44, colours.accent);
}

/** Where there are many, the first of each place, and a name where there is room. */
function drawChanges(
  context: CanvasRenderingContext2D,
  { axis, entries, width, left }: Picture,
  colours: Colours,
  bottom: number,
): void {
  let last = Number.NEGATIVE_INFINITY;
  const places = entries.changes.map((change) => {
    const ms = entries.instantOf(change);
    return { change, x: ms < axis.fromMs || ms > axis.toMs ? -1 : axis.x(ms) };
  });
  for (const [index, { change, x }] of places.entries()) {
    if (x < 0 || x - last < 12) continue;
    last = x;
    drawLine(context, x, 12, bottom, colours.accent, [1, 4]);
    drawSign(context, 'change', x, 8, colours.accent);
    const { by } = change;
    const text = `${changeText(change)} · ${by}`;
    const shown = text.length > 44 ? `${text.slice(0, 43)}…` : text;
    const next = places.slice(index + 1).find((each) => each.x - x >= 12)?.x ?? width - left;
    context.fillStyle = colours.dim;
    context.font = '11px system-ui, sans-serif';
    context.textAlign = 'left';
    if (x + 10 + context.measureText(shown).width < next) context.fillText(shown, x + 8, 9);
  }
}

/** `clock advance 61s` of a `POST /clock`. */
export const changeText = ({ request, input }: ShownChange) =>
  `${request.replace(/^\w+ \//, '').replace(/\{\w+\}\/?/g, '')} ${input}`.trimEnd();

function drawLine(
  context: CanvasRenderingContext2D,
  x: number,
  top: number,
  bottom: number,
  colour: string,
  dashes: number[],
): void {
  const place = Math.round(x) + 0.5;
  context.strokeStyle = colour;
  context.setLineDash(dashes);
  context.beginPath();
  context.moveTo(place, top);
  context.lineTo(place, bottom);
  context.stroke();
  context.setLineDash([]);
}

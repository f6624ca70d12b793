import { formatDuration } from '../../values/format-duration.js';
import { groupBy } from '../../values/group-by.js';
import { sanitizeText } from '../../values/sanitize-text.js';
import { type RequestKind, requestKinds } from '../request-kind.js';
import type { Style } from './style.js';
import { createTimeAxis, type TimeAxis } from './time-axis.js';
import type { Timeline, TimelineMark, TimelineRow } from './timeline.js';
import { markNames } from './wording.js';

/** Character and color of each kind of request on the timeline in the terminal. */
const signs = {
  served: ['•', 'green'],
  refused: ['×', 'yellow'],
  strike: ['!', 'red'],
  banned: ['#', 'red'],
  unauthorized: ['?', 'cyan'],
  rejected: ['○', 'cyan'],
  failed: ['~', 'cyan'],
} as const satisfies Record<RequestKind, [sign: string, color: string]>;

const wait = '─';
const deadline = '┤';
const ban = '═';
const open = '›';
/** Minimum width of a timeline's first column, in characters. The column has the API keys and their plans. */
const minimumLabelWidth = 18;
const maximumLabelWidth = 28;

/** Kinds of requests that a timeline draws in an API key's upper line. Refused requests are in the lower line. */
const passed: readonly RequestKind[] = ['served', 'failed', 'rejected', 'unauthorized'];

/**
 * Draws a timeline as lines of text, with time from left to right. Each API key has two lines: accepted requests, and
 * refused requests with their waits.
 */
export function drawTerminalTimeline(timeline: Timeline, columns: number, style: Style): string[] {
  const labels = timeline.rows.map(({ name, plan = '' }) => sanitizeText(`${name} ${plan}`).trim());
  const labelWidth = Math.min(
    maximumLabelWidth,
    Math.max(minimumLabelWidth, ...labels.map(({ length }) => length + 2)),
  );
  const width = columns - labelWidth;
  const axis = createTimeAxis(timeline, Math.floor(width / 9));
  const column = (ms: number) => Math.round(axis.at(ms) * (width - 1));
  const picture = { endMs: timeline.endMs, column, style };
  const blank = ' '.repeat(labelWidth);
  const rows = timeline.rows.flatMap((row, index) => {
    const label = (labels[index] as string).slice(0, labelWidth - 2).padEnd(labelWidth);
    const above = Array.from({ length: width }, () => ' ');
    const below = [...above];
    const isAbove = ({ kind }: TimelineMark) => passed.includes(kind);
    drawSpans(below, row, picture);
    drawMarks(above, row.marks.filter(isAbove), picture);
    drawMarks(
      below,
      row.marks.filter((mark) => !isAbove(mark)),
      picture,
    );
    writeOpenEnds(below, row, picture);
    const lines = [above, below].map((cells) => cells.join('').trimEnd()).filter((line) => line !== '');
    return lines.map((line, index) => `  ${index === 0 ? label : blank}${line}`);
  });
  const scale = drawAxis(axis, width).map((line) => `  ${blank}${style('dim', line)}`);
  return [...rows, ...scale, '', ...legend(timeline, columns, style)];
}

/**
 * Settings for drawing a timeline as text: the end of the drawn time in Unix milliseconds, the column of a given time,
 * and the text styles.
 */
interface Picture {
  endMs: number;
  column: (ms: number) => number;
  style: Style;
}

const barsOf = ({ waits, bans }: TimelineRow) =>
  [
    { spans: waits, line: wait, color: 'yellow' },
    { spans: bans, line: ban, color: 'red' },
  ] as const;

function drawSpans(cells: string[], row: TimelineRow, { endMs, column, style }: Picture): void {
  for (const { spans, line, color } of barsOf(row)) {
    for (const { fromMs, toMs, hasDeadline } of spans) {
      const last = column(toMs);
      for (let index = column(fromMs); index <= last; index++) cells[index] = style(color, line);
      if (toMs > endMs) cells[last] = style(color, open);
      else if (hasDeadline) cells[last] = style(color, deadline);
    }
  }
}

/**
 * Writes the length of a wait that continues after the end of the drawn timeline. The length is left out if a mark is
 * in its place.
 */
function writeOpenEnds(cells: string[], row: TimelineRow, { endMs, column, style }: Picture): void {
  for (const { spans, color } of barsOf(row)) {
    for (const { fromMs, toMs } of spans) {
      if (toMs <= endMs) continue;
      const text = ` ${formatDuration(toMs - fromMs)} ${open}`;
      const start = cells.length - text.length;
      if (row.marks.some(({ atMs }) => column(atMs) >= start)) continue;
      for (const [index, character] of [...text].entries()) cells[start + index] = style(color, character);
    }
  }
}

/**
 * Draws the marks of a timeline. Several requests at one position get the mark of the worst kind, followed by their
 * number if there is room.
 */
function drawMarks(cells: string[], marks: readonly TimelineMark[], { column, style }: Picture): void {
  const places = groupBy(marks, ({ atMs }) => column(atMs));
  for (const [at, here] of places) {
    const gravest = requestKinds.find((each) => here.some(({ kind }) => kind === each)) as RequestKind;
    const [sign, color] = signs[gravest];
    cells[at] = style(color, sign);
    const digits = here.length === 1 ? [] : [...String(here.length)];
    const isFree = (index: number) => at + index < cells.length && !places.has(at + index);
    if (!digits.every((_, index) => isFree(index + 1)) || !isFree(digits.length + 1)) continue;
    for (const [index, digit] of digits.entries()) cells[at + index + 1] = style('dim', digit);
  }
}

function legend({ rows }: Timeline, columns: number, style: Style): string[] {
  const used = new Set(rows.flatMap(({ marks }) => marks.map(({ kind }) => kind)));
  const items: { sign: string; color: (typeof signs)[RequestKind][1]; name: string }[] = [...requestKinds]
    .reverse()
    .filter((kind) => used.has(kind))
    .map((kind) => ({ sign: signs[kind][0], color: signs[kind][1], name: markNames[kind] }));
  if (rows.some(({ waits }) => waits.length > 0)) {
    items.push({ sign: wait + deadline, color: 'yellow', name: 'told to wait' });
  }
  if (rows.some(({ bans }) => bans.length > 0)) items.push({ sign: ban + deadline, color: 'red', name: 'banned' });
  const lines: string[] = [];
  let lineLength = 0;
  for (const { sign, color, name } of items) {
    const length = sign.length + 1 + name.length;
    const text = `${style(color, sign)} ${name}`;
    if (lines.length === 0 || lineLength + 3 + length > columns) {
      lines.push(`  ${text}`);
      lineLength = 2 + length;
    } else {
      lines.push(`${lines.pop()}   ${text}`);
      lineLength += 3 + length;
    }
  }
  return lines;
}

/** Draws the axis of a timeline as two lines of text: marks, and labels where they fit. */
function drawAxis({ ticks, cut }: TimeAxis, width: number): string[] {
  const line = Array.from({ length: width }, () => '─');
  let labels = '';
  const write = (index: number, text: string) => {
    const start = Math.min(index, width - text.length);
    if (start < labels.length + (labels === '' ? 0 : 2)) return;
    labels = labels.padEnd(start) + text;
  };
  const places = [
    ...ticks.map(({ at, label }) => ({ at: Math.round(at * (width - 1)), label, mark: '┴' })),
    ...(cut === undefined
      ? []
      : [{ at: Math.round(cut.at * (width - 1)), label: `(${formatDuration(cut.ms)})`, mark: '≈' }]),
  ].sort((a, b) => a.at - b.at);
  for (const { at, label, mark } of places) {
    line[at] = mark;
    write(mark === '≈' ? at - Math.floor(label.length / 2) : at, label);
  }
  return [line.join(''), labels];
}

import { formatDuration } from '../finding.js';
import type { TimeAxis } from './time-axis.js';

/** Draws the axis of a timeline as two lines of text: marks, and labels where they fit. */
export function drawAxis({ ticks, cut }: TimeAxis, width: number): string[] {
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

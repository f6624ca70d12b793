import type { Timeline } from './timeline.js';

/** Horizontal axis of a timeline. Positions are numbers from 0 (left) to 1 (right). */
export interface TimeAxis {
  at(ms: number): number;
  ticks: { at: number; label: string }[];
  /**
   * Idle period that the timeline's axis draws shorter than true scale: its position on the axis, and its length in
   * milliseconds. `undefined` if no period is shortened.
   */
  cut: { at: number; ms: number } | undefined;
}

/**
 * Maximum length of an idle period that the time axis draws to scale, as a fraction of the whole axis. A longer idle
 * period is drawn shortened.
 */
const longestShare = 0.9;
/** Share of the timeline's width that a shortened idle period occupies. */
const cutShare = 0.3;

const steps = [
  1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 15_000, 30_000, 60_000, 120_000, 300_000, 600_000,
  1_800_000, 3_600_000, 7_200_000, 21_600_000, 43_200_000, 86_400_000,
];

/** Creates the axis of a timeline. @param maximumTicks maximum number of labels */
export function createTimeAxis({ startMs, endMs, rows }: Timeline, maximumTicks: number): TimeAxis {
  const wholeMs = Math.max(1, endMs - startMs);
  const gap = longestGap([
    startMs,
    endMs,
    ...rows.flatMap(({ marks, waits, bans }) => [
      ...marks.map(({ atMs }) => atMs),
      ...[...waits, ...bans].map(({ toMs }) => toMs).filter((ms) => ms < endMs),
    ]),
  ]);
  const gapMs = gap.toMs - gap.fromMs;
  const isCut = gapMs > wholeMs * longestShare && gapMs < wholeMs;
  const scale = isCut ? (1 - cutShare) / (wholeMs - gapMs) : 1 / wholeMs;
  const at = createScale(startMs, scale, isCut ? [gap] : [], cutShare);
  const shownMs = isCut ? wholeMs - gapMs : wholeMs;
  const most = isCut ? maximumTicks * (1 - cutShare) : maximumTicks;
  const stepMs = steps.find((each) => shownMs / each <= most) ?? Math.ceil(shownMs / most / 86_400_000) * 86_400_000;
  const ticks: TimeAxis['ticks'] = [];
  for (let ms = startMs; ms <= endMs; ms += stepMs) {
    if (isCut && ms > gap.fromMs && ms < gap.toMs) {
      ms += Math.floor((gap.toMs - ms) / stepMs) * stepMs;
      continue;
    }
    ticks.push({ at: at(ms), label: offset(ms - startMs, stepMs) });
  }
  const cut = isCut ? { at: (at(gap.fromMs) + at(gap.toMs)) / 2, ms: gapMs } : undefined;
  return { at: (ms) => Math.min(1, Math.max(0, at(ms))), ticks, cut };
}

/**
 * Creates the mapping from times to positions on an axis.
 * @param scale length of a millisecond on the axis
 * @param gaps idle periods in order, each of which is drawn with the length `gapLength`
 */
export const createScale =
  (startMs: number, scale: number, gaps: readonly { fromMs: number; toMs: number }[], gapLength: number) =>
  (ms: number): number => {
    let skippedMs = 0;
    let before = 0;
    for (const { fromMs, toMs } of gaps) {
      if (ms <= fromMs) break;
      if (ms < toMs) {
        const share = (ms - fromMs) / (toMs - fromMs);
        return (fromMs - startMs - skippedMs) * scale + before + share * gapLength;
      }
      skippedMs += toMs - fromMs;
      before += gapLength;
    }
    return (ms - startMs - skippedMs) * scale + before;
  };

/**
 * Formats a time after the start of the run: `0 s`, `250 ms`, `1:30 min`, `2 h`. The precision depends on the distance
 * between labels.
 */
function offset(ms: number, stepMs: number): string {
  if (stepMs < 1_000 && ms < 1_000) return `${ms} ms`;
  if (ms < 60_000) return `${Number((ms / 1_000).toFixed(3))} s`;
  if (ms >= 3_600_000) return `${Number((ms / 3_600_000).toFixed(stepMs < 360_000 ? 2 : 1))} h`;
  const seconds = Math.round((ms % 60_000) / 1_000);
  return `${Math.floor(ms / 60_000)}${seconds === 0 ? '' : `:${String(seconds).padStart(2, '0')}`} min`;
}

function longestGap(instants: readonly number[]): { fromMs: number; toMs: number } {
  const sorted = [...instants].sort((a, b) => a - b);
  let longest = { fromMs: 0, toMs: 0 };
  for (const [index, toMs] of sorted.entries()) {
    const fromMs = sorted[index - 1] ?? toMs;
    if (toMs - fromMs > longest.toMs - longest.fromMs) longest = { fromMs, toMs };
  }
  return longest;
}

import { formatDuration } from '../judge/finding.js';

/** Formats a wait in seconds: `0.9 s`, `9 s`, `37.2 s`; never in milliseconds. */
export const formatWait = (ms: number) =>
  ms < 100 || ms >= 120_000 ? formatDuration(ms) : `${Number((ms / 1000).toFixed(1))} s`;

/** Formats a remaining wait: `0.4 s`, `37 s`, `1:48` (minutes), `2:00:00` (hours), `3 days`. */
export function formatRemaining(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1000));
  if (ms < 10_000) return formatWait(ms);
  if (seconds < 60) return `${seconds} s`;
  if (seconds >= 172_800) return formatDuration(ms);
  const two = (value: number) => String(value).padStart(2, '0');
  const minutes = Math.floor(seconds / 60);
  const small = `${two(seconds % 60)}`;
  return minutes < 60 ? `${minutes}:${small}` : `${Math.floor(minutes / 60)}:${two(minutes % 60)}:${small}`;
}

/** Describes a retry during a wait: `retried after 2 s instead of 58 s`; empty if the wait is unknown. */
export const retriedText = ({ waitedMs, waitMs }: { waitedMs: number; waitMs?: number | undefined }) =>
  waitMs === undefined ? '' : `retried after ${formatWait(waitedMs)} instead of ${formatWait(waitMs)}`;

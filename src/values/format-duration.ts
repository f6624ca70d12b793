/** Formats a duration: `80 ms`, `12.4 s`, `2.5 min`, `12.5 h`, `30 days`. */
export function formatDuration(ms: number): string {
  const size = Math.abs(ms);
  if (size < 1_000) return `${Math.round(ms)} ms`;
  if (size < 120_000) return `${(ms / 1_000).toFixed(1)} s`;
  const [unit, length] =
    size < 7_200_000 ? ['min', 60_000] : size < 172_800_000 ? ['h', 3_600_000] : ['days', 86_400_000];
  return `${Number((ms / length).toFixed(1))} ${unit}`;
}

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

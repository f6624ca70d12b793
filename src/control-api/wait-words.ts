import { formatWait } from '../values/format-duration.js';

/** Formats the wait that a refusal asked for, in whole seconds up, as Retry-After states it. */
export const formatAskedWait = (ms: number) => formatWait(Math.ceil(ms / 1000) * 1000);

/** Describes a retry during a wait: `retried after 2 s instead of 58 s`; empty if the wait is unknown. */
export const retriedText = ({ waitedMs, waitMs }: { waitedMs: number; waitMs?: number | undefined }) =>
  waitMs === undefined ? '' : `retried after ${formatWait(waitedMs)} instead of ${formatAskedWait(waitMs)}`;

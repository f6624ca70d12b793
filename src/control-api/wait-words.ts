import { formatWait } from '../values/format-duration.js';

/** Describes a retry during a wait: `retried after 2 s instead of 58 s`; empty if the wait is unknown. */
export const retriedText = ({ waitedMs, waitMs }: { waitedMs: number; waitMs?: number | undefined }) =>
  waitMs === undefined ? '' : `retried after ${formatWait(waitedMs)} instead of ${formatWait(waitMs)}`;

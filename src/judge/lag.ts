import { formatDuration } from './finding.js';

/** Formats the mark of a verdict that a lag of the machine could have changed. */
export const busyMark = (lagMs: number) => `machine was busy (lag ${formatDuration(lagMs)})`;

/** Whether a lag of the machine could have changed the outcome of a run. */
export const isBusy = ({ lagMs }: { lagMs?: number | undefined }) => lagMs !== undefined;

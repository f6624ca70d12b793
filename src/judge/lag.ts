import { formatDuration } from '../values/format-duration.js';

/** Measurement of how late the timers of a process or page fire. Times are in milliseconds. */
export interface LagMeter {
  /** Maximum lateness so far, until `stop` is called. */
  maximumMs(): number;
  /** Time since the start of the measurement, by a clock that no fake timers change. */
  elapsedMs(): number;
  stop(): void;
}

/** Formats the mark of a verdict that a lag of the machine could have changed. */
export const busyMark = (lagMs: number) => `machine was busy (lag ${formatDuration(lagMs)})`;

/** Whether a lag of the machine could have changed the outcome of a run. */
export const isBusy = ({ lagMs }: { lagMs?: number | undefined }) => lagMs !== undefined;

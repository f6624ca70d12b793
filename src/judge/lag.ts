import { formatDuration } from './finding.js';
import type { Verdict } from './judge-run.js';

/** Formats the mark of a verdict that a lag of the machine could have changed. */
export const busyMark = (lagMs: number) => `machine was busy (lag ${formatDuration(lagMs)})`;

/** Whether a lag of the machine could have changed the outcome of a run. */
export const isBusy = ({ lagMs }: Pick<Verdict, 'lagMs'>) => lagMs !== undefined;

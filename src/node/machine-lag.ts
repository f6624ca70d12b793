import { monitorEventLoopDelay } from 'node:perf_hooks';

/** Interval between measurements, in milliseconds. */
const resolution = 10;

/**
 * Starts to measure how late this process's timers fire, because a busy machine delays a client as much. Fake timers of
 * a test runner do not affect the measurement.
 * @returns function that ends the measurement and returns the maximum lateness, in milliseconds
 */
export function measureLag(): () => number {
  const delays = monitorEventLoopDelay({ resolution });
  delays.enable();
  return () => {
    delays.disable();
    return Math.max(0, Math.round(delays.max / 1e6) - resolution);
  };
}

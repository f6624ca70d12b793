import { monitorEventLoopDelay, performance } from 'node:perf_hooks';

/** Interval between measurements, in milliseconds. */
const resolution = 10;

// A test runner's fake timers replace the method later.
const nowMs = performance.now.bind(performance);

/**
 * Starts to measure how late this process's timers fire, because a busy machine delays a client as much. Fake timers of
 * a test runner do not affect the measurement.
 */
export function measureLag() {
  const startMs = nowMs();
  const delays = monitorEventLoopDelay({ resolution });
  delays.enable();
  return {
    maximumMs: () => Math.max(0, Math.round(delays.max / 1e6) - resolution),
    elapsedMs: () => nowMs() - startMs,
    stop: () => void delays.disable(),
  };
}

import { fakeClock } from '../hunt/virtual-time.js';
import { markLag } from '../judge/deciding-lag.js';
import type { Verdict } from '../judge/judge-run.js';
import { toleranceMs } from '../judge/judged-request.js';
import type { LagMeter } from '../judge/lag.js';
import { coreOf, type Simulator } from '../simulator/simulator.js';

/**
 * Measures the lag of the machine while a test runs its client. The lag is zero under fake timers.
 * @returns function that ends the measurement
 */
export function startLag(sim: Simulator, measureLag: () => LagMeter): () => void {
  if (fakeClock() !== undefined) return () => {};
  const meter = measureLag();
  const startMs = sim.clock.now();
  coreOf(sim).lagMs = () => (isRealTime(sim, startMs, meter.elapsedMs()) ? meter.maximumMs() : 0);
  return meter.stop;
}

/** Adds to a test's verdict the lag of the machine that could have changed the outcome. */
export const withLag = (sim: Simulator, verdict: Verdict): Verdict =>
  markLag(sim, verdict, {}, { timerMs: coreOf(sim).lagMs?.() ?? 0, startMs: 0 });

/**
 * Whether a simulator's time has passed as real time, also for its requests. Fake timers may be uninstalled before the
 * verdict, and a test may move the clock.
 */
function isRealTime({ clock, journal, scenario }: Simulator, startMs: number, elapsedMs: number): boolean {
  const nowMs = startMs + elapsedMs * (scenario.clock?.speed ?? 1);
  const times = journal.query().flatMap(({ arrivedAtMs, answeredAtMs }) => [arrivedAtMs, answeredAtMs]);
  return (
    Math.abs(clock.now() - nowMs) <= toleranceMs &&
    times.every((ms) => ms >= startMs - toleranceMs && ms <= nowMs + toleranceMs)
  );
}

import type { SimulatedClock } from './simulated-clock.js';

/**
 * Rounds a simulated clock up to a whole second. X-RateLimit-Reset is in whole seconds, so a fraction would influence
 * verdicts. Rounding down would make a client too early that waits until the reset by its own clock.
 */
export function roundUpToSecond(clock: SimulatedClock): void {
  clock.restore({ ...clock.state(), nowMs: Math.ceil(clock.now() / 1000) * 1000 });
}

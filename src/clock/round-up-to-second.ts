import type { SimulatedClock } from './simulated-clock.js';

/**
 * Rounds a simulated clock up to a whole second, because X-RateLimit-Reset has whole seconds and a fraction would
 * influence verdicts. After rounding down, a client that waits by its own clock would retry before the reset.
 */
export function roundUpToSecond(clock: SimulatedClock): void {
  clock.restore({ ...clock.state(), nowMs: Math.ceil(clock.now() / 1000) * 1000 });
}

import type { SimulatedClock } from './simulated-clock.js';

/**
 * Rounds a clock up to a whole second. X-RateLimit-Reset is in whole seconds, so verdicts would otherwise depend on the
 * fraction. Rounded up, because a client that waits for Reset by its own clock must not be early.
 */
export function roundUpToSecond(clock: SimulatedClock): void {
  clock.restore({ ...clock.state(), nowMs: Math.ceil(clock.now() / 1000) * 1000 });
}

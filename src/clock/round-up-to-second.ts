import type { SimulatedClock } from './simulated-clock.js';

/** Rounds a simulated clock up to a whole second, the unit of the header X-RateLimit-Reset. */
export function roundUpToSecond(clock: SimulatedClock): void {
  clock.restore({ ...clock.state(), nowMs: Math.ceil(clock.now() / 1000) * 1000 });
}

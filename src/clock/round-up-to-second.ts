import type { SimulatedClock } from './simulated-clock.js';

/**
 * Puts a clock forward to the next whole second. X-RateLimit-Reset is whole seconds, so a verdict would else depend on
 * when in a second a run began; and forward, because a client that waits for Reset by its own clock must not be early for that.
 */
export function putOnASecond(clock: SimulatedClock): void {
  clock.restore({ ...clock.state(), nowMs: Math.ceil(clock.now() / 1000) * 1000 });
}

import type { Exchange } from '../../traffic-files/exchange.js';
import type { TimeRange } from './simulated-window.js';

/** Delay with which a server updates its `Date` header, in milliseconds. Servers cache the text for a second. */
const lateDateMs = 20;

/**
 * Estimate of the difference between the service's clock and the recording machine's. `Date` headers have only whole
 * seconds, so the estimate is a range.
 */
export class ServiceClock {
  #leastMs = Number.NEGATIVE_INFINITY;
  #mostMs = Number.POSITIVE_INFINITY;

  /** Range of the time that the service's clock is ahead of the recording machine's, in milliseconds. */
  get offset(): { readonly leastMs: number; readonly mostMs: number } {
    return { leastMs: this.#leastMs, mostMs: this.#mostMs };
  }

  note({ dateMs, arrivedAtMs, answeredAtMs }: Exchange): void {
    if (dateMs === undefined) return;
    const [leastMs, mostMs] = [dateMs - answeredAtMs, dateMs + 1_000 - arrivedAtMs];
    this.#leastMs = Math.max(this.#leastMs, leastMs);
    this.#mostMs = Math.min(this.#mostMs, mostMs);
    // Starts the estimate of the clock difference anew from the last response, because a clock was set or drifted.
    if (this.#leastMs > this.#mostMs) [this.#leastMs, this.#mostMs] = [leastMs, mostMs];
  }

  /**
   * Returns the range of times at which the service counted a request, by the service's clock. Without `Date` headers,
   * both clocks count as equal.
   */
  arrivalOf({ dateMs, arrivedAtMs, answeredAtMs }: Exchange): TimeRange {
    const [least, most] = Number.isFinite(this.#leastMs) ? [this.#leastMs, this.#mostMs + lateDateMs] : [0, 0];
    const latest = dateMs === undefined ? Number.POSITIVE_INFINITY : dateMs + 1_000 + lateDateMs;
    const sent = arrivedAtMs + least;
    return [sent, Math.max(sent, Math.min(answeredAtMs + most, latest))];
  }
}

import type { Exchange } from '../../traffic-files/exchange.js';
import type { TimeRange } from './simulated-window.js';

/**
 * Assumed maximum delay with which a server updates its `Date` header. Servers cache the header's text for a second.
 */
const lateDateMs = 20;

/**
 * Estimate of the difference between the service's clock and the recording machine's. `Date` headers have only whole
 * seconds, so the estimate is a range.
 */
export class ServiceClock {
  #minimumMs = Number.NEGATIVE_INFINITY;
  #maximumMs = Number.POSITIVE_INFINITY;

  /**
   * Range of the difference between the clock of the recorded API and the clock of the recording machine, in
   * milliseconds. Positive if the API's clock is ahead.
   */
  get offset(): { readonly minimumMs: number; readonly maximumMs: number } {
    return { minimumMs: this.#minimumMs, maximumMs: this.#maximumMs };
  }

  note({ dateMs, arrivedAtMs, answeredAtMs }: Exchange): void {
    if (dateMs === undefined) return;
    const [minimumMs, maximumMs] = [dateMs - answeredAtMs, dateMs + 1_000 - arrivedAtMs];
    this.#minimumMs = Math.max(this.#minimumMs, minimumMs);
    this.#maximumMs = Math.min(this.#maximumMs, maximumMs);
    // Discards the earlier estimate of the difference between the clocks of the real API and the recording machine,
    // because the last response contradicts the estimate. One of the clocks was set, or runs faster.
    if (this.#minimumMs > this.#maximumMs) [this.#minimumMs, this.#maximumMs] = [minimumMs, maximumMs];
  }

  /**
   * Returns the earliest and the latest time at which the service can have counted a request, by the service's clock.
   * Without a `Date` header in any response, the service's clock is assumed to equal this machine's.
   */
  arrivalOf({ dateMs, arrivedAtMs, answeredAtMs }: Exchange): TimeRange {
    const [minimum, maximum] = Number.isFinite(this.#minimumMs)
      ? [this.#minimumMs, this.#maximumMs + lateDateMs]
      : [0, 0];
    const latest = dateMs === undefined ? Number.POSITIVE_INFINITY : dateMs + 1_000 + lateDateMs;
    const sent = arrivedAtMs + minimum;
    return [sent, Math.max(sent, Math.min(answeredAtMs + maximum, latest))];
  }
}

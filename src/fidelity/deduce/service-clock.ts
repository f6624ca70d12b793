import type { Exchange } from '../../traffic-files/exchange.js';
import type { Span } from './simulated-window.js';

/** Servers cache the text of `Date` for a second, and replace it a little late. */
const lateDateMs = 20;

/** Difference between the service's clock and the recorder's, from `Date`, which is cut to whole seconds. */
export class ServiceClock {
  #leastMs = Number.NEGATIVE_INFINITY;
  #mostMs = Number.POSITIVE_INFINITY;

  /** Lead of the service's clock, in milliseconds. */
  get offset(): { readonly leastMs: number; readonly mostMs: number } {
    return { leastMs: this.#leastMs, mostMs: this.#mostMs };
  }

  note({ dateMs, arrivedAtMs, answeredAtMs }: Exchange): void {
    if (dateMs === undefined) return;
    const [leastMs, mostMs] = [dateMs - answeredAtMs, dateMs + 1_000 - arrivedAtMs];
    this.#leastMs = Math.max(this.#leastMs, leastMs);
    this.#mostMs = Math.min(this.#mostMs, mostMs);
    // One of the clocks was set, or they drift apart: the last response counts.
    if (this.#leastMs > this.#mostMs) [this.#leastMs, this.#mostMs] = [leastMs, mostMs];
  }

  /** Interval in which the service counted a request, by its own clock. Without any `Date`, the clocks are one. */
  arrivalOf({ dateMs, arrivedAtMs, answeredAtMs }: Exchange): Span {
    const [least, most] = Number.isFinite(this.#leastMs) ? [this.#leastMs, this.#mostMs + lateDateMs] : [0, 0];
    const latest = dateMs === undefined ? Number.POSITIVE_INFINITY : dateMs + 1_000 + lateDateMs;
    const sent = arrivedAtMs + least;
    return [sent, Math.max(sent, Math.min(answeredAtMs + most, latest))];
  }
}

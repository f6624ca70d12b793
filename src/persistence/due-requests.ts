import { coreOf, type Simulator } from '../simulator/simulator.js';

/** Delayed requests of a server and its sandboxes: the time of the next response, and its completion. */
export class DueRequests {
  readonly #sims: () => Iterable<Simulator>;
  /** Whether a delayed request may exist. Without this flag every entry scans all sandboxes: 100 us for a thousand. */
  #mayHaveAny = true;

  /** @param sims all simulators, always in the same order */
  constructor(sims: () => Iterable<Simulator>) {
    this.#sims = sims;
  }

  /** Notes a new delayed request. */
  add(): void {
    this.#mayHaveAny = true;
  }

  /** Machine time of the next due response, in Unix milliseconds; Infinity if no request waits for time. */
  nextMs(): number {
    let nextMs = Number.POSITIVE_INFINITY;
    if (!this.#mayHaveAny) return nextMs;
    this.#mayHaveAny = false;
    for (const sim of this.#sims()) {
      const { clock, delayed, resolved } = coreOf(sim).state;
      const [next] = delayed;
      if (next === undefined) continue;
      this.#mayHaveAny = true;
      if (clock.frozen) continue;
      const { anchorMs, machineMs } = clock.anchor;
      nextMs = Math.min(nextMs, Math.ceil(machineMs + (next.dueMs - anchorMs) / (resolved.clock.speed ?? 1)));
    }
    return nextMs;
  }

  /** Completes all due requests. A command that advances the clock completes later ones. */
  complete(): void {
    if (!this.#mayHaveAny) return;
    for (const sim of this.#sims()) {
      const { waiting, state } = coreOf(sim);
      if (state.delayed.length > 0) waiting.complete(sim.clock.now());
    }
  }
}

import { coreOf, type Simulator } from '../simulator/simulator.js';

/** Finds and completes the delayed requests of a server and its sandboxes. */
export class DueRequests {
  readonly #sims: () => Iterable<Simulator>;
  /**
   * Whether a delayed request may exist. Without this flag, every log entry would search all sandboxes: 100 us for a
   * thousand.
   */
  #mayHaveAny = true;

  /** @param sims returns all simulators, always in the same order */
  constructor(sims: () => Iterable<Simulator>) {
    this.#sims = sims;
  }

  /** Notes that a request was delayed. */
  add(): void {
    this.#mayHaveAny = true;
  }

  /** Returns the machine time at which the next delayed response is due, in Unix milliseconds; Infinity without one. */
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

  /**
   * Completes all delayed requests that are due. A completed command may advance the clock, so that more requests
   * become due.
   */
  complete(): void {
    if (!this.#mayHaveAny) return;
    for (const sim of this.#sims()) {
      const { waiting, state } = coreOf(sim);
      if (state.delayed.length > 0) waiting.complete(sim.clock.now());
    }
  }
}

import { coreOf, type Simulator } from '../simulator/simulator.js';

/** Completes the delayed requests whose delays have ended, on a server's own simulator and its sandboxes. */
export class DueRequests {
  readonly #sims: () => Iterable<Simulator>;
  /**
   * Whether any simulator may have a delayed request. If false, skips the search for due requests, which would take 100
   * us with a thousand sandboxes at every log entry.
   */
  #mayHaveAny = true;

  /**
   * Creates the search for delayed requests in a server's simulators.
   * @param sims returns all simulators, always in the same order
   */
  constructor(sims: () => Iterable<Simulator>) {
    this.#sims = sims;
  }

  /**
   * Notes that a delayed request exists. Later calls of `nextMs` and `complete` then search all simulators for delayed
   * requests.
   */
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

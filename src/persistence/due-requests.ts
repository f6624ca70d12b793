import { coreOf, type Simulator } from '../simulator/simulator.js';

/** The delayed requests of a server and its sandboxes: when the next of them goes on, and its going on. */
export class DueRequests {
  readonly #sims: () => Iterable<Simulator>;
  /** Whether there may be any: else none of a thousand sandboxes is looked at for every entry, which took 100 us. */
  #mayBe = true;

  /** @param sims all simulators, always in one order */
  constructor(sims: () => Iterable<Simulator>) {
    this.#sims = sims;
  }

  /** A request was delayed. */
  add(): void {
    this.#mayBe = true;
  }

  /** The machine's instant at which the next one goes on; Infinity where nothing waits for time. */
  nextMs(): number {
    let nextMs = Number.POSITIVE_INFINITY;
    if (!this.#mayBe) return nextMs;
    this.#mayBe = false;
    for (const sim of this.#sims()) {
      const { clock, delayed, resolved } = coreOf(sim).state;
      const [next] = delayed;
      if (next === undefined) continue;
      this.#mayBe = true;
      if (clock.frozen) continue;
      const { anchorMs, machineMs } = clock.anchor;
      nextMs = Math.min(nextMs, Math.ceil(machineMs + (next.dueMs - anchorMs) / (resolved.clock.speed ?? 1)));
    }
    return nextMs;
  }

  /** What is due by now goes on; later ones complete with the clock that a command moves. */
  complete(): void {
    if (!this.#mayBe) return;
    for (const sim of this.#sims()) {
      const { waiting, state } = coreOf(sim);
      if (state.delayed.length > 0) waiting.complete(sim.clock.now());
    }
  }
}

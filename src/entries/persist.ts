import '../petstore/types.js';
import { persistState, type StateStorage } from '../petstore/persisted-state.js';
import type { Simulator } from '../simulator/simulator.js';

// The function `persist` has its own entry point, so that only web pages that save a simulator's state download its
// code.

export type { StateStorage } from '../petstore/persisted-state.js';

/**
 * Restores the pets, keys, faults and clock of a simulator after a reload of the web page. Discards the saved state
 * after `sim.reset()` or a change of the scenario in the code. Never saves the journal, or a state of more than a
 * million characters.
 * @param storage `sessionStorage` or `localStorage`
 * @returns a function that saves the current state, for the option `onAnswer` of `handlers`
 * @example setupWorker(...handlers(sim, { onAnswer: persist(sim, sessionStorage) }));
 */
export function persist(sim: Simulator, storage: StateStorage): () => void {
  // biome-ignore lint/plugin: what passes between two loads of a page passes outside of the clock
  const { save, leave } = persistState(sim, storage, () => Date.now(), console.warn);
  // Saves the state when the browser leaves the page. Otherwise changes after the last request, such as to the clock or
  // a key, would be lost.
  globalThis.addEventListener?.('pagehide', leave);
  return save;
}

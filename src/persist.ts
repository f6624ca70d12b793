import './petstore/types.js';
import { persistState, type StateStorage } from './petstore/persisted-state.js';
import type { Simulator } from './simulator/simulator.js';

// `persist` is a separate entry point of the package, so that web pages that do not use it do not download its code.

export type { StateStorage } from './petstore/persisted-state.js';

/**
 * Restores a simulator's state from the last page load: pets, keys with limits and bans, faults and the clock, up to a
 * million characters. Cleared by `sim.reset()` and by a change of the scenario in the code. The journal is not
 * restored.
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

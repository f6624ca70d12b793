import { persistState, type StateStorage } from './control-api/persisted-state.js';
import type { Simulator } from './simulator/simulator.js';

// A separate entry, so that a page that begins anew with each load does not download it.

export type { StateStorage } from './control-api/persisted-state.js';

/**
 * Gives a simulator the state of the last load of the page: pets, keys with their limits and bans, faults and the clock, at
 * most a million characters. `sim.reset()` clears it, and so does another scenario in the code, or whoever clears the storage. The journal starts again.
 * @param storage `sessionStorage` or `localStorage`
 * @returns keeps the state as it is now: for `handlers`, which calls it after each answer
 * @example setupWorker(...handlers(sim, { onAnswer: persist(sim, sessionStorage) }));
 */
export function persist(sim: Simulator, storage: StateStorage): () => void {
  // biome-ignore lint/plugin: what passes between two loads of a page passes outside of the clock
  const { save, leave } = persistState(sim, storage, () => Date.now(), console.warn);
  // What changed without a request: the clock or a key, by hand.
  globalThis.addEventListener?.('pagehide', leave);
  return save;
}

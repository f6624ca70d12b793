import type { RequestHandler } from 'msw';
import type { ApiHandler } from './adapters/api-call.js';
import { createHandlers, type HandlersOptions as Options } from './adapters/msw.js';
import { persistState, type StateStorage } from './simulator/persisted-state.js';
import type { Simulator } from './simulator/simulator.js';

export { guarded } from './adapters/msw.js';

export interface HandlersOptions extends Options {
  /**
   * Keeps pets, keys with their limits and bans, faults and the clock for the next load of the page, at most a million
   * characters. `sim.reset()` clears it, and so does another scenario in the code. The journal starts again.
   * @example setupWorker(...handlers(sim, { persist: sessionStorage }));
   */
  persist?: StateStorage | undefined;
}

/**
 * The simulator as msw handlers, for `setupServer` in Node and `setupWorker` in a browser.
 * One handler takes everything under the base URL, so an unknown path gets the API's own 404 and never the network.
 * @throws {TypeError} when a base URL is not an absolute URL
 * @example const server = setupServer(...handlers(createSimulator()));
 */
export function handlers(sim: Simulator, options?: HandlersOptions): RequestHandler[];
export function handlers(sim: ApiHandler, options?: HandlersOptions & { persist?: undefined }): RequestHandler[];
export function handlers(sim: Simulator | ApiHandler, { persist, ...options }: HandlersOptions = {}): RequestHandler[] {
  if (persist === undefined) return createHandlers(sim, options);
  // biome-ignore lint/plugin: what passes between two loads of a page passes outside of the clock
  const save = persistState(sim as Simulator, persist, () => Date.now(), console.warn);
  // What changed without a request: the clock or a key, by hand.
  globalThis.addEventListener?.('pagehide', save);
  return createHandlers(sim, options, save);
}

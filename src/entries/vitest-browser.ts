import '../petstore/types.js';
import { resolveTestScenario } from '../test-kits/create-test-simulator.js';
import { createTest } from '../test-kits/vitest-test.js';
import { nearest } from '../validation/nearest.js';

export { expect } from 'vitest';
export type { PetstoreMatchers } from '../test-kits/matchers.js';
export type { PetstoreFixtures } from '../test-kits/vitest-test.js';

/** Interval between measurements of how late timers fire. */
const intervalMs = 10;

// A test's fake timers replace these functions later.
const { setInterval: startTimer, clearInterval: stopTimer, performance: page } = globalThis;
const nowMs = page.now.bind(page);

/**
 * Test function for Vitest's browser mode, with a separate simulator for each test. A scenario name must belong to a
 * shipped scenario, and `baseUrl` is unavailable, because a browser cannot read files or open a port.
 */
export const test = createTest({
  async readScenario(name) {
    // Imports the shipped scenarios only when a test names a scenario, because a browser has no scenario files.
    const { scenarios } = await import('../test-kits/shipped-scenarios.js');
    const load = Object.hasOwn(scenarios, name) ? scenarios[name] : undefined;
    if (load !== undefined) return resolveTestScenario(await load());
    const meant = nearest(name, Object.keys(scenarios));
    throw new RangeError(
      `Failed to read the scenario ${JSON.stringify(name)}: expected the name of a shipped scenario${
        meant === undefined ? '' : ` (did you mean ${meant}?)`
      }. A browser cannot read a scenario file: import the file as JSON and pass its content`,
    );
  },
  measureLag() {
    const startMs = nowMs();
    let maximumMs = 0;
    let lastMs = startMs;
    const note = () => {
      const atMs = nowMs();
      maximumMs = Math.max(maximumMs, Math.round(atMs - lastMs) - intervalMs);
      lastMs = atMs;
    };
    const timer = startTimer(note, intervalMs);
    return { maximumMs: () => maximumMs, elapsedMs: () => nowMs() - startMs, stop: () => stopTimer(timer) };
  },
  async listen() {
    throw new Error(
      'Failed to listen: a test in a browser has no baseUrl. Pass `sim.fetch` to the client, or answer its requests with ' +
        'setupWorker(...handlers(sim)) of msw/browser',
    );
  },
});

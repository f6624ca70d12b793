import { createTest } from './kit/vitest-test.js';
import { readScenario } from './node/scenario-files/scenario-files.js';
import { listen } from './node/serve-state.js';

export { expect } from 'vitest';
export type { PetstoreMatchers } from './kit/matchers.js';
export type { PetstoreFixtures } from './kit/vitest-test.js';

/**
 * Vitest's `test` with a simulator for each test that asks for one, and a verdict on the client after it.
 * @example
 * test.extend({ scenario: 'minute-wall' })('the client waits', async ({ sim, baseUrl, apiKey }) => {
 *   await listPets({ baseUrl, apiKey, fetch: sim.fetch });
 *   expect(sim).toHaveHonouredRetryAfter();
 * });
 */
export const test = createTest({
  readScenario,
  async listen(sim) {
    const { baseUrl, close } = await listen(sim, { port: 0, holdRefusals: true });
    // At once: the client is gone with its test, and the timers may be fake.
    return { baseUrl, close: () => close({ graceMs: 0 }) };
  },
});

import './petstore/types.js';
import { measureLag } from './judge/node/machine-lag.js';
import { readScenario } from './scenario/node/scenario-files.js';
import { listen } from './server/listen.js';
import { createTest } from './test-kits/vitest-test.js';

export { expect } from 'vitest';
export type { PetstoreMatchers } from './test-kits/matchers.js';
export type { PetstoreFixtures } from './test-kits/vitest-test.js';

/**
 * Vitest's `test` with a simulator for each test that requests one, and a verdict on the client afterwards.
 * @example
 * test.extend({ scenario: 'minute-wall' })('the client waits', async ({ sim, baseUrl, apiKey }) => {
 *   await listPets({ baseUrl, apiKey, fetch: sim.fetch });
 *   expect(sim).toHaveHonouredRetryAfter();
 * });
 */
export const test = createTest({
  readScenario,
  measureLag,
  async listen(sim) {
    const { baseUrl, close } = await listen(sim, { port: 0, holdRefusals: true });
    // Closes the server without a grace period: the client ended with its test, and the test may have replaced the
    // timers.
    return { baseUrl, close: () => close({ graceMs: 0 }) };
  },
});

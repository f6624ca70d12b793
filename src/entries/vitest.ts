import '../petstore/types.js';
import { nodeEnvironment } from '../test-kits/node/run-test.js';
import { createTest } from '../test-kits/vitest-test.js';

export { expect } from 'vitest';
export type { PetstoreMatchers } from '../test-kits/matchers.js';
export type { PetstoreFixtures } from '../test-kits/vitest-test.js';

/**
 * Vitest's `test` with a simulator for each test that requests one, and a verdict on the client afterwards.
 * @example
 * test.extend({ scenario: 'minute-wall' })('the client waits', async ({ sim, baseUrl, apiKey }) => {
 *   await listPets({ baseUrl, apiKey, fetch: sim.fetch });
 *   expect(sim).toHaveHonouredRetryAfter();
 * });
 */
export const test = createTest(nodeEnvironment);

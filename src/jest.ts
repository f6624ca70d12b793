import './petstore/types.js';
import { expect } from '@jest/globals';
import { measureLag } from './judge/node/machine-lag.js';
import { readScenario } from './scenario/node/scenario-files.js';
import { listen } from './server/listen.js';
import { createTest, endTimedOut } from './test-kits/jest-test.js';
import { matchers, type PetstoreMatchers } from './test-kits/matchers.js';

export type { PetstoreFixtures, PetstoreOptions, PetstoreTest } from './test-kits/jest-test.js';
export type { PetstoreMatchers } from './test-kits/matchers.js';

/**
 * Jest's `test` with a simulator for each test, and a verdict on the client afterwards. Jest's `expect` has the
 * matchers.
 * @example
 * test.extend({ scenario: 'minute-wall' })('the client waits', async ({ sim, apiKey }) => {
 *   await listPets({ apiKey, fetch: sim.fetch });
 *   expect(sim).toHaveHonouredRetryAfter();
 * });
 */
export const test = createTest({ listen, measureLag, readScenario });

expect.extend(matchers);
endTimedOut();

declare global {
  // Adds the matchers to the types of `@types/jest`, whose type parameters are named `R` and `T`.
  namespace jest {
    interface Matchers<R, T> extends PetstoreMatchers {}
  }
}

declare module 'expect' {
  // Adds the matchers to the types of `@jest/globals`.
  interface Matchers<R extends void | Promise<void>, T = unknown> extends PetstoreMatchers {}
}

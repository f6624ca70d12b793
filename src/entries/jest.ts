import '../petstore/types.js';
import { afterEach, test as base, expect } from '@jest/globals';
import { matchers, type PetstoreMatchers } from '../test-kits/matchers.js';
import { createTestOf, endTimedOut, type PetstoreTestOf } from '../test-kits/node/run-test.js';

export type { PetstoreMatchers } from '../test-kits/matchers.js';
export type { PetstoreFixtures, PetstoreOptions } from '../test-kits/node/run-test.js';

/** Jest's `test` function, with a separate simulator for each test. */
export type PetstoreTest = PetstoreTestOf<'only' | 'skip' | 'failing'>;

/**
 * Jest's `test` with a simulator for each test, and a verdict on the client afterwards. Jest's `expect` has the
 * matchers.
 * @example
 * test.extend({ scenario: 'minute-wall' })('the client waits', async ({ sim, apiKey }) => {
 *   await listPets({ apiKey, fetch: sim.fetch });
 *   expect(sim).toHaveHonouredRetryAfter();
 * });
 */
export const test: PetstoreTest = createTestOf('Jest', {
  test: base,
  only: base.only,
  skip: base.skip,
  failing: base.failing,
});

expect.extend(matchers);
afterEach(() => endTimedOut('await jest.advanceTimersByTimeAsync(60_000)'));

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

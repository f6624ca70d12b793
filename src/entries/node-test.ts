import '../petstore/types.js';
import { test as base, type TestContext } from 'node:test';
import { createTestOf, endTimedOut, type PetstoreTestOf } from '../test-kits/node/run-test.js';

export type { PetstoreFixtures, PetstoreOptions } from '../test-kits/node/run-test.js';

/** The `test` function of `node:test`, with a separate simulator for each test. */
export type PetstoreTest = PetstoreTestOf<'only' | 'skip' | 'todo', [TestContext]>;

const define = (way: typeof base.only) => (name: string, run: (t: TestContext) => Promise<void>, timeout?: number) => {
  way(name, { ...(timeout !== undefined && { timeout }) }, async (t) => {
    // The runner shows the error of a timeout instead of the hook's.
    t.after(() => endTimedOut('mock.timers.tick(60_000)', t).catch(({ message }) => t.diagnostic(message)));
    await run(t);
  });
};

/**
 * The `test` of `node:test` with a simulator for each test, and a verdict on the client afterwards. A test function takes
 * the fixtures, then the context of `node:test`.
 * @example
 * test.extend({ scenario: 'minute-wall' })('the client waits', async ({ sim, apiKey }) => {
 *   await listPets({ apiKey, fetch: sim.fetch });
 * });
 */
export const test: PetstoreTest = createTestOf('node:test', {
  test: define(base),
  only: define(base.only),
  skip: define(base.skip),
  todo: define(base.todo),
});

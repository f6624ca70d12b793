import { test as base, expect, type TestContext } from 'vitest';
import type { LagMeter } from '../judge/lag.js';
import { clientOf } from '../scenario/client.js';
import type { Scenario } from '../scenario/scenario-schema.js';
import type { Simulator } from '../simulator/simulator.js';
import { checkVerdict } from './check-verdict.js';
import { createTestSimulator, type ReadScenario } from './create-test-simulator.js';
import { matchers, type PetstoreMatchers } from './matchers.js';
import { failuresOf, pendingWait } from './test-failures.js';
import { startLag } from './test-lag.js';

/** Fixtures that `test` of `petstore-sim/vitest` adds to Vitest's own. */
export interface PetstoreFixtures {
  /**
   * A scenario, the name of a shipped scenario, or the path of a scenario file.
   * @default {}
   * @example const refused = test.extend({ scenario: { keys: { 'free-key': { usage: { minute: 'all' } } } } });
   */
  scenario: Scenario | string;
  /**
   * `check` fails the test if the client fails its verdict or sends no request, or if the test uses no simulator;
   * `ignore` disables all three checks.
   * @default 'check'
   * @example const unchecked = test.extend({ verdict: 'ignore' });
   */
  verdict: 'check' | 'ignore';
  /** Simulator that only this test uses. A retry of the test creates a new simulator. */
  sim: Simulator;
  /**
   * API URL of `sim`, such as `http://127.0.0.1:PORT/v1`, served while the test runs; not available in a browser. A
   * client that accepts a `fetch` function can use `sim.fetch` without a port.
   */
  baseUrl: string;
  /**
   * API key of the scenario's `client`; otherwise the scenario's first key; otherwise `free-key`. The key may be
   * expired, revoked or banned.
   */
  apiKey: string;
  /**
   * Vitest fixture that records in `isTaken` whether the test uses a simulator. By default, a test without a simulator
   * fails, because it would pass with any client.
   */
  takesSimulator: { isTaken: boolean };
}

/** Functions that differ between Node and a browser. */
interface Environment {
  readScenario: ReadScenario;
  measureLag: () => LagMeter;
  /** Serves the simulator over HTTP; rejects in a browser. */
  listen(sim: Simulator): Promise<{ baseUrl: string; close(): Promise<void> }>;
}

export function createTest({ readScenario, measureLag, listen }: Environment) {
  if (!('override' in base)) {
    // Rejects Vitest before 4.1, which ignores the scenario that a single test sets. Such a version would create `sim`
    // with the scenario of the whole test file.
    throw new Error('Failed to load petstore-sim/vitest: expected Vitest 4.1 or later');
  }
  expect.extend({ ...matchers, ...failure });
  return base.extend<PetstoreFixtures>({
    // biome-ignore lint/correctness/noEmptyPattern: Vitest reads from the pattern which fixtures this one needs
    scenario: async ({}, use) => use({}),
    // biome-ignore lint/correctness/noEmptyPattern: as above
    verdict: async ({}, use) => use('check'),
    takesSimulator: [
      async ({ verdict, task }, use) => {
        // Checks the option `verdict` at run time, because Vitest's `extend` accepts a fixture of any type.
        checkVerdict(verdict);
        const taken = { isTaken: false };
        await use(taken);
        if (verdict === 'check' && !taken.isTaken) fail(task, noSimulatorMessage);
      },
      { auto: true },
    ],
    sim: async ({ scenario, verdict, takesSimulator, task }, use) => {
      takesSimulator.isTaken = true;
      const sim = await createTestSimulator(scenario, readScenario);
      // Ignores the errors of earlier attempts: Vitest keeps them in `task.result.errors` when it retries a test.
      const earlier = task.result?.errors?.length ?? 0;
      const endLag = startLag(sim, measureLag);
      await use(sim);
      endLag();
      const errors = task.result?.errors?.slice(earlier) ?? [];
      const isTimedOut = errors.some(({ message }) => message?.startsWith('Test timed out'));
      const wait = isTimedOut
        ? pendingWait(
            sim,
            "vi.useFakeTimers().setTimerTickMode('nextTimerAsync'), or of a component await act(() => vi.advanceTimersByTimeAsync(60_000))",
          )
        : undefined;
      if (wait !== undefined) fail(task, wait);
      if (verdict === 'check') for (const message of failuresOf(sim, errors.length > 0)) fail(task, message);
    },
    baseUrl: async ({ sim }, use) => {
      const server = await listen(sim);
      await use(server.baseUrl);
      await server.close();
    },
    apiKey: async ({ sim }, use) => use(clientOf(sim.scenario).key),
  });
}

/** Vitest matcher that always fails, and whose error shows only the given message. */
const failure = { toHaveNoFailure: (message: string) => ({ pass: false, message: () => message }) };

/**
 * Fails a test by a soft assertion. After an exception, Vitest would run the end of the fixture again and report the
 * error twice.
 */
const fail = ({ context }: { context: TestContext }, message: string) =>
  (context.expect.soft(message) as unknown as Record<keyof typeof failure, () => void>).toHaveNoFailure();

const noSimulatorMessage =
  'expected the test function to use the fixture sim, as in test(name, async ({ sim, apiKey }) => { ... }). ' +
  "expected the test to use a simulator, since the verdict has nothing to judge otherwise. Use Vitest's own `test`, or test.extend({ verdict: 'ignore' })";

declare global {
  // Adds the matchers to Chai's `Assertion`, because no single declaration can extend Vitest's own `Matchers` in all
  // versions. That interface has one type parameter in version 4 and two in version 5.
  namespace Chai {
    interface Assertion extends PetstoreMatchers {}
  }
}

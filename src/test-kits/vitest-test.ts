import { test as base, expect, type TestContext } from 'vitest';
import { clientOf } from '../scenario/client.js';
import type { Scenario } from '../scenario/scenario-schema.js';
import type { Simulator } from '../simulator/simulator.js';
import { checkVerdict } from './check-verdict.js';
import { createWorld, type ReadScenario } from './create-world.js';
import { matchers, type PetstoreMatchers } from './matchers.js';
import { noRequestReason, pendingWait } from './test-failures.js';

/** What `test` of `petstore-sim/vitest` gives to a test, on top of Vitest's own. */
export interface PetstoreFixtures {
  /**
   * What the world of the test starts with: a scenario, the name of a shipped one, or the path of a file.
   * @default {}
   * @example const refused = test.extend({ scenario: { keys: { 'free-key': { usage: { minute: 60 } } } } });
   */
  scenario: Scenario | string;
  /**
   * `check` fails the test when the client failed its verdict or sent nothing, or when the test takes no simulator;
   * `ignore` leaves all that to the test.
   * @default 'check'
   * @example const unchecked = test.extend({ verdict: 'ignore' });
   */
  verdict: 'check' | 'ignore';
  /** A simulator of the test's own: a retry of the test gets another one. */
  sim: Simulator;
  /**
   * Where `sim` listens as long as the test runs, `http://127.0.0.1:PORT/v1`; not in a browser. A client that takes a
   * `fetch` needs no port: give it `sim.fetch`.
   */
  baseUrl: string;
  /** The key of the scenario's `client`, else the first that the scenario names, else `free-key`; whatever its state. */
  apiKey: string;
  /** Notices a test that takes no simulator, which would pass whatever the client does. */
  takesSimulator: { isTaken: boolean };
}

/** What depends on where the tests run. */
interface Environment {
  readScenario: ReadScenario;
  /** Serves over HTTP; rejects where that cannot be. */
  listen(sim: Simulator): Promise<{ baseUrl: string; close(): Promise<void> }>;
}

export function createTest({ readScenario, listen }: Environment) {
  if (!('override' in base)) {
    // Older ones build `sim` from the scenario of this file, whatever a test sets.
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
        // Here, because Vitest's `extend` takes any fixture, of any type.
        checkVerdict(verdict);
        const taken = { isTaken: false };
        await use(taken);
        if (verdict === 'check' && !taken.isTaken) fail(task, takesNone);
      },
      { auto: true },
    ],
    sim: async ({ scenario, verdict, takesSimulator, task }, use) => {
      takesSimulator.isTaken = true;
      const sim = await createWorld(scenario, readScenario);
      // Those of its earlier tries stay there.
      const earlier = task.result?.errors?.length ?? 0;
      await use(sim);
      const errors = task.result?.errors?.slice(earlier) ?? [];
      const isTimedOut = errors.some(({ message }) => message?.startsWith('Test timed out'));
      const wait = isTimedOut
        ? pendingWait(
            sim,
            "vi.useFakeTimers().setTimerTickMode('nextTimerAsync'), or of a component await act(() => vi.advanceTimersByTimeAsync(60_000))",
          )
        : undefined;
      if (wait !== undefined) fail(task, wait);
      if (verdict !== 'check') return;
      const none = noRequestReason(sim);
      if (errors.length === 0 && none !== undefined) fail(task, none);
      // Soft, as in `fail`.
      task.context.expect.soft(sim).toHaveBehaved();
    },
    baseUrl: async ({ sim }, use) => {
      const server = await listen(sim);
      await use(server.baseUrl);
      await server.close();
    },
    apiKey: async ({ sim }, use) => use(clientOf(sim.scenario).key),
  });
}

/** A matcher that never passes, since only a matcher's error is its message alone. */
const failure = { toHaveNoFailure: (message: string) => ({ pass: false, message: () => message }) };

/** Fails a test. Softly, since Vitest runs a fixture's end again after an exception: the error would appear twice, and in each retry. */
const fail = ({ context }: { context: TestContext }, message: string) =>
  (context.expect.soft(message) as unknown as Record<keyof typeof failure, () => void>).toHaveNoFailure();

const takesNone =
  'expected the test to take the simulator that it tests from its argument, as in test(name, async ({ sim, apiKey }) => { ... }). ' +
  "Without it nothing is judged; a test that needs none is one of Vitest's own `test`, or has test.extend({ verdict: 'ignore' })";

declare global {
  // Vitest's own Matchers has one type parameter in version 4 and two in 5, and a declaration can match only one of them.
  namespace Chai {
    interface Assertion extends PetstoreMatchers {}
  }
}

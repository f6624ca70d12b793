import { afterEach, test as base, type Define as DefineInJest, expect } from '@jest/globals';
import { clientOf } from '../scenario/client.js';
import type { Scenario } from '../scenario/scenario-schema.js';
import { coreOf, type Simulator } from '../simulator/simulator.js';
import { checkOptions } from '../values/check-options.js';
import { checkVerdict } from './check-verdict.js';
import { createWorld, type ReadScenario } from './create-world.js';
import { noRequestReason, pendingWait } from './test-failures.js';

/** What a test starts with, and what its verdict does. */
export interface PetstoreOptions {
  /**
   * A scenario, the name of a shipped one, or the path of a file.
   * @default {}
   */
  scenario?: Scenario | string;
  /**
   * `check` fails the test when the client failed its verdict or sent nothing; `ignore` leaves that to the test.
   * @default 'check'
   */
  verdict?: 'check' | 'ignore';
}

/** What a test is given. */
export interface PetstoreFixtures {
  /** A simulator of the test's own. */
  sim: Simulator;
  /** Where `sim` listens as long as the test runs, `http://127.0.0.1:PORT/v1`. A client that takes a `fetch` needs no port: give it `sim.fetch`. */
  baseUrl: string;
  /** The key of the scenario's `client`, else the first that the scenario names, else `free-key`; whatever its state. */
  apiKey: string;
}

type Define = (name: string, body: (fixtures: PetstoreFixtures) => unknown, timeoutMs?: number) => void;

/** Jest's `test`, whose function is given a simulator. */
export interface PetstoreTest extends Define {
  only: Define;
  skip: Define;
  failing: Define;
  /**
   * The same with other options.
   * @throws {TypeError} when one of them has an unknown name, or `verdict` another value
   * @example const refused = test.extend({ scenario: { keys: { 'free-key': { usage: { minute: 60 } } } } });
   */
  extend(options: PetstoreOptions): PetstoreTest;
}

interface Node {
  readScenario: ReadScenario;
  listen(sim: Simulator, options: { port: 0; holdRefusals: true }): Promise<Server>;
}

interface Server {
  baseUrl: string;
  close(options: { graceMs: number }): Promise<void>;
}

/** Those of tests that have not ended. */
const running = new Map<Simulator, Server>();

async function end(sim: Simulator): Promise<void> {
  const server = running.get(sim);
  running.delete(sim);
  // A delayed answer would keep Jest from its end.
  coreOf(sim).state.clock.unref();
  // At once: the client is gone with its test, and the timers may be fake.
  await server?.close({ graceMs: 0 });
}

/** Ends what a test has left that timed out, which Jest would wait for, and says in which wait its client was. */
export const endTimedOut = () =>
  afterEach(async () => {
    for (const sim of running.keys()) {
      await end(sim);
      const wait = pendingWait(sim, 'await jest.advanceTimersByTimeAsync(60_000)');
      if (wait !== undefined) throw new Error(wait);
    }
  });

const testOptions: Record<keyof PetstoreOptions, true> = { scenario: true, verdict: true };

export function createTest(node: Node, options: PetstoreOptions = {}): PetstoreTest {
  const { scenario = {}, verdict = 'check' } = options;
  checkOptions('test.extend', options, testOptions);
  checkVerdict(verdict);
  const run = (body: Parameters<Define>[1]) => async () => {
    const sim = await createWorld(scenario, node.readScenario);
    const server = await node.listen(sim, { port: 0, holdRefusals: true });
    running.set(sim, server);
    try {
      await body({ sim, baseUrl: server.baseUrl, apiKey: clientOf(sim.scenario).key });
      if (verdict !== 'check') return;
      const none = noRequestReason(sim);
      if (none !== undefined) throw new Error(none);
      expect(sim).toHaveBehaved();
    } finally {
      await end(sim);
    }
  };
  const define =
    (how: DefineInJest): Define =>
    (name, body, timeoutMs) => {
      if (verdict === 'check' && body.length === 0) {
        throw new TypeError(
          `Failed to define the test ${JSON.stringify(name)}: expected its function to take the simulator that it tests, ` +
            'as in test(name, async ({ sim, apiKey }) => { ... }), got a function without a parameter. ' +
            'A test without a simulator is one of Jest itself.',
        );
      }
      how(name, run(body), timeoutMs);
    };
  return Object.assign(define(base), {
    only: define(base.only),
    skip: define(base.skip),
    failing: define(base.failing),
    extend: (more: PetstoreOptions) => createTest(node, { ...options, ...more }),
  });
}

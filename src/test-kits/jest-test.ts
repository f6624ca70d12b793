import { afterEach, test as base, type Define as DefineInJest, expect } from '@jest/globals';
import { clientOf } from '../scenario/client.js';
import type { Scenario } from '../scenario/scenario-schema.js';
import { coreOf, type Simulator } from '../simulator/simulator.js';
import { checkOptions } from '../values/check-options.js';
import { checkVerdict } from './check-verdict.js';
import { createTestSimulator, type ReadScenario } from './create-test-simulator.js';
import { noRequestReason, pendingWait } from './test-failures.js';

/** Initial state of a test, and the effect of its verdict. */
export interface PetstoreOptions {
  /**
   * Scenario, name of a shipped scenario, or path of a file.
   * @default {}
   */
  scenario?: Scenario | string;
  /**
   * `check` fails the test if the client fails its verdict or sends no request; `ignore` disables both.
   * @default 'check'
   */
  verdict?: 'check' | 'ignore';
}

/** Fixtures of a test. */
export interface PetstoreFixtures {
  /** Simulator of this test alone. */
  sim: Simulator;
  /**
   * API URL of `sim` while the test runs: `http://127.0.0.1:PORT/v1`. A client that accepts a `fetch` can use
   * `sim.fetch` without a port.
   */
  baseUrl: string;
  /**
   * API key of the scenario's `client`; otherwise the scenario's first key; otherwise `free-key`. The key may be in any
   * state.
   */
  apiKey: string;
}

type Define = (name: string, body: (fixtures: PetstoreFixtures) => unknown, timeoutMs?: number) => void;

/** Jest's `test`, with a simulator for each test function. */
export interface PetstoreTest extends Define {
  only: Define;
  skip: Define;
  failing: Define;
  /**
   * Creates a `test` with other options.
   * @throws {TypeError} for an unknown option, or another value of `verdict`
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

/** Servers of unfinished tests. */
const running = new Map<Simulator, Server>();

async function end(sim: Simulator): Promise<void> {
  const server = running.get(sim);
  running.delete(sim);
  // A delayed response must not keep Jest from exiting.
  coreOf(sim).state.clock.unref();
  // Without a grace period, because the client ended with its test and the timers may be fake.
  await server?.close({ graceMs: 0 });
}

/** Cleans up after a test that timed out, which Jest would wait for, and reports the wait of its client. */
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
    const sim = await createTestSimulator(scenario, node.readScenario);
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
          `Failed to define the test ${JSON.stringify(name)}: expected its function to use a simulator, ` +
            'as in test(name, async ({ sim, apiKey }) => { ... }), got a function without a parameter. ' +
            'For a test without a simulator, use the test function of Jest.',
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

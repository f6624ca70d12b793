import { afterEach, test as base, type Define as DefineInJest, expect } from '@jest/globals';
import type { LagMeter } from '../judge/lag.js';
import { clientOf } from '../scenario/client.js';
import type { Scenario } from '../scenario/scenario-schema.js';
import { coreOf, type Simulator } from '../simulator/simulator.js';
import { checkOptions } from '../values/check-options.js';
import { checkVerdict } from './check-verdict.js';
import { createTestSimulator, type ReadScenario } from './create-test-simulator.js';
import { noRequestReason, pendingWait } from './test-failures.js';
import { startLag } from './test-lag.js';

/** Options of a test: the simulator's initial state, and whether the verdict can fail the test. */
export interface PetstoreOptions {
  /**
   * A scenario, the name of a shipped scenario, or the path of a scenario file.
   * @default {}
   */
  scenario?: Scenario | string;
  /**
   * `check` fails the test if the client fails its verdict or sends no request; `ignore` disables both checks.
   * @default 'check'
   */
  verdict?: 'check' | 'ignore';
}

/** Fixtures that a test function receives. */
export interface PetstoreFixtures {
  /** Simulator that only this test uses. */
  sim: Simulator;
  /**
   * API URL of `sim`, such as `http://127.0.0.1:PORT/v1`, served while the test runs. A client that accepts a `fetch`
   * function can use `sim.fetch` without a port.
   */
  baseUrl: string;
  /**
   * API key of the scenario's `client`; otherwise the scenario's first key; otherwise `free-key`. The key may be
   * expired, revoked or banned.
   */
  apiKey: string;
}

type Define = (name: string, body: (fixtures: PetstoreFixtures) => unknown, timeoutMs?: number) => void;

/** Jest's `test` function, with a separate simulator for each test. */
export interface PetstoreTest extends Define {
  only: Define;
  skip: Define;
  failing: Define;
  /**
   * Creates a `test` function with other options.
   * @throws {TypeError} for an unknown option or an unknown value of `verdict`
   * @example const refused = test.extend({ scenario: { keys: { 'free-key': { usage: { minute: 60 } } } } });
   */
  extend(options: PetstoreOptions): PetstoreTest;
}

interface Node {
  readScenario: ReadScenario;
  measureLag: () => LagMeter;
  listen(sim: Simulator, options: { port: 0; holdRefusals: true }): Promise<Server>;
}

interface Server {
  baseUrl: string;
  close(options: { graceMs: number }): Promise<void>;
}

/** HTTP servers of the Jest tests that are still running. */
const running = new Map<Simulator, Server>();

async function end(sim: Simulator): Promise<void> {
  const server = running.get(sim);
  running.delete(sim);
  // Unreferences the clock's timer, because a delayed response would keep Jest from exiting.
  coreOf(sim).state.clock.unref();
  // Closes the server without a grace period. The client has ended with its test, and the grace period might never end
  // if the test has replaced the timers.
  await server?.close({ graceMs: 0 });
}

/**
 * Closes the API server of each Jest test that timed out, because Jest would wait for the server. Throws an error if
 * the client was waiting to retry a request.
 */
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
    const endLag = startLag(sim, node.measureLag);
    try {
      await body({ sim, baseUrl: server.baseUrl, apiKey: clientOf(sim.scenario).key });
      if (verdict !== 'check') return;
      const none = noRequestReason(sim);
      if (none !== undefined) throw new Error(none);
      expect(sim).toHaveBehaved();
    } finally {
      endLag();
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

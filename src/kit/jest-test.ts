import { test as base, type Define as DefineInJest, expect } from '@jest/globals';
import { clientOf } from '../scenario/client.js';
import type { Scenario } from '../scenario/scenario-schema.js';
import type { Simulator } from '../simulator/simulator.js';
import { createWorld, type ReadScenario } from './create-world.js';

/** What a test starts with, and what its verdict does. */
export interface PetstoreOptions {
  /**
   * A scenario, the name of a shipped one, or the path of a file.
   * @default {}
   */
  scenario?: Scenario | string;
  /**
   * `check` fails the test when the client failed its verdict; `ignore` leaves that to the test.
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
   * @example const refused = test.extend({ scenario: { keys: { 'free-key': { usage: { minute: 60 } } } } });
   */
  extend(options: PetstoreOptions): PetstoreTest;
}

interface Node {
  readScenario: ReadScenario;
  listen(
    sim: Simulator,
    options: { port: 0; holdRefusals: true },
  ): Promise<{ baseUrl: string; close(options: { graceMs: number }): Promise<void> }>;
}

export function createTest(node: Node, options: PetstoreOptions = {}): PetstoreTest {
  const { scenario = {}, verdict = 'check' } = options;
  const run = (body: Parameters<Define>[1]) => async () => {
    const sim = await createWorld(scenario, node.readScenario);
    const server = await node.listen(sim, { port: 0, holdRefusals: true });
    try {
      await body({ sim, baseUrl: server.baseUrl, apiKey: clientOf(sim.scenario).key });
      if (verdict === 'check') expect(sim).toHaveBehaved();
    } finally {
      // At once: the client is gone with its test, and the timers may be fake.
      await server.close({ graceMs: 0 });
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

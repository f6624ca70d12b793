import { inspect } from 'node:util';
import { measureLag } from '../../judge/node/machine-lag.js';
import { generatePets } from '../../petstore/generate-pets.js';
import { clientOf } from '../../scenario/client.js';
import type { Scenario } from '../../scenario/scenario-schema.js';
import { readScenarioAndFiles } from '../../scenario-files/scenario-files.js';
import { listen } from '../../server/listen.js';
import { coreOf, type Simulator } from '../../simulator/simulator.js';
import { checkOptions } from '../../values/check-options.js';
import { checkVerdict } from '../check-verdict.js';
import { createTestSimulator } from '../create-test-simulator.js';
import { failuresOf, pendingWait } from '../test-failures.js';
import { startLag } from '../test-lag.js';

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

/** Function of a test: takes the fixtures, and the context that the runner passes to each test, if any. */
export type TestBody<Context extends unknown[] = []> = (fixtures: PetstoreFixtures, ...context: Context) => unknown;

export type Define<Context extends unknown[] = []> = (
  name: string,
  body: TestBody<Context>,
  timeoutMs?: number,
) => void;

/** A runner's `test` function, with a separate simulator for each test. */
export type PetstoreTestOf<Way extends string, Context extends unknown[] = []> = Define<Context> &
  Record<Way, Define<Context>> & {
    /**
     * Creates a `test` function with other options.
     * @throws {TypeError} for an unknown option or an unknown value of `verdict`
     * @example const refused = test.extend({ scenario: { keys: { 'free-key': { usage: { minute: 'all' } } } } });
     */
    extend(options: PetstoreOptions): PetstoreTestOf<Way, Context>;
  };

/** A runner's own function that defines a test. */
type DefineInRunner<Context extends unknown[]> = (
  name: string,
  run: (...context: Context) => Promise<void>,
  timeoutMs?: number,
) => void;

/** Functions of a test kit that a browser replaces. */
export const nodeEnvironment = {
  readScenario: async (name: string) => (await readScenarioAndFiles(name, { generatePets })).resolved,
  measureLag,
  /** Serves the simulator of a test over HTTP. */
  async listen(sim: Simulator) {
    const { baseUrl, close } = await listen(sim, { port: 0, holdRefusals: true });
    // Closes the server without a grace period. The client has ended with its test, and the grace period might never
    // end if the test has replaced the timers.
    return { baseUrl, close: () => close({ graceMs: 0 }) };
  },
};

/** A test that is still running. */
interface RunningTest {
  isChecked: boolean;
  /** What the runner passed to the test's function. */
  context: readonly unknown[];
  close(): Promise<void>;
}

/** Running tests, by their simulators. */
const running = new Map<Simulator, RunningTest>();

async function end(sim: Simulator): Promise<void> {
  const test = running.get(sim);
  running.delete(sim);
  // Unreferences the clock's timer, because a delayed response would keep the test runner from exiting.
  coreOf(sim).state.clock.unref();
  await test?.close();
}

const testOptions: Record<keyof PetstoreOptions, true> = { scenario: true, verdict: true };

/**
 * Creates the `test` function for a runner that has no fixtures.
 * @param runner name of the test runner, for messages
 * @param ways the runner's functions that define a test: `test`, and others such as `only` and `skip`
 */
export function createTestOf<Way extends string, Context extends unknown[] = []>(
  runner: string,
  ways: Record<Way | 'test', DefineInRunner<Context>>,
  options: PetstoreOptions = {},
): PetstoreTestOf<Way, Context> {
  const run = createRun<Context>(runner, options);
  const define =
    (way: DefineInRunner<Context>): Define<Context> =>
    (name, body, timeoutMs) =>
      way(name, run(name, body), timeoutMs);
  const { test, ...others } = Object.fromEntries(
    Object.entries<DefineInRunner<Context>>(ways).map(([name, way]) => [name, define(way)]),
  ) as Record<Way | 'test', Define<Context>>;
  const extend = (more: PetstoreOptions) => createTestOf(runner, ways, { ...options, ...more });
  return Object.assign(test, others as Record<Way, Define<Context>>, { extend });
}

/**
 * Returns a function that makes a runner's function of each test function: it creates a simulator, runs the test and
 * judges the client. If the test and its client both fail, the error contains both reasons.
 * @throws {TypeError} for an unknown option or an unknown value of `verdict`; the created function throws one for a test
 * function without a parameter
 */
function createRun<Context extends unknown[]>(runner: string, options: PetstoreOptions) {
  const { scenario = {}, verdict = 'check' } = options;
  checkOptions('test.extend', options, testOptions);
  checkVerdict(verdict);
  const isChecked = verdict === 'check';

  async function run(body: TestBody<Context>, context: Context): Promise<void> {
    const sim = await createTestSimulator(scenario, nodeEnvironment.readScenario);
    const { baseUrl, close } = await nodeEnvironment.listen(sim);
    running.set(sim, { isChecked, context, close });
    const endLag = startLag(sim, measureLag);
    const bodyOf = async () => body({ sim, baseUrl, apiKey: clientOf(sim.scenario).key }, ...context);
    try {
      await bodyOf().catch((error: unknown) => {
        throw isChecked ? withFailures(error, failuresOf(sim, true)) : error;
      });
      if (isChecked) throwFailures(failuresOf(sim, false));
    } finally {
      endLag();
      await end(sim);
    }
  }

  return (name: string, body: TestBody<Context>) => {
    if (isChecked && body.length === 0) {
      throw new TypeError(
        `Failed to define the test ${JSON.stringify(name)}: expected its function to use a simulator, ` +
          'as in test(name, async ({ sim, apiKey }) => { ... }), got a function without a parameter. ' +
          `For a test without a simulator, use the test function of ${runner}.`,
      );
    }
    return (...context: Context) => run(body, context);
  };
}

/**
 * Closes the API server of each test that timed out, because the test runner would wait for the server. Throws an error
 * if the client was waiting to retry a request, or fails its verdict.
 * @param moveTimers code that advances the runner's fake timers
 * @param of context of the only test that has ended; default: all have ended
 */
export async function endTimedOut(moveTimers: string, of?: unknown): Promise<void> {
  const failures: string[] = [];
  for (const [sim, { isChecked, context }] of running) {
    if (of !== undefined && !context.includes(of)) continue;
    await end(sim);
    const wait = pendingWait(sim, moveTimers);
    if (wait !== undefined) failures.push(wait);
    if (isChecked) failures.push(...failuresOf(sim, true));
  }
  throwFailures(failures);
}

function throwFailures(failures: readonly string[]): void {
  if (failures.length > 0) throw new Error(failures.join('\n\n'));
}

/** Appends failures to the message of an error, which a test runner reads from the error's stack. */
function withFailures(error: unknown, failures: readonly string[]): unknown {
  if (failures.length === 0) return error;
  const added = `\n\n${failures.join('\n\n')}`;
  if (!isError(error))
    return new Error(`expected an Error, but the test threw ${inspect(error)}${added}`, { cause: error });
  const { message, stack = '' } = error;
  const firstCall = stack.indexOf('\n    at ', stack.indexOf(message) + message.length);
  const head = firstCall < 0 ? stack : stack.slice(0, firstCall);
  const more = {
    message: message + added,
    stack: head + added + stack.slice(head.length),
    // Jest omits the message of an AssertionError of Node unless the message is the user's own.
    ...('generatedMessage' in error && { generatedMessage: false }),
  };
  const isExtended = Object.entries(more).every(([name, value]) =>
    // `defineProperty`, because the message of a DOMException has no setter.
    Reflect.defineProperty(error, name, { value, configurable: true, writable: true }),
  );
  return isExtended ? error : new Error(more.message, { cause: error });
}

/** Jest runs a test in another realm, where `instanceof Error` is false for this module's class. */
const isError = (value: unknown): value is Error =>
  typeof value === 'object' && value !== null && 'message' in value && typeof value.message === 'string';

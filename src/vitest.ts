import { test as base, expect } from 'vitest';
import { listen } from './node/http/server.js';
import { readScenario } from './node/scenario-files/scenario-files.js';
import { clientOf } from './scenario/client.js';
import type { FindingCode } from './scenario/expectation.js';
import { generatesPets } from './scenario/resolve-pets.js';
import type { Scenario } from './scenario/scenario-schema.js';
import { createSimulator, type Simulator } from './simulator/simulator.js';
import { counts, evidence } from './verdict/failure-message.js';
import { judge } from './verdict/judge.js';
import type { Verdict } from './verdict/judge-run.js';

/** What `test` of `petstore-sim/vitest` gives to a test, on top of Vitest's own. */
export interface PetstoreFixtures {
  /**
   * What the world of the test starts with: a scenario, the name of a shipped one, or the path of a file.
   * @default {}
   * @example const refused = test.extend({ scenario: { keys: { 'free-key': { usage: { minute: 60 } } } } });
   */
  scenario: Scenario | string;
  /**
   * `check` fails the test when the client failed its verdict; `ignore` leaves that to the test.
   * @default 'check'
   * @example const unchecked = test.extend({ verdict: 'ignore' });
   */
  verdict: 'check' | 'ignore';
  /** A simulator of the test's own: a retry of the test gets another one. */
  sim: Simulator;
  /** Where `sim` listens as long as the test runs, `http://127.0.0.1:PORT/v1`. A client that takes a `fetch` needs no port: give it `sim.fetch`. */
  baseUrl: string;
  /** The key of the scenario's `client`, else the first that the scenario names, else `free-key`; whatever its state. */
  apiKey: string;
}

if (!('override' in base)) {
  // Older ones build `sim` from the scenario of this file, whatever a test sets.
  throw new Error('Failed to load petstore-sim/vitest: expected Vitest 4.1 or later');
}

/**
 * Vitest's `test` with a simulator for each test that asks for one, and a verdict on the client after it.
 * @example
 * test.extend({ scenario: 'minute-wall' })('the client waits', async ({ sim, baseUrl, apiKey }) => {
 *   await listPets({ baseUrl, apiKey, fetch: sim.fetch });
 *   expect(sim).toHaveHonouredRetryAfter();
 * });
 */
export const test = base.extend<PetstoreFixtures>({
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads from the pattern which fixtures this one needs
  scenario: async ({}, use) => use({}),
  // biome-ignore lint/correctness/noEmptyPattern: as above
  verdict: async ({}, use) => use('check'),
  sim: async ({ scenario, verdict, task }, use) => {
    const sim = await createWorld(scenario);
    await use(sim);
    // Soft, because Vitest runs a fixture's end again when it throws: the error would stand there twice, and in every retry.
    if (verdict === 'check') task.context.expect.soft(sim).toHaveBehaved();
  },
  baseUrl: async ({ sim }, use) => {
    const server = await listen(sim, { port: 0, holdRefusals: true });
    await use(server.baseUrl);
    // At once: the client is gone with its test, and the timers may be fake.
    await server.close({ graceMs: 0 });
  },
  apiKey: async ({ sim }, use) => use(clientOf(sim.scenario).key),
});

export { expect };

async function createWorld(scenario: Scenario | string): Promise<Simulator> {
  const content = await readContent(scenario);
  return createSimulator({
    scenario: content,
    ...(generatesPets(content) && { generatePets: (await import('./scenario/generate-pets.js')).generatePets }),
  });
}

const readContent = (scenario: Scenario | string) => (typeof scenario === 'string' ? readScenario(scenario) : scenario);

/** Each takes a simulator or a verdict, and passes only where the run put the client to that test. */
export interface PetstoreMatchers {
  /**
   * The verdict on the client is not `fail`: what the fixture `verdict` checks after each test.
   * @example expect(sim).toHaveBehaved();
   */
  toHaveBehaved(): void;
  /**
   * The client was refused, came back, and never before Retry-After or X-RateLimit-Reset allowed.
   * @example expect(sim).toHaveHonouredRetryAfter();
   */
  toHaveHonouredRetryAfter(): void;
  /**
   * A call of the client was refused three times in a row or more, and it waited longer each time.
   * @example expect(sim).toHaveBackedOff();
   */
  toHaveBackedOff(): void;
  /**
   * The client was refused, and did not go on until its key was banned.
   * @example expect(sim).toHaveTrippedNoBan();
   */
  toHaveTrippedNoBan(): void;
  /**
   * The answer to a write that was stored did not reach the client, and it did not store the pet twice.
   * @example expect(sim).toHaveCreatedOnce();
   */
  toHaveCreatedOnce(): void;
}

declare global {
  // Vitest's own Matchers has one type parameter in version 4 and two in 5, and a declaration can match only one of them.
  namespace Chai {
    interface Assertion extends PetstoreMatchers {}
  }
}

interface Question {
  /** After `the client`. */
  asked: string;
  /** The rule that must have been put to the test. */
  exercisedBy: FindingCode;
  /** The rules that must have found nothing. */
  codes: readonly FindingCode[];
  /** What puts it to the test. */
  howTo: string;
}

const usedUp = "such as { keys: { 'free-key': { usage: { minute: 60 } } } }";

const matcherOf = ({ asked, exercisedBy, codes, howTo }: Question) =>
  function (this: { isNot: boolean }, received: unknown) {
    const verdict = readVerdict(received);
    const found = verdict.findings.filter(({ code, severity }) => codes.includes(code) && severity !== 'praise');
    const isKnown = found.length > 0 || (verdict.exercised.includes(exercisedBy) && verdict.counts.dropped === 0);
    return {
      // What is not known passes neither way.
      pass: isKnown ? found.length === 0 : this.isNot,
      message: () => {
        if (isKnown)
          return `expected that the client ${this.isNot ? 'had not' : 'had'} ${asked}${evidence(found)}\n${counts(verdict)}`;
        const unknown = `expected the run to show whether the client had ${asked}`;
        return verdict.counts.dropped > 0
          ? `${unknown}, but the journal has dropped ${verdict.counts.dropped} requests, so it is not known as a whole`
          : `${unknown}, but nothing put that to the test: ${howTo}\n${counts(verdict)}`;
      },
    };
  };

expect.extend({
  toHaveBehaved(received: unknown) {
    const verdict = readVerdict(received);
    const failed = verdict.findings.filter(({ severity }) => severity === 'fail');
    return {
      pass: verdict.outcome !== 'fail',
      message: () =>
        `expected that the client ${this.isNot ? 'had failed' : 'had behaved'}. ${verdict.reason}${evidence(failed)}\n${counts(verdict)}`,
    };
  },
  toHaveHonouredRetryAfter: matcherOf({
    asked: 'waited as long as Retry-After says',
    exercisedBy: 'early-retry',
    codes: ['early-retry', 'ignored-day-window', 'ban-hammered'],
    howTo: `no call was refused and then tried again. Start with a key that is used up, ${usedUp}`,
  }),
  toHaveBackedOff: matcherOf({
    asked: 'waited longer after each refusal',
    exercisedBy: 'no-backoff-growth',
    codes: ['no-backoff-growth'],
    howTo: "it takes three refusals of one call in a row. The scenario 'stubborn-429' has eight",
  }),
  toHaveTrippedNoBan: matcherOf({
    asked: 'stopped before its key was banned',
    exercisedBy: 'ban-tripped',
    codes: ['ban-tripped', 'ban-hammered'],
    howTo: `no call was refused. Start with a key that is used up, ${usedUp}`,
  }),
  toHaveCreatedOnce: matcherOf({
    asked: 'created each pet once',
    exercisedBy: 'duplicate-write',
    codes: ['duplicate-write'],
    howTo:
      "no write was stored without the client getting the answer. The scenario 'post-stored-answer-lost' has that, or the fault { when: { operation: 'createPet', nth: 1 }, then: { reset: true, phase: 'after' } }",
  }),
});

/** @throws {TypeError} when a matcher is used on anything but a simulator or a verdict */
function readVerdict(received: unknown): Verdict {
  if (typeof received === 'object' && received !== null) {
    if ('journal' in received && 'clock' in received) return judge(received as Simulator);
    if ('outcome' in received && 'findings' in received) return received as Verdict;
  }
  throw new TypeError('Failed to judge: expected a simulator or a verdict, such as expect(sim)');
}

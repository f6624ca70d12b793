import { test as base, expect } from 'vitest';
import { listen } from './node/server.js';
import type { Scenario } from './scenario/schema.js';
import { generatePets } from './seed.js';
import { createSimulator, type Simulator } from './simulator.js';
import type { FindingCode } from './verdict/finding.js';
import type { Verdict } from './verdict/judge.js';

/** What `test` of `petstore-sim/vitest` gives to a test, on top of Vitest's own. */
export interface PetstoreFixtures {
  /** What the world of the test starts with; set it by `test.override('scenario', {...})` or `test.extend`. Default `{}`. */
  scenario: Scenario;
  /** `check` fails the test when the client failed its verdict; `ignore` leaves that to the test. Default `check`. */
  verdict: 'check' | 'ignore';
  /** A world of the test's own. */
  sim: Simulator;
  /** Where `sim` listens, as long as the test runs. Ask for it only to use real HTTP; else use `sim.fetch`. */
  baseUrl: string;
  /** The first key of the scenario that works. */
  apiKey: string;
}

/**
 * Vitest's `test` with a simulator for each test, whose verdict on the client is checked afterwards.
 * @example test('the client waits', async ({ sim, baseUrl, apiKey }) => { ... });
 */
export const test = base.extend<PetstoreFixtures>({
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads from the pattern which fixtures this one needs
  scenario: async ({}, use) => use({}),
  // biome-ignore lint/correctness/noEmptyPattern: as above
  verdict: async ({}, use) => use('check'),
  sim: async ({ scenario, verdict }, use) => {
    const sim = createSimulator({ scenario, generatePets });
    await use(sim);
    if (verdict === 'check') expect(sim).toHaveBehaved();
  },
  baseUrl: async ({ sim }, use) => {
    const server = await listen(sim, { port: 0 });
    await use(server.baseUrl);
    await server.close();
  },
  apiKey: async ({ sim }, use) => use(sim.keys.list().find(({ state }) => state === 'active')?.key ?? ''),
});

export { expect };

interface PetstoreMatchers<R = unknown> {
  /** The verdict on the client is not `fail`. */
  toHaveBehaved(): R;
  /** The client was refused, came back, and never before Retry-After or X-RateLimit-Reset allowed. */
  toHaveHonouredRetryAfter(): R;
  /** The client was refused several times in a row, and waited longer each time. */
  toHaveBackedOff(): R;
  /** The client was refused, and did not go on until its key was banned. */
  toHaveTrippedNoBan(): R;
  /** The answer to a write was lost, and the client did not store the animal twice. */
  toHaveCreatedOnce(): R;
}

declare module 'vitest' {
  // biome-ignore lint/suspicious/noExplicitAny: the declaration that this one adds to has it
  interface Matchers<T = any> extends PetstoreMatchers<T> {}
}

/** A matcher about some rules of the judge: they must have been put to the test, and have found nothing. */
const about = (what: string, exercisedBy: FindingCode, codes: readonly FindingCode[]) => (received: unknown) => {
  const { findings, exercised } = verdictOf(received);
  const found = findings.filter(({ code }) => codes.includes(code));
  const wasExercised = exercised.includes(exercisedBy);
  return {
    pass: wasExercised && found.length === 0,
    message: () => {
      if (!wasExercised) return `expected the run to show whether the client ${what}, but nothing put that to the test`;
      return `expected the client to have ${what}${found.length > 0 ? `:\n${list(found)}` : ''}`;
    },
  };
};

expect.extend({
  toHaveBehaved(received: unknown) {
    const { verdict, reason, findings } = verdictOf(received);
    const failed = findings.filter(({ severity }) => severity === 'fail');
    return { pass: verdict !== 'fail', message: () => `${reason}\n${list(failed)}` };
  },
  toHaveHonouredRetryAfter: about('waited as long as Retry-After said', 'early-retry', [
    'early-retry',
    'ignored-day-window',
  ]),
  toHaveBackedOff: about('backed off with growing waits', 'no-backoff-growth', ['no-backoff-growth']),
  toHaveTrippedNoBan: about('tripped no ban', 'ban-tripped', ['ban-tripped', 'ban-hammered']),
  toHaveCreatedOnce: about('created each animal once', 'duplicate-write', ['duplicate-write']),
});

const list = (findings: Verdict['findings']) =>
  findings.map(({ code, text, requests }) => `  ${code}: ${text} (requests ${requests.join(', ')})`).join('\n');

/** @throws {TypeError} when a matcher is used on anything but a simulator or a verdict */
function verdictOf(received: unknown): Verdict {
  if (typeof received === 'object' && received !== null) {
    if ('verdict' in received && typeof received.verdict === 'function') return received.verdict();
    if ('verdict' in received && 'findings' in received) return received as Verdict;
  }
  throw new TypeError('Failed to judge: expected a simulator or a verdict, such as expect(sim)');
}

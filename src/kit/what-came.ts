import type { Simulator } from '../simulator/simulator.js';
import { span } from '../verdict/finding.js';
import { toldUntilMs } from '../verdict/promises.js';

const noneCame = (target: string, given: string, otherwise: string) =>
  `expected the client to send a request to the ${target} of its test, and none came. Does the client use what the test was ` +
  `given: ${given}? A test in which it shall send none ${otherwise}`;

/** Why a test fails whose simulator was sent nothing: it would pass whatever its client does. */
export const sentNone = noneCame(
  'simulator',
  "sim.fetch, baseUrl, or msw's handlers(sim) for the address that it calls",
  "is one of test.extend({ verdict: 'ignore' })",
);

/** The same where a test has a sandbox. */
export const sentNoneToSandbox = noneCame(
  'sandbox',
  'sandbox.baseUrl, or sandbox.answerFor for the address that it calls',
  "has test.use({ verdict: 'ignore' })",
);

/**
 * Message for a test that timed out while its client waited: the rest of the wait, and what to do; `undefined` without a wait.
 * @param moveTimers what lets fake timers go on with this runner
 */
export function waitOf({ journal, clock }: Simulator, moveTimers: string): string | undefined {
  const nowMs = clock.now();
  const told = journal.query().findLast((entry) => (toldUntilMs(entry) ?? 0) > nowMs);
  if (told === undefined) return undefined;
  const leftMs = (toldUntilMs(told) as number) - nowMs;
  return (
    `expected the client to be done, and it was told to wait by the ${told.status} of ${told.method} ${told.path}: ` +
    `${span(leftMs)} of that were left when the test timed out. Let fake timers go on, as by ${moveTimers}, or give the ` +
    "scenario short windows, such as { windows: { minute: '2s' } }"
  );
}

import { coreOf, type Simulator } from '../simulator/simulator.js';
import type { UnrecordedRequests } from '../state/unrecorded.js';
import { span } from '../verdict/finding.js';
import type { Verdict } from '../verdict/judge-run.js';
import { toldUntilMs } from '../verdict/promises.js';
import { describeGuarded, describeOutside } from '../verdict/unrecorded.js';

const noneCame = (target: string, given: string, otherwise: string) =>
  `expected the client to send a request to the ${target} of its test, and none came. Does the client use what the test was ` +
  `given: ${given}? A test in which it shall send none ${otherwise}`;

/**
 * Why a test fails whose simulator was sent nothing: it would pass whatever its client does. `undefined` where a request
 * came, be it to a guarded route.
 */
export function whySentNone(sim: Simulator): string | undefined {
  if (coreOf(sim).state.journal.lastId > 0) return undefined;
  return withOutside(sentNone, coreOf(sim).state.journal.unrecorded.list());
}

/** The same for a sandbox that is known to have no request in its journal. */
export const whySandboxSentNone = ({ unrecorded }: Pick<Verdict, 'unrecorded'>): string | undefined =>
  withOutside(sentNoneToSandbox, unrecorded);

/** With the addresses that requests came to instead. */
function withOutside(text: string, unrecorded: readonly UnrecordedRequests[] = []): string | undefined {
  if (describeGuarded(unrecorded) !== undefined) return undefined;
  const outside = describeOutside(unrecorded);
  return outside === undefined ? text : `${text}. ${outside}`;
}

const sentNone = noneCame(
  'simulator',
  "sim.fetch, baseUrl, or msw's handlers(sim) for the address that it calls",
  "is one of test.extend({ verdict: 'ignore' })",
);

const sentNoneToSandbox = noneCame(
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

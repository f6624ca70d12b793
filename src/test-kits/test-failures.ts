import type { UnrecordedRequests } from '../journal/unrecorded.js';
import { span } from '../judge/finding.js';
import type { Verdict } from '../judge/judge-run.js';
import { earliestRetryMs } from '../judge/promises.js';
import { describeOutside } from '../judge/unrecorded.js';
import { coreOf, type Simulator } from '../simulator/simulator.js';

const noneCame = (target: string, given: string, otherwise: string) =>
  `expected the client to send a request to the ${target} of its test, and none came. Does the client use what the test was ` +
  `given: ${given}? A test in which it shall send none ${otherwise}`;

/**
 * Message for a test whose simulator received no request, since such a test passes with any client; `undefined` if a request
 * arrived.
 */
export function noRequestReason(sim: Simulator): string | undefined {
  if (coreOf(sim).state.journal.lastId > 0) return undefined;
  return withOutside(sentNone, coreOf(sim).state.journal.unrecorded.list());
}

/** The same for a sandbox without a request in its journal. */
export const noSandboxRequestReason = ({ unrecorded }: Pick<Verdict, 'unrecorded'>): string | undefined =>
  withOutside(sentNoneToSandbox, unrecorded);

/** Adds the addresses that received requests instead. */
function withOutside(text: string, unrecorded: readonly UnrecordedRequests[] = []): string | undefined {
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
 * Message for a test that timed out during the client's wait: the rest of the wait, and a remedy; `undefined` without a wait.
 * @param moveTimers code that advances fake timers with this runner
 */
export function pendingWait({ journal, clock }: Simulator, moveTimers: string): string | undefined {
  const nowMs = clock.now();
  const told = journal.query().findLast((entry) => (earliestRetryMs(entry) ?? 0) > nowMs);
  if (told === undefined) return undefined;
  const leftMs = (earliestRetryMs(told) as number) - nowMs;
  return (
    `expected the client to be done, and it was told to wait by the ${told.status} of ${told.method} ${told.path}: ` +
    `${span(leftMs)} of that were left when the test timed out. Let fake timers go on, as by ${moveTimers}, or give the ` +
    "scenario short windows, such as { windows: { minute: '2s' } }"
  );
}

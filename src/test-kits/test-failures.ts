import { listUnrecorded, type UnrecordedRequests } from '../journal/unrecorded.js';
import type { Verdict } from '../judge/judge-run.js';
import { earliestRetryMs } from '../judge/promises.js';
import { describeOutside } from '../judge/unrecorded.js';
import { coreOf, type Simulator } from '../simulator/simulator.js';
import { formatDuration } from '../values/format-duration.js';

const noRequests = (target: string, given: string, otherwise: string) =>
  `expected the client to send a request to the ${target} of its test, and none arrived. Does the client use ` +
  `${given}? For a test without requests, use ${otherwise}`;

/**
 * Error message for a test whose simulator received no request, because such a test passes with any client. `undefined`
 * if a request arrived.
 */
export function noRequestReason(sim: Simulator): string | undefined {
  const { lastId, unrecorded } = coreOf(sim).state.journal;
  return lastId > 0 ? undefined : withOutside(noSimulatorRequests, listUnrecorded(unrecorded));
}

/** Error message for a Playwright test whose sandbox received no request. */
export const noSandboxRequestReason = ({ unrecorded }: Pick<Verdict, 'unrecorded'>): string =>
  withOutside(noSandboxRequests, unrecorded);

/** Appends to a message the requests that were sent to URLs outside of the API. */
function withOutside(text: string, unrecorded: readonly UnrecordedRequests[] = []): string {
  const outside = describeOutside(unrecorded);
  return outside === undefined ? text : `${text}. ${outside}`;
}

const noSimulatorRequests = noRequests(
  'simulator',
  "sim.fetch, baseUrl, or msw's handlers(sim) for its URL",
  "test.extend({ verdict: 'ignore' })",
);

const noSandboxRequests = noRequests(
  'sandbox',
  'sandbox.baseUrl, or sandbox.answerFor for its URL',
  "test.use({ verdict: 'ignore' })",
);

/**
 * Error message for a test that timed out while its client waited: remaining wait and remedy. `undefined` if the client
 * was not waiting.
 * @param moveTimers code that advances fake timers in the test runner, to be shown as the remedy
 */
export function pendingWait({ journal, clock }: Simulator, moveTimers: string): string | undefined {
  const nowMs = clock.now();
  const entry = journal.query().findLast((each) => (earliestRetryMs(each) ?? 0) > nowMs);
  if (entry === undefined) return undefined;
  const leftMs = (earliestRetryMs(entry) as number) - nowMs;
  return (
    `expected the client to finish, but it was told to wait by the ${entry.status} of ${entry.method} ${entry.path}: ` +
    `${formatDuration(leftMs)} of the wait were left when the test timed out. Advance fake timers, as by ${moveTimers}, or set short windows in the ` +
    "scenario, such as { windows: { minute: '2s' } }"
  );
}

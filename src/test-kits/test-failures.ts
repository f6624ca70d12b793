import { listUnrecorded, type UnrecordedRequests } from '../journal/unrecorded.js';
import { describeBehavior } from '../judge/failure-message.js';
import { judge } from '../judge/judge.js';
import type { Verdict } from '../judge/judge-run.js';
import { earliestRetryMs } from '../judge/promises.js';
import { describeOutside } from '../judge/unrecorded.js';
import { coreOf, type Simulator } from '../simulator/simulator.js';
import { formatDuration } from '../values/format-duration.js';
import { withLag } from './test-lag.js';

const noRequests = (target: string, given: string, otherwise: string) =>
  `expected the client to send a request to the ${target} of its test, and none arrived. Does the client use ` +
  `${given}? For a test without requests, use ${otherwise}`;

/**
 * Error messages for the client of a finished test: its failed verdict, or that no request arrived, because a test
 * without requests passes with any client.
 * @param hasFailed whether the test has failed already. Such a test may have ended before its first request
 */
export function failuresOf(sim: Simulator, hasFailed: boolean): string[] {
  const { lastId, unrecorded } = coreOf(sim).state.journal;
  if (lastId === 0) return hasFailed ? [] : [withOutside(noSimulatorRequests, listUnrecorded(unrecorded))];
  const verdict = withLag(sim, judge(sim));
  return verdict.outcome === 'fail' ? [describeBehavior(verdict)] : [];
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

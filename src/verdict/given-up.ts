import type { Severity } from './finding.js';
import { patienceMs } from './rules/overslept.js';
import type { JudgedRequest, Run } from './run.js';

/** What a client may wait for where it was told nothing. */
const unknownWaitMs = 60_000;

/** Whether the client would have come back by now: it has ended by itself, or is late beyond patience. */
export function isOverdue(failed: JudgedRequest, run: Run): boolean {
  const { isOver, pending, endMs, requests } = run;
  if (isOver && !run.end?.isInterrupted) return true;
  // What is still on its way may be the next try, and time before the clock was set back says nothing.
  if (pending > 0 || requests.at(-1)?.era !== failed.era) return false;
  const deadlineMs = failed.deadlineMs ?? failed.answeredAtMs + unknownWaitMs;
  return endMs > deadlineMs + patienceMs(failed);
}

/** How a client that gave up told its caller, as far as anyone knows: giving up in silence is a fault, saying so is none. */
export function severityOfGivingUp(run: Run, failed: readonly JudgedRequest[]): { severity: Severity; told: string } {
  const reports = run.outcomes ?? [];
  const isReported = failed.every(({ call }) =>
    reports.some((report) => report.result !== 'succeeded' && (report.call === undefined || report.call === call)),
  );
  if (isReported) return { severity: 'info', told: 'Its caller was told.' };
  if (run.end?.hasFailed) return { severity: 'info', told: 'The command said so by its exit code.' };
  if (run.end?.hasFailed === false && !run.end.isInterrupted) {
    return { severity: 'warn', told: 'The command ended as if all were well: tell the caller.' };
  }
  return { severity: 'info', told: 'That is right only where the caller was told.' };
}

import { type Severity, span } from './finding.js';
import { patienceMs } from './rules/overslept.js';
import { isWrite, type JudgedRequest, type Run } from './run.js';

/** What a client may wait for where it was told nothing. */
const unknownWaitMs = 60_000;
/** A client that was stopped may have been about to come back, so it is given up on later. */
const stoppedPatience = 3;

/** Whether the client would have come back by now: it has ended by itself, or is late beyond patience, and plainly so where it was stopped. */
export function isOverdue(failed: JudgedRequest, run: Run): boolean {
  const { isOver, pending, endMs, requests } = run;
  if (isOver && !run.end?.isInterrupted) return true;
  // What is still on its way may be the next try, and time before the clock was set back says nothing.
  if (pending > 0 || requests.at(-1)?.lane.era !== failed.lane.era) return false;
  const patience = patienceMs(failed) * (run.end?.isInterrupted ? stoppedPatience : 1);
  return endMs > comesBackMs(failed) + patience;
}

/** When a client that failed can come back: as it was told, or after a while. */
export const comesBackMs = ({ deadlineMs, answeredAtMs }: JudgedRequest) => deadlineMs ?? answeredAtMs + unknownWaitMs;

/** How a client that gave up told its caller, as far as anyone knows: giving up in silence is a fault, saying so is none. */
export function severityOfGivingUp(run: Run, failed: readonly JudgedRequest[]): { severity: Severity; told: string } {
  const reports = run.outcomes ?? [];
  const reported = new Set(reports.filter(({ result }) => result !== 'succeeded').map(({ call }) => call));
  const isReported = reported.has(undefined) || failed.every(({ call }) => call !== undefined && reported.has(call));
  if (isReported) return { severity: 'info', told: 'Its caller was told.' };
  if (run.end?.isInterrupted) {
    const last = Math.max(...failed.map(comesBackMs));
    return {
      severity: 'info',
      told: `It had ${span(run.endMs - last)} for that after the wait, until the run was stopped.`,
    };
  }
  if (run.end?.hasFailed) return { severity: 'info', told: 'The command said so by its exit code.' };
  if (run.end?.hasFailed === false) {
    return { severity: 'warn', told: 'The command ended as if all were well: tell the caller.' };
  }
  return { severity: 'info', told: 'That is right only where the caller was told.' };
}

/** A function that tells whether a write was taken later, from whatever key and with whatever else in its body. */
export function createIsTakenLater(requests: readonly JudgedRequest[]): (write: JudgedRequest) => boolean {
  /** The last of them by its pet; made when it is first needed. */
  let taken: Map<string, JudgedRequest> | undefined;
  return (write) => {
    taken ??= new Map(requests.filter(isTaken).map((request) => [request.pet, request]));
    return (taken.get(write.pet)?.id ?? 0) > write.id;
  };
}

const isTaken = (request: JudgedRequest) => isWrite(request) && request.status >= 200 && request.status < 300;

import { patienceMs } from './rules/overslept.js';
import type { JudgedRequest, Run } from './run.js';

/** What a client may wait for where it was told nothing. */
const unknownWaitMs = 60_000;

/** Whether the client would have come back by now: it has ended, or is late beyond patience. */
export function isOverdue(refused: JudgedRequest, { isOver, pending, endMs, requests }: Run): boolean {
  if (isOver) return true;
  // What is still on its way may be the next try, and time before the clock was set back tells nothing.
  if (pending > 0 || requests.at(-1)?.era !== refused.era) return false;
  const deadlineMs = refused.deadlineMs ?? refused.answeredAtMs + unknownWaitMs;
  return endMs > deadlineMs + patienceMs(refused);
}

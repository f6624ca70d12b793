import { isAnswered, isUnknown, type JudgedRequest, type Run } from './run.js';

/** Counts of equal reads, which are individually indistinguishable. */
interface EqualReads {
  /** Number of calls that the scenario asks for, and number of usable responses. */
  asked: number;
  answered: number;
  /** Failed last reads of calls, if there were fewer responses than calls. */
  missing: readonly JudgedRequest[];
  /** Reason why it is unclear whether a read with a lost response was repeated. */
  doubt: string | undefined;
}

const none: EqualReads = { asked: 0, answered: 0, missing: [], doubt: undefined };

/**
 * Compares equal unnamed reads with the scenario's number of calls. A read after a failed read can be a retry or the
 * next call; the number of responses shows which.
 */
export function compareEqualReads(run: Run, isFailed: (request: JudgedRequest) => boolean): EqualReads {
  const { requests, needs, isOver, end, pending } = run;
  let reads = 0;
  let last: JudgedRequest | undefined;
  const failed: JudgedRequest[] = [];
  /** Fingerprint of the reads, if all are equal. */
  let fingerprint: number | undefined;
  for (const request of requests) {
    if (request.method !== 'GET' || request.call !== undefined || request.status === 0) continue;
    fingerprint = reads === 0 || fingerprint === request.fingerprint ? request.fingerprint : undefined;
    reads++;
    last = request;
    if (isFailed(request)) failed.push(request);
  }
  const answered = reads - failed.length;
  const asked = needs?.calls;
  if (failed.length === 0) return none;
  if (asked === undefined || answered > asked) {
    return isLostAmongOthers(run) ? { ...none, doubt } : none;
  }
  const isEnd = isOver && !end?.isInterrupted && pending === 0;
  if (!isEnd || fingerprint === undefined || answered === asked || reads < asked) return none;
  // A single response after all attempts may belong to a single call, with the other calls never sent.
  const isOneCall = answered === 1 && asked > 1 && failed.at(-1) !== last;
  if (isOneCall) return none;
  return { asked, answered, missing: failed.slice(answered - asked), doubt: undefined };
}

const doubt =
  'Responses were lost, and equal reads followed. Name the calls in X-Sim-Call to show whether these were retries or new calls.';

/** Whether a response was lost and equal reads got several responses afterwards. */
const isLostAmongOthers = ({ calls }: Run) =>
  calls.some((tries) => {
    const at = tries.findIndex((each) => isLostRead(each));
    return at >= 0 && tries.slice(at).filter(isAnswered).length > 1;
  });

const isLostRead = (request: JudgedRequest) =>
  request.method === 'GET' && request.call === undefined && request.status !== 0 && isUnknown(request);

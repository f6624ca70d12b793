import { isAnswered, isUnknown, type JudgedRequest, type Run } from './run.js';

/** What became of equal reads, which nobody can tell apart by themselves. */
interface Answers {
  /** How many calls the scenario asks for, and how many answers of use came. */
  asked: number;
  answered: number;
  /** The failed reads that were the end of a call, where fewer answers came than calls were asked for. */
  missing: readonly JudgedRequest[];
  /** Why nobody can tell whether a lost answer was asked for again. */
  doubt: string | undefined;
}

const none: Answers = { asked: 0, answered: 0, missing: [], doubt: undefined };

/**
 * Counts the answers to equal reads without a name. A read that follows a failed one may be another try of it or the next
 * call: where a client makes as many calls as the scenario asks for, the number of answers tells which.
 */
export function answersFor(run: Run, isFailed: (request: JudgedRequest) => boolean): Answers {
  const { requests, needs, isOver, end, pending } = run;
  let reads = 0;
  let last: JudgedRequest | undefined;
  const failed: JudgedRequest[] = [];
  /** Of the reads, where they all have the same. */
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
  // One answer in the end, after all the tries: that may be all of one call, and the others were never made.
  const isOneCall = answered === 1 && asked > 1 && failed.at(-1) !== last;
  if (isOneCall) return none;
  return { asked, answered, missing: failed.slice(answered - asked), doubt: undefined };
}

const doubt =
  'Answers were lost, and equal reads followed: whether those were other tries or the next calls only their names in X-Sim-Call tell.';

/** A lost answer, and more than one answer to equal reads after it. */
const isLostAmongOthers = ({ calls }: Run) =>
  calls.some((tries) => {
    const at = tries.findIndex((each) => isLostRead(each));
    return at >= 0 && tries.slice(at).filter(isAnswered).length > 1;
  });

const isLostRead = (request: JudgedRequest) =>
  request.method === 'GET' && request.call === undefined && request.status !== 0 && isUnknown(request);

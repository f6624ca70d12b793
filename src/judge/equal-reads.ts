import { isAnswered, isUnknown, type JudgedRequest, type Run } from './run.js';

/** Comparison of the calls that a scenario requires with the GET requests that did not fail. */
interface EqualReads {
  /** Number of calls that the scenario requires (`asked`), and of GET requests that did not fail (`answered`). */
  asked: number;
  answered: number;
  /**
   * Failed GET requests that count as never repeated: the last ones, one per missing response, because equal requests
   * are indistinguishable.
   */
  missing: readonly JudgedRequest[];
  /**
   * Reason why the judge cannot decide whether the client repeated a read whose response was lost; `undefined` if it
   * can.
   */
  doubt: string | undefined;
}

const none: EqualReads = { asked: 0, answered: 0, missing: [], doubt: undefined };

/**
 * Finds failed GET requests that the client never repeated: fewer GET requests succeeded than the scenario requires
 * calls. Finds none unless all GET requests without the header `X-Sim-Call` are equal.
 * @param isFailed whether a request got no usable response
 */
export function compareEqualReads(run: Run, isFailed: (request: JudgedRequest) => boolean): EqualReads {
  const { requests, needs, isOver, end, pending } = run;
  let reads = 0;
  let last: JudgedRequest | undefined;
  const failed: JudgedRequest[] = [];
  /** Fingerprint that all GET requests without a call name share; `undefined` if these requests are not all equal. */
  let fingerprint: number | undefined;
  for (const request of requests) {
    if (request.method !== 'GET' || request.call !== undefined || request.isLeft) continue;
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
  // Equal GET requests of which only the last succeeded may all be attempts of one call.
  const isOneCall = answered === 1 && asked > 1 && failed.at(-1) !== last;
  if (isOneCall) return none;
  return { asked, answered, missing: failed.slice(answered - asked), doubt: undefined };
}

const doubt =
  'Responses were lost, and identical reads followed. Name the calls in X-Sim-Call to show whether these reads were retries or new calls.';

/**
 * Whether a GET request without a usable response was followed by several equal requests with usable responses. The
 * judge then cannot decide which ones are retries and which are new calls.
 */
const isLostAmongOthers = ({ calls }: Run) =>
  calls.some((attempts) => {
    const index = attempts.findIndex((request) => isLostRead(request));
    return index >= 0 && attempts.slice(index).filter(isAnswered).length > 1;
  });

const isLostRead = (request: JudgedRequest) =>
  request.method === 'GET' && request.call === undefined && !request.isLeft && isUnknown(request);

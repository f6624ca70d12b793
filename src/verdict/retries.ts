import { hasRead, type JudgedRequest } from './run.js';

/** A try that came after the answer to an earlier try of the same call. */
export interface Retry {
  readonly refusal: JudgedRequest;
  readonly request: JudgedRequest;
  /** From the answer to the next try. */
  readonly waitMs: number;
  /** How much too early it came; negative when it came after the deadline, `undefined` when there was none. */
  readonly earlyMs: number | undefined;
}

/**
 * Every try in an episode that came after a refusal of the same call. Where equal calls wait side by side, nobody can
 * tell which of them came back; it is taken for the one that had the least to wait, so that no call is blamed for
 * the promise that another was given.
 */
export function retriesOf(requests: readonly JudgedRequest[]): Retry[] {
  const waiting = new Map<string, JudgedRequest[]>();
  const retries: Retry[] = [];
  for (const request of requests) {
    const same = waiting.get(request.fingerprint) ?? [];
    waiting.set(request.fingerprint, same);
    const refusal = leastToWait(same.filter((earlier) => hasRead(earlier, request)));
    if (refusal !== undefined) {
      same.splice(same.indexOf(refusal), 1);
      const waitMs = request.arrivedAtMs - refusal.answeredAtMs;
      const earlyMs = refusal.deadlineMs === undefined ? undefined : refusal.deadlineMs - request.arrivedAtMs;
      retries.push({ refusal, request, waitMs, earlyMs });
    }
    if (request.isRefused) same.push(request);
  }
  return retries;
}

function leastToWait(refusals: readonly JudgedRequest[]): JudgedRequest | undefined {
  const deadline = ({ deadlineMs }: JudgedRequest) => deadlineMs ?? Number.NEGATIVE_INFINITY;
  return refusals.reduce<JudgedRequest | undefined>(
    (least, each) => (least === undefined || deadline(each) <= deadline(least) ? each : least),
    undefined,
  );
}

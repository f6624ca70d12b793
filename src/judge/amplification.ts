import { getOrCreate } from '../values/get-or-create.js';
import { isAnswered, type JudgedRequest, type Run } from './run.js';

/** Requests per call of a client: of the whole run, and of the second in which its calls sent the most requests. */
export interface Amplification {
  overall: number;
  worstSecond: number;
}

/** Time after a failed attempt, or after its wait, within which an equal request is a retry, and no later call. */
const soonMs = 60_000;

/** Maximum number of failed attempts of equal requests that are compared with a new one. The oldest are dropped. */
const maximumOpen = 200;

/**
 * Computes the requests per call. An equal request after a failed attempt is a retry of its call; each failed attempt has
 * one retry, so that concurrent equal calls count apart. Callers of a slow client start one after another, some after the
 * failure of another. So the first requests without a name begin calls, as many as a scenario with concurrent callers has.
 */
export function amplificationOf({ requests, needs }: Pick<Run, 'requests' | 'needs'>): Amplification {
  const concurrent = (needs?.parallel ?? 1) > 1 ? (needs?.calls ?? 1) : 0;
  const failed = new Map<number, { request: JudgedRequest; call: object }[]>();
  const calls = new Set<object>();
  const seconds = new Map<number, { requests: number; calls: Set<object> }>();
  for (const request of requests) {
    const open = getOrCreate(failed, request.fingerprint, () => []);
    while (open[0] !== undefined && request.arrivedAtMs > retriedUntilMs(open[0].request)) open.shift();
    const mayBeFirst = request.call === undefined && calls.size < concurrent;
    const at = mayBeFirst ? -1 : open.findIndex(({ request: before }) => isReaction(before, request));
    const call = at < 0 ? {} : (open.splice(at, 1)[0] as { call: object }).call;
    calls.add(call);
    if (!isAnswered(request)) open.push({ request, call });
    if (open.length > maximumOpen) open.shift();
    const second = getOrCreate(seconds, Math.floor(request.arrivedAtMs / 1_000), () => ({
      requests: 0,
      calls: new Set(),
    }));
    second.requests++;
    second.calls.add(call);
  }
  let worstSecond = 0;
  for (const second of seconds.values()) worstSecond = Math.max(worstSecond, second.requests / second.calls.size);
  return { overall: rounded(requests.length / Math.max(1, calls.size)), worstSecond: rounded(worstSecond) };
}

const retriedUntilMs = ({ answeredAtMs, deadlineMs = 0 }: JudgedRequest) => Math.max(answeredAtMs, deadlineMs) + soonMs;

const isReaction = (failed: JudgedRequest, { id, arrivedAtMs }: JudgedRequest) =>
  id > failed.lastArrivedId && arrivedAtMs > failed.answeredAtMs && arrivedAtMs <= retriedUntilMs(failed);

const rounded = (ratio: number) => Math.round(ratio * 100) / 100;

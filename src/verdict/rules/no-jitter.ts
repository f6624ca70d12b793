import { finding, span, type WireRule } from '../finding.js';
import { type Episode, type JudgedRequest, toleranceMs } from '../run.js';

const leastCallers = 5;
/** Timers that were set alike go off within this. */
const togetherMs = 50;

/** Many callers that were refused together must not all come back together. */
export const noJitter: WireRule = {
  needs: 'wire',
  judge(run) {
    const byKey = new Map<string, JudgedRequest[]>();
    for (const request of run.requests) {
      const key = keyOf(request);
      const same = byKey.get(key);
      if (same === undefined) byKey.set(key, [request]);
      else same.push(request);
    }
    const herds = run.episodes.flatMap((episode) => herdOf(episode, byKey));
    const findings = herds.flatMap(({ waiting, back }) => {
      const spreadMs = spread(back.map(({ arrivedAtMs }) => arrivedAtMs));
      const waits = back.map(({ arrivedAtMs }, index) => arrivedAtMs - (waiting[index]?.answeredAtMs ?? 0));
      if (spreadMs > togetherMs && spread(waits) > togetherMs) return [];
      const together =
        spreadMs <= togetherMs
          ? `came back within ${span(spreadMs)} of each other`
          : `waited the same ${span(waits[0] ?? 0)}, and came back as closely together as they were refused`;
      return [
        finding('no-jitter', 'warn', back, {
          measured: `${back.length} requests within ${span(spreadMs)}, waits equal within ${span(spread(waits))}`,
          allowed: `waits that differ by more than ${togetherMs} ms`,
          text: `${back.length} waiting calls ${together}. Add a random wait to each, on top of Retry-After and never below it.`,
        }),
      ];
    });
    return { exercised: herds.length > 0, findings };
  },
};

const keyOf = ({ era, token }: JudgedRequest) => `${era} ${token}`;

/** Callers that waited side by side, and the requests with which they came back, as many as waited. */
function herdOf({ refusals }: Episode, byKey: ReadonlyMap<string, readonly JudgedRequest[]>) {
  const [first] = refusals;
  let deadlineMs = Number.POSITIVE_INFINITY;
  for (const refusal of refusals) deadlineMs = Math.min(deadlineMs, refusal.deadlineMs ?? deadlineMs);
  if (first === undefined || deadlineMs === Number.POSITIVE_INFINITY) return [];
  const isBack = ({ arrivedAtMs }: JudgedRequest) => arrivedAtMs >= deadlineMs - toleranceMs;
  const isCaller = ({ lane }: JudgedRequest) => !lane.isOneThread;
  const waiting = oneForEachCaller(refusals.filter((refusal) => !isBack(refusal) && isCaller(refusal)));
  if (waiting.length < leastCallers) return [];
  const calls = new Set(waiting.map(({ fingerprint }) => fingerprint));
  const later = (byKey.get(keyOf(first)) ?? []).filter(
    (request) => isBack(request) && isCaller(request) && calls.has(request.fingerprint),
  );
  // With more requests than callers, some may be the next calls of one that came back: then connections tell them apart.
  const back = (later.length <= waiting.length ? later : oneForEachConnection(later)).slice(0, waiting.length);
  return back.length >= leastCallers ? [{ waiting, back }] : [];
}

/** A caller that tried again before the end of the wait is one caller all the same. */
function oneForEachCaller(refusals: readonly JudgedRequest[]): JudgedRequest[] {
  const again = new Set(refusals.map(({ triedAfter }) => triedAfter));
  return refusals.filter((refusal) => !again.has(refusal));
}

/** What follows on a connection later than the answer to what it brought before came one by one, and not together. */
function oneForEachConnection(requests: readonly JudgedRequest[]): JudgedRequest[] {
  const answeredMs = new Map<number, number>();
  return requests.filter(({ connection, arrivedAtMs, answeredAtMs }) => {
    if (connection === undefined) return true;
    const before = answeredMs.get(connection) ?? Number.POSITIVE_INFINITY;
    answeredMs.set(connection, Math.min(before, answeredAtMs));
    return arrivedAtMs <= before;
  });
}

const spread = (values: readonly number[]) => Math.max(...values) - Math.min(...values);

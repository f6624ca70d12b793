import { groupByNumber } from '../../values/group-by.js';
import { lowest } from '../../values/lowest.js';
import { finding, span, type WireRule } from '../finding.js';
import { type JudgedRequest, type Run, toleranceMs } from '../run.js';

interface Herd {
  waiting: readonly JudgedRequest[];
  back: readonly JudgedRequest[];
}

const leastCallers = 5;
/** Timers that were set alike go off within this. */
const togetherMs = 50;

/** Many callers that were refused together must not all come back together. */
export const noJitter: WireRule = {
  needs: 'wire',
  judge(run) {
    const herds = herdsOf(run);
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

const isCaller = ({ lane }: JudgedRequest) => !lane.isOneThread;

/** Callers that waited side by side, and the requests with which they came back, as many as waited. */
function herdsOf({ episodes, requests }: Run): Herd[] {
  const herds: Herd[] = [];
  const callers = requests.filter(isCaller);
  if (callers.length < leastCallers) return herds;
  const ofKeys = groupByNumber(callers, ({ lane }) => lane.series);
  const latestOfKeys = ofKeys.map(latestArrivals);
  for (const { refusals } of episodes) {
    const deadlineMs = earliestDeadline(refusals);
    const backMs = deadlineMs - toleranceMs;
    const waiting = oneForEachCaller(refusals.filter((each) => isCaller(each) && each.arrivedAtMs < backMs));
    const [first] = waiting;
    if (first === undefined || waiting.length < leastCallers || deadlineMs === Number.POSITIVE_INFINITY) continue;
    const { series, callers: declared } = first.lane;
    if (declared > 1 && declared < leastCallers) continue;
    const latest = latestOfKeys[series] as readonly number[];
    const from = lowest(latest.length, (at) => (latest[at] as number) >= backMs);
    const back = backAfter(waiting, ofKeys[series] as readonly JudgedRequest[], from, backMs);
    if (back.length >= leastCallers) herds.push({ waiting, back });
  }
  return herds;
}

/** The requests, from a place on, with which callers came back, as many as had waited. */
function backAfter(
  waiting: readonly JudgedRequest[],
  requests: readonly JudgedRequest[],
  from: number,
  backMs: number,
): JudgedRequest[] {
  const calls = new Set(waiting.map(({ fingerprint }) => fingerprint));
  const isNew = createIsNewCaller();
  const later: JudgedRequest[] = [];
  const apart: JudgedRequest[] = [];
  const most = waiting.length;
  for (let at = from; at < requests.length && (later.length <= most || apart.length < most); at++) {
    const request = requests[at] as JudgedRequest;
    if (request.arrivedAtMs < backMs || !calls.has(request.fingerprint)) continue;
    if (later.length <= most) later.push(request);
    if (apart.length < most && isNew(request)) apart.push(request);
  }
  // With more requests than callers, some may be the next calls of one that came back: then connections tell them apart.
  return later.length <= most ? later : apart;
}

/** For each request the latest arrival up to it: a clock may be set back a little. */
function latestArrivals(requests: readonly JudgedRequest[]): number[] {
  let latestMs = Number.NEGATIVE_INFINITY;
  return requests.map(({ arrivedAtMs }) => {
    latestMs = Math.max(latestMs, arrivedAtMs);
    return latestMs;
  });
}

function earliestDeadline(refusals: readonly JudgedRequest[]): number {
  let earliestMs = Number.POSITIVE_INFINITY;
  for (const { deadlineMs = earliestMs } of refusals) earliestMs = Math.min(earliestMs, deadlineMs);
  return earliestMs;
}

/** A caller that tried again before the end of the wait is one caller all the same. */
function oneForEachCaller(refusals: readonly JudgedRequest[]): JudgedRequest[] {
  const again = new Set(refusals.map(({ retryOf }) => retryOf));
  return refusals.filter((refusal) => !again.has(refusal));
}

/** What follows on a connection later than the answer to what it brought before came one by one, and not together. */
function createIsNewCaller(): (request: JudgedRequest) => boolean {
  const answeredMs = new Map<number, number>();
  return ({ connection, arrivedAtMs, answeredAtMs }) => {
    if (connection === undefined) return true;
    const before = answeredMs.get(connection) ?? Number.POSITIVE_INFINITY;
    answeredMs.set(connection, Math.min(before, answeredAtMs));
    return arrivedAtMs <= before;
  };
}

const spread = (values: readonly number[]) => Math.max(...values) - Math.min(...values);

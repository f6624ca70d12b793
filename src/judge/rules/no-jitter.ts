import { highest, lowest } from '../../values/extremes.js';
import { findLowest } from '../../values/find-lowest.js';
import { formatDuration } from '../../values/format-duration.js';
import { groupByNumber } from '../../values/group-by.js';
import { finding, type WireRule } from '../finding.js';
import { type JudgedRequest, type Run, toleranceMs } from '../run.js';

interface Herd {
  waiting: readonly JudgedRequest[];
  retries: readonly JudgedRequest[];
}

const minimumCallers = 5;
/**
 * Maximum time between the first and the last retry of a group of concurrent callers that counts as simultaneous
 * retrying. Also the maximum difference between waits that count as equal.
 */
const simultaneousMs = 50;

/** Rule: finds callers that were refused together and retry together, because their waits have no random part. */
export const noJitter: WireRule = {
  needs: 'wire',
  restsOn: ['key', 'timings', 'milliseconds'],
  words: 'retried without random waits',
  judge(run) {
    const herds = herdsOf(run);
    const findings = herds.flatMap(({ waiting, retries }) => {
      const spreadMs = spread(retries.map(({ arrivedAtMs }) => arrivedAtMs));
      const waits = retries.map(({ arrivedAtMs }, index) => arrivedAtMs - (waiting[index]?.answeredAtMs ?? 0));
      if (spreadMs > simultaneousMs && spread(waits) > simultaneousMs) return [];
      const together =
        spreadMs <= simultaneousMs
          ? `retried within ${formatDuration(spreadMs)} of each other`
          : `waited the same ${formatDuration(waits[0] ?? 0)}, so their retries were as close together as their refusals`;
      return [
        finding('warn', retries, {
          measured: `${retries.length} requests within ${formatDuration(spreadMs)}, waits equal within ${formatDuration(spread(waits))}`,
          allowed: `waits that differ by more than ${simultaneousMs} ms`,
          text: `${retries.length} waiting calls ${together}. Add a random time to each wait, on top of Retry-After.`,
        }),
      ];
    });
    return { exercised: herds.length > 0, findings };
  },
};

const isCaller = ({ session }: JudgedRequest) => !session.isSequential;

/** Finds groups of concurrent callers that waited at the same time and then retried. */
function herdsOf({ episodes, requests }: Run): Herd[] {
  const herds: Herd[] = [];
  const callers = requests.filter(isCaller);
  if (callers.length < minimumCallers) return herds;
  const ofKeys = groupByNumber(callers, ({ session }) => session.series);
  const latestOfKeys = ofKeys.map(latestArrivals);
  for (const { refusals } of episodes) {
    const deadlineMs = earliestDeadline(refusals);
    const dueMs = deadlineMs - toleranceMs;
    const waiting = onePerCaller(refusals.filter((request) => isCaller(request) && request.arrivedAtMs < dueMs));
    const [first] = waiting;
    if (first === undefined || waiting.length < minimumCallers || deadlineMs === Number.POSITIVE_INFINITY) continue;
    const { series, callers: declared } = first.session;
    if (declared > 1 && declared < minimumCallers) continue;
    const latest = latestOfKeys[series] as readonly number[];
    const from = findLowest(latest.length, (index) => (latest[index] as number) >= dueMs);
    const retries = retriesAfter(waiting, ofKeys[series] as readonly JudgedRequest[], from, dueMs);
    if (retries.length >= minimumCallers) herds.push({ waiting, retries });
  }
  return herds;
}

/**
 * Selects the retries of concurrent callers that all received a 429. A retry counts if sent after the wait that the 429
 * required, at most one per caller.
 */
function retriesAfter(
  waiting: readonly JudgedRequest[],
  requests: readonly JudgedRequest[],
  from: number,
  dueMs: number,
): JudgedRequest[] {
  const calls = new Set(waiting.map(({ fingerprint }) => fingerprint));
  const isNew = createIsNewCaller();
  const later: JudgedRequest[] = [];
  const apart: JudgedRequest[] = [];
  const most = waiting.length;
  for (let index = from; index < requests.length && (later.length <= most || apart.length < most); index++) {
    const request = requests[index] as JudgedRequest;
    if (request.arrivedAtMs < dueMs || !calls.has(request.fingerprint)) continue;
    if (later.length <= most) later.push(request);
    if (apart.length < most && isNew(request)) apart.push(request);
  }
  // If more requests arrive than callers received a 429, counts only the first request on each connection as a retry.
  // The other requests may be new calls.
  return later.length <= most ? later : apart;
}

/**
 * Returns for each request the latest arrival time of all requests up to it, in Unix milliseconds. These times never
 * decrease, even if the clock was set back, so that a binary search is possible.
 */
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

/** Selects the last refused request of each caller: removes each refused request whose retry is also in the list. */
function onePerCaller(refusals: readonly JudgedRequest[]): JudgedRequest[] {
  const again = new Set(refusals.map(({ retryOf }) => retryOf));
  return refusals.filter((refusal) => !again.has(refusal));
}

/**
 * Creates a function that decides whether a request is the first of its caller. A request on a connection that already
 * got a response is not.
 */
function createIsNewCaller(): (request: JudgedRequest) => boolean {
  const answeredMs = new Map<number, number>();
  return ({ connection, arrivedAtMs, answeredAtMs }) => {
    if (connection === undefined) return true;
    const before = answeredMs.get(connection) ?? Number.POSITIVE_INFINITY;
    answeredMs.set(connection, Math.min(before, answeredAtMs));
    return arrivedAtMs <= before;
  };
}

const spread = (values: readonly number[]) => highest(values) - lowest(values);

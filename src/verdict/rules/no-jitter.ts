import { finding, type Rule, span } from '../finding.js';
import { type JudgedRequest, toleranceMs } from '../run.js';

const leastCallers = 5;
/** Timers that were set alike go off within this. */
const togetherMs = 50;

/** Many callers that were refused together must not all come back together. */
export const noJitter: Rule = ({ requests, episodes }) => {
  const herds = episodes.flatMap(({ refusals }) => {
    const [first] = refusals;
    const deadlineMs = Math.min(...refusals.map((refusal) => refusal.deadlineMs ?? Number.POSITIVE_INFINITY));
    const waiting = callers(refusals.filter(({ arrivedAtMs }) => arrivedAtMs < deadlineMs - toleranceMs));
    const later = requests.filter(
      ({ token, era, arrivedAtMs }) =>
        token === first?.token && era === first?.era && arrivedAtMs >= deadlineMs - toleranceMs,
    );
    // Not more come back together than were refused together.
    const back = callers(later).slice(0, waiting.length);
    return back.length >= leastCallers ? [{ waiting, back }] : [];
  });
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
        text: `${back.length} waiting calls ${together}. Add a random wait of its own to each, on top of Retry-After and never below it.`,
      }),
    ];
  });
  return { exercised: herds.length > 0, findings };
};

/** What follows on a connection later than the answer to what it brought before came one by one, and not together. */
function callers(requests: readonly JudgedRequest[]): JudgedRequest[] {
  const answeredMs = new Map<number, number>();
  return requests.filter(({ connection, arrivedAtMs, answeredAtMs }) => {
    if (connection === undefined) return true;
    const before = answeredMs.get(connection) ?? Number.POSITIVE_INFINITY;
    answeredMs.set(connection, Math.min(before, answeredAtMs));
    return arrivedAtMs <= before;
  });
}

const spread = (values: readonly number[]) => Math.max(...values) - Math.min(...values);

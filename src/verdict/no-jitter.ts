import { finding, type Rule, span } from './finding.js';

const leastCallers = 5;
const togetherMs = 50;

/** Many callers that were refused together must not all come back together. */
export const noJitter: Rule = ({ requests, episodes }) => {
  const herds = episodes.flatMap(({ token, refusals }) => {
    const deadlineMs = Math.min(...refusals.map((refusal) => refusal.deadlineMs ?? Number.POSITIVE_INFINITY));
    // Not more come back together than were refused together.
    const burst = refusals.filter(({ arrivedAtMs }) => arrivedAtMs < deadlineMs);
    const back = requests.filter(
      (request) => request.token === token && request.arrivedAtMs >= deadlineMs - togetherMs,
    );
    const callers = back.slice(0, burst.length);
    return callers.length >= leastCallers ? [callers] : [];
  });
  const findings = herds.flatMap((callers) => {
    const instants = callers.map(({ arrivedAtMs }) => arrivedAtMs);
    const spreadMs = Math.max(...instants) - Math.min(...instants);
    if (spreadMs > togetherMs) return [];
    return [
      finding('no-jitter', 'warn', callers, {
        measured: `${callers.length} requests within ${span(spreadMs)}`,
        allowed: `spread over more than ${togetherMs} ms`,
        text: `${callers.length} waiting calls came back within ${span(spreadMs)} of each other. Add a random wait on top of Retry-After, never below it.`,
      }),
    ];
  });
  return { exercised: herds.length > 0, findings };
};

import { counted, finding, type Rule, span } from '../finding.js';
import { toleranceMs } from '../run.js';

/** A request is sent although its caller has given up: only a client that says when that was can be found at it. */
export const lateRequest: Rule = {
  needs: 'wire',
  judge({ requests, outcomes = [] }) {
    const aborted = outcomes.filter(({ result }) => result === 'aborted');
    const found = aborted.flatMap((report) => {
      const late = requests.filter(
        ({ call, arrivedAtMs }) =>
          arrivedAtMs > report.atMs + toleranceMs && (report.call === undefined || call === report.call),
      );
      const [first] = late;
      if (first === undefined) return [];
      return [
        finding('late-request', 'warn', late, {
          measured: `${counted(late.length, 'request')}, the first ${span(first.arrivedAtMs - report.atMs)} after`,
          allowed: 'none after the caller has given up',
          text: `A request was sent ${span(first.arrivedAtMs - report.atMs)} after its caller had given up. End the wait when the caller goes: its signal must reach the timer, not only the request.`,
        }),
      ];
    });
    return { exercised: aborted.length > 0, findings: found };
  },
};
